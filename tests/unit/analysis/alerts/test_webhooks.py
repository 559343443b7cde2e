"""Signed webhooks: the scheme's own example, the schema, and what a receiver can tell."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.webhooks import MAX_EVENTS, BadWebhook, body_of, headers_of, key_of, post
from analysis.words.i18n import translator
from storage.collections.outbox import mailing_id
from storage.records import VERDICTS, Mailing, Occasion, OccasionKind
from system.messages import Message

SCHEMA = json.loads((Path(__file__).parents[4] / "docs/webhook.schema.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - the example of the scheme
MAILING = Mailing(
    id=mailing_id("ops", ["1"]),
    addressee="ops",
    cadence="at-once",
    deliveries=("1",),
    made=NOW,
    since=NOW,
    due=NOW,
)
WHOLE = Occasion(
    id="new-copy:c7:http://a.cn/1",
    kind="new-copy",
    at=NOW,
    work_id=3,
    work="青灯渡",
    holder="某某出版社",
    site="a.cn",
    url="http://a.cn/<script>",
    verdict="copy",
    copied_chars=812,
    case="c7",
    state="new",
    source="daily",
    scan_id="1",
    deadline=NOW,
    message=Message("{count} passages are missing", {"count": 2}),
)


def test_published_webhook_example_has_its_signature():
    at = datetime.fromtimestamp(1614265330, UTC)
    headers = headers_of("msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', key_of(SECRET), at)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert headers["webhook-timestamp"] == "1614265330"


@pytest.mark.parametrize("change", ["id", "timestamp", "body"])
def test_signature_covers_id_timestamp_and_body(change):
    key, body = key_of(SECRET), b"{}"
    headers = headers_of("a1", body, key, NOW)
    parts = {"id": "a1", "timestamp": headers["webhook-timestamp"], "body": "{}"}
    parts[change] += " "
    signed = ".".join(parts.values()).encode()
    other = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] != f"v1,{other}"


@pytest.mark.parametrize(
    "occasion", [WHOLE, Occasion(id="s", kind="scan-failed", at=NOW)], ids=["whole", "bare"]
)
def test_body_matches_the_shipped_schema(occasion):
    body = json.loads(body_of(MAILING, [occasion], translator("zh")))
    Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(body)
    assert body["events"][0]["url"] == (occasion.url or None)
    assert body == json.loads(body_of(MAILING, [occasion], translator("zh")))


def test_schema_lists_every_code_and_the_bound():
    event = SCHEMA["$defs"]["event"]["properties"]
    assert event["kind"]["enum"] == list(get_args(OccasionKind))
    assert event["verdict"]["enum"] == [*VERDICTS, None]
    assert SCHEMA["properties"]["events"]["maxItems"] == MAX_EVENTS


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_c2hvcnQ=", SECRET[6:], "whsec_!!"])
def test_secret_that_signs_nothing_well_is_refused(secret):
    with pytest.raises(BadWebhook, match="whsec_"):
        key_of(secret)


@pytest.mark.parametrize("address", ["ftp://a.cn/", "file:///etc/passwd", "a.cn/hook", ""])
def test_only_http_is_posted_to(address):
    with pytest.raises(BadWebhook, match="https://"):
        post(address, SECRET, "a1", b"{}")


@pytest.mark.parametrize(
    "address", ["http://[::T0KEN/", "http://127.0.0.1:99999/T0KEN", f"http://{'a' * 300}.T0KEN/"]
)
def test_unusable_address_is_not_repeated_in_the_error(address):
    with pytest.raises(NotDelivered, match="cannot be used") as error:
        post(address, SECRET, "a1", b"{}")
    assert "T0KEN" not in str(error.value)
    assert error.value.__suppress_context__

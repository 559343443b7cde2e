"""Send alerts to programs as signed webhooks, by the scheme of Standard Webhooks.

The body is JSON of the schema in ``docs/webhook.schema.json``. ``webhook-signature`` is ``v1,`` and the
Base64 of HMAC-SHA256 over ``{webhook-id}.{webhook-timestamp}.{body}``, with the key encoded in ``whsec_…``. A
repetition has the same ``webhook-id`` and a new timestamp. Receivers refuse timestamps that differ by more
than five minutes (:data:`REPLAY_WINDOW_S`).

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from analysis.alerts import posting
from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.wording import KINDS
from analysis.words.i18n import N_, Translator
from storage.records import Mailing, Occasion
from system.messages import Message
from system.version import VERSION

FORMAT_VERSION = 1
MAX_EVENTS = 100  # maximum number of events in one mailing
REPLAY_WINDOW_S = 300
_SCHEME = re.compile("https?://", re.IGNORECASE)
_PREFIX = "whsec_"
_TAKEN, _REDIRECTS = range(200, 300), range(300, 400)
_KEY_BYTES = range(24, 65)  # key lengths that the scheme allows


class BadWebhook(NotDelivered):
    """The address or the secret of a webhook is invalid.

    Attributes:
        problem: what is wrong.
    """


def key_of(secret: str) -> bytes:
    """Return the key in a webhook's secret.

    Raises:
        BadWebhook: the secret is not ``whsec_`` and the Base64 of 24 to 64 bytes.
    """
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(_PREFIX) or len(key) not in _KEY_BYTES:
        raise BadWebhook(
            problem=Message(N_("the secret must be “whsec_” followed by 24 to 64 bytes in Base64"))
        )
    return key


def body_of(mailing: Mailing, occasions: Sequence[Occasion], texts: Translator) -> bytes:
    """Return the body of a mailing. Every attempt sends the same body."""
    document = {
        "version": FORMAT_VERSION,
        "id": mailing.id,
        "made": mailing.made.isoformat(),
        "addressee": mailing.addressee,
        "when": mailing.cadence,
        "events": [
            _as_object(occasion, texts)
            for occasion in sorted(occasions, key=lambda occasion: (occasion.at, occasion.id))
        ],
    }
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _as_object(occasion: Occasion, texts: Translator) -> dict[str, object]:
    return {
        "id": occasion.id,
        "kind": occasion.kind,
        "label": texts.gettext(KINDS[occasion.kind]),
        "at": occasion.at.isoformat(),
        "work": {"id": occasion.work_id, "title": occasion.work} if occasion.work_id is not None else None,
        "holder": occasion.holder or None,
        "site": occasion.site or None,
        "url": occasion.url or None,
        "verdict": occasion.verdict or None,
        "copied_chars": occasion.copied_chars,
        "case": occasion.case or None,
        "state": occasion.state or None,
        "source": occasion.source or None,
        "scan": occasion.scan_id or None,
        "deadline": occasion.deadline.isoformat() if occasion.deadline else None,
        "detail": texts.message(occasion.message) or None,
    }


def headers_of(mailing_id: str, body: bytes, key: bytes, now: datetime) -> dict[str, str]:
    """Return the headers that identify and sign a body."""
    timestamp = str(int(now.timestamp()))
    signed = b".".join((mailing_id.encode(), timestamp.encode(), body))
    signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {
        "content-type": "application/json",
        "user-agent": f"pindna/{VERSION}",
        "webhook-id": mailing_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{signature}",
    }


def post(address: str, secret: str, mailing_id: str, body: bytes, *, now: datetime | None = None) -> str:
    """Post a signed body; redirects are not followed. Return a short answer.

    Args:
        address: http or https.
        secret: ``whsec_…``.
        mailing_id: id of the mailing.
        body: the result of :func:`body_of`.
        now: time of the signature; None: the present time.

    Returns:
        A short answer.

    Raises:
        BadWebhook: the address or the secret is invalid.
        NotDelivered: the receiver did not accept it; the error contains neither.
    """
    if not _SCHEME.match(address):
        raise BadWebhook(problem=Message(N_("the address of a webhook must begin with https:// or http://")))
    headers = headers_of(mailing_id, body, key_of(secret), now or datetime.now(UTC))
    answer, _ = posting.post(address, body, headers)
    if answer not in _TAKEN:
        is_redirect = answer in _REDIRECTS
        problem = N_("HTTP {status}; redirects are not followed") if is_redirect else N_("HTTP {status}")
        raise NotDelivered(problem=Message(problem, {"status": answer}))
    return f"HTTP {answer}"

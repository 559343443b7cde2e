"""The REST API on the real server: who may do what, keys, limits, cursors, problems, its description."""

import io
import re
import threading
import zipfile
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from support.api import running_api
from support.processes import settings_on
from support.strategies import story
from support.two_holders import LAMP, RIVER, fill

from crawler.sources.probe import ProbeStep
from storage.collections.decisions import decision_id
from storage.collections.documents import to_document
from storage.collections.pages import page_id
from storage.records import PERMISSIONS, Case, Decision, Holder, KeptPackage, Scan, Source
from storage.servers.throttle import Limit

pytestmark = [pytest.mark.services, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
KEY = "Idempotency-Key"
PORTAL = {"name": "portal", "kind": "news", "urls": ["http://one.cn/"]}
ROLES = ("holder", "analyst", "operator", "administrator")


@contextmanager
def filled_api(fresh, folder):
    """The API over the works of two rights holders, with an account of each role; ``other`` holds RIVER's."""
    evidence = fresh.analysis.evidence.model_copy(update={"folder": folder / "evidence"})
    notices = fresh.analysis.notices.model_copy(update={"folder": folder / "notices"})
    analysis = fresh.analysis.model_copy(update={"evidence": evidence, "notices": notices})
    with running_api(fresh.model_copy(update={"analysis": analysis})) as running:
        stores = running.runtime.stores
        fill(stores)
        for holder in (LAMP, RIVER):
            stores.holders.save(Holder(name=holder))
        stores.sources.save(Source(name="portal", kind="news", start_urls=("http://one.cn/",)))
        stores.scans.open(Scan(id="s1", trigger="hand", sources=(), started=datetime(2026, 3, 1, tzinfo=UTC)))
        (folder / "evidence").mkdir()
        for number, works in (("PD-1", (1,)), ("PD-2", (2,))):
            path = folder / "evidence" / f"{number}.zip"
            path.write_bytes(b"a package")
            stores.packages.add(
                KeptPackage(
                    number=number,
                    path=str(path),
                    sha256="0" * 64,
                    bytes=9,
                    by="ana",
                    excerpts=True,
                    cases=works,
                    works=works,
                    matches=1,
                )
            )
        for role in ROLES:
            running.add(role, role, holders=(LAMP,) if role == "holder" else ())
        running.add("other", "holder", holders=(RIVER,))
        yield running


@pytest.fixture(scope="module")
def api(services, tmp_path_factory):
    """One for the tests that leave to others what these rest on."""
    folder = tmp_path_factory.mktemp("api")
    with filled_api(settings_on(services, folder, redis_database=13), folder) as running:
        yield running


@pytest.fixture
def attacked_api(settings, tmp_path, monkeypatch):
    """One for a test that may change anything; nothing is refused for coming too often."""
    with filled_api(settings, tmp_path) as running:
        _unlimited(running, monkeypatch)
        yield running


# Method, path, body, and what holder, analyst, operator and administrator are answered. 404 and 422 come of
# what is asked for: the permission was there.
MATRIX = [
    ("GET", "/works", None, (200, 200, 200, 200)),
    ("GET", "/works/loads", None, (200, 200, 200, 200)),
    ("DELETE", "/works/loads/none", None, (403, 404, 404, 404)),
    ("GET", "/works/1/unjudged", None, (200, 200, 200, 200)),
    ("GET", "/works/1", None, (200, 200, 200, 200)),
    ("GET", "/works/2", None, (404, 200, 200, 200)),
    ("GET", "/works/1/passages", None, (200, 200, 200, 200)),
    ("GET", "/works/2/passages", None, (404, 200, 200, 200)),
    ("GET", "/passages/1", None, (200, 200, 200, 200)),
    ("GET", "/passages/2", None, (404, 200, 200, 200)),
    ("PATCH", "/works/1", {"title": " "}, (403, 422, 422, 422)),
    ("PATCH", "/works/99", {"title": "x"}, (403, 404, 404, 404)),
    ("DELETE", "/works/99", None, (403, 404, 404, 404)),
    ("POST", "/works/1/restoration", None, (403, 404, 404, 404)),
    ("POST", "/works/1/merging", {"works": [1]}, (403, 422, 422, 422)),
    ("POST", "/works/1/merging", {"works": [99]}, (403, 404, 404, 404)),
    ("POST", "/works/1/splitting", {"title": "x", "passages": "1-900000"}, (403, 422, 422, 422)),
    ("POST", "/works/99/splitting", {"title": "x", "passages": "1"}, (403, 404, 404, 404)),
    ("PUT", "/works/1/edition", {"of": 1}, (403, 422, 422, 422)),
    ("PUT", "/works/1/edition", {"of": 99}, (403, 404, 404, 404)),
    ("POST", "/works/99/licences", {"site": "a.example"}, (403, 404, 404, 404)),
    ("DELETE", "/works/1/licences/none.example", None, (403, 404, 404, 404)),
    ("GET", f"/holders/{LAMP}", None, (403, 200, 200, 200)),
    ("PUT", f"/holders/{LAMP}", {"email": "nobody"}, (403, 422, 422, 422)),
    ("GET", "/sources", None, (403, 200, 200, 200)),
    ("GET", "/sources/portal/definition", None, (403, 200, 200, 200)),
    ("POST", "/sources", PORTAL, (403, 403, 409, 409)),
    ("POST", "/sources/trial", {}, (403, 403, 422, 422)),
    ("GET", "/candidates", None, (403, 200, 200, 200)),
    ("GET", "/candidates/none", None, (403, 404, 404, 404)),
    ("POST", "/candidates/none/accept", {}, (403, 403, 404, 404)),
    ("POST", "/candidates/none/reject", {}, (403, 403, 404, 404)),
    ("POST", "/candidates/none/reopen", None, (403, 403, 404, 404)),
    ("PUT", "/sources/none/definition", {**PORTAL, "name": "none"}, (403, 403, 404, 404)),
    ("PUT", "/sources/none/enabled", {"enabled": True}, (403, 403, 404, 404)),
    ("DELETE", "/sources/none", None, (403, 403, 404, 404)),
    ("GET", "/sources/portal", None, (403, 200, 200, 200)),
    ("GET", "/settings", None, (403, 403, 200, 200)),
    ("PATCH", "/settings", {"values": {"analysis.alerts.quiet": "late"}}, (403, 403, 403, 422)),
    ("PATCH", "/settings", {"values": {"analysis.server.host": "::"}}, (403, 403, 403, 404)),
    ("PUT", "/settings/secrets/PATH", {"value": "x"}, (403, 403, 403, 422)),
    ("DELETE", "/settings/secrets/PINDNA_SECRET_NONE", None, (403, 403, 403, 404)),
    ("POST", "/settings/trials/mail", {"to": "a@b.example"}, (403, 403, 403, 422)),
    ("POST", "/settings/trials/timestamps", None, (403, 403, 403, 422)),
    ("POST", "/settings/trials/addressees/none", None, (403, 403, 404, 404)),
    ("GET", "/scans", None, (403, 200, 200, 200)),
    ("GET", "/scans/s1", None, (403, 200, 200, 200)),
    ("POST", "/scans", {"sources": ["none"]}, (403, 403, 404, 404)),
    ("POST", "/scans/none/stop", None, (403, 403, 404, 404)),
    ("GET", "/pages", None, (200, 200, 200, 200)),
    ("GET", f"/pages/{page_id('a', 'h')}", None, (200, 200, 200, 200)),
    ("GET", f"/pages/{page_id('d', 'h')}", None, (404, 200, 200, 200)),
    ("GET", "/matches", None, (200, 200, 200, 200)),
    ("GET", "/matches?work=2", None, (404, 200, 200, 200)),
    ("GET", "/matches?scan=s1", None, (403, 200, 200, 200)),
    ("GET", "/matches/m1", None, (200, 200, 200, 200)),
    ("GET", "/matches/m4", None, (404, 200, 200, 200)),
    ("PUT", "/matches/m1/decision", {"state": "dismissed"}, (403, 422, 403, 422)),
    ("DELETE", "/matches/none/decision", None, (403, 404, 403, 404)),
    ("GET", "/dismissals", None, (403, 200, 403, 200)),
    ("DELETE", "/dismissals/none", None, (403, 404, 403, 404)),
    ("GET", "/cases", None, (200, 200, 200, 200)),
    ("GET", "/cases?work=2", None, (404, 200, 200, 200)),
    ("GET", "/cases/c1", None, (200, 200, 200, 200)),
    ("GET", "/cases/c3", None, (404, 200, 200, 200)),
    ("GET", "/cases/c1/events", None, (200, 200, 200, 200)),
    ("GET", "/cases/c3/events", None, (404, 200, 200, 200)),
    ("POST", "/cases/c3/moves", {"to": "reopened"}, (403, 422, 403, 422)),
    ("POST", "/cases/c3/notes", {"text": " "}, (403, 422, 403, 422)),
    ("PUT", "/cases/none/assignee", {"to": "li"}, (403, 404, 403, 404)),
    ("PUT", "/cases/none/deadline", {"deadline": None}, (403, 404, 403, 404)),
    ("GET", "/evidence/packages", None, (200, 200, 403, 200)),
    ("GET", "/evidence/packages/PD-1", None, (200, 200, 403, 200)),
    ("GET", "/evidence/packages/PD-2", None, (404, 200, 403, 200)),
    ("GET", "/evidence/packages/PD-1/file", None, (200, 200, 403, 200)),
    ("GET", "/evidence/packages/PD-2/file", None, (404, 200, 403, 200)),
    ("GET", "/evidence/together?of=PD-1", None, (200, 200, 403, 200)),
    ("GET", "/evidence/together?of=PD-1&of=PD-2", None, (404, 200, 403, 200)),
    ("POST", "/evidence/packages", {"names": ["c99"]}, (404, 404, 403, 404)),
    ("GET", "/evidence/log", None, (200, 200, 403, 200)),
    ("GET", "/notices", None, (200, 200, 403, 200)),
    ("GET", "/notices/n9", None, (404, 404, 403, 404)),
    ("GET", "/notices/forms", None, (403, 200, 403, 200)),
    ("GET", "/notices/n9/forms/baidu", None, (403, 404, 403, 404)),
    ("POST", "/notices/preview", {"case": "c1"}, (403, 200, 403, 200)),
    ("POST", "/notices/preview", {"site": "one.cn"}, (403, 422, 403, 422)),
    ("POST", "/notices", {"case": "c1"}, (403, 422, 403, 422)),
    ("POST", "/notices/n9/send", {"confirm": "n9"}, (403, 404, 403, 404)),
    ("POST", "/notices/n9/resolution", {"resolution": "sent"}, (403, 404, 403, 404)),
    ("POST", "/notices/n9/reply", {"outcome": "accepted"}, (403, 404, 403, 404)),
    ("GET", "/sites/one.cn/contacts", None, (200, 200, 403, 200)),
    ("GET", "/sites/none.cn/lookup", None, (403, 404, 403, 404)),
    ("POST", "/sites/one.cn/lookup", None, (403, 200, 403, 200)),
    ("POST", "/sites/two.cn/contacts", {"proposals": ["0"]}, (403, 404, 403, 404)),
    ("GET", "/audit", None, (403, 403, 403, 200)),
    ("POST", "/check/text", {"text": "no Chinese"}, (422, 422, 422, 422)),
    ("POST", "/check/url", {"url": "ftp://one.cn/"}, (422, 422, 422, 422)),
]


def test_roles_may_call_exactly_the_endpoints_of_the_table(api):
    keys = iter(range(10**6, 10**7))
    found = [
        (
            method,
            path,
            body,
            tuple(
                api.client(role)
                .request(method, path, json=body, headers={KEY: f"key-{next(keys)}"})
                .status_code
                for role in ROLES
            ),
        )
        for method, path, body, _ in MATRIX
    ]
    assert found == MATRIX


def documented():
    """Yield method, path as a pattern, and scopes of each call, as docs/api.md tells them."""
    page = Path("docs/api.md").read_text(encoding="utf-8")
    for method, path, scopes in re.findall(r"^\| ([A-Z]+) `(/\S+)` \| (.+?) \|", page, re.MULTILINE):
        yield method, re.sub(r"[A-Z][A-Z0-9]+", "[^/]+", path), tuple(re.findall(r"[a-z]+:[a-z]+", scopes))


def test_every_endpoint_needs_exactly_its_documented_scopes(api, monkeypatch):
    _unlimited(api, monkeypatch)
    everything, client = frozenset(PERMISSIONS), api.client("administrator")

    @cache
    def token_of(scopes):
        return f"Bearer {api.add('administrator', 'administrator', scopes=tuple(sorted(scopes)))}"

    asked = {}
    for number, (method, path, body, _) in enumerate(MATRIX):
        asked.setdefault((method, urlsplit(path).path), (path, body, f"scope-key-{number}"))
    told = dict.fromkeys(asked)
    for method, pattern, scopes in documented():
        for own, (path, body, key) in asked.items():
            if own[0] != method or not re.fullmatch(pattern, own[1]) or told[own]:
                continue
            told[own] = scopes
            for allowed, is_refused in ((frozenset(scopes), False), (everything - {scopes[0]}, True)):
                headers = {KEY: key, "Authorization": token_of(allowed)}
                answer = client.request(method, path, json=body, headers=headers)
                assert (answer.status_code == 403) == is_refused, (own, allowed)
    assert [own for own, scopes in told.items() if not scopes] == []


def test_table_names_every_path(api):
    described = httpx.get(f"{api.address}/api/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    paths = [
        (method, re.sub(r"\{\w+\}", "[^/]+", path))
        for path, own in described["paths"].items()
        for method in own
    ]
    assert len(list(documented())) == len(paths)
    named = {(method.lower(), "/v1" + urlsplit(path).path) for method, path, _, _ in MATRIX}
    left = [
        (method, pattern)
        for method, pattern in paths
        if not any(method == own and re.fullmatch(pattern, path) for own, path in named)
    ]
    assert left == [
        ("post", "/v1/works"),
        ("post", "/v1/candidates/import"),
        ("post", "/v1/check/file"),
    ]  # files: below


def test_every_request_body_has_an_example(api):
    described = httpx.get(f"{api.address}/api/v1/openapi.json").json()
    schemas = described["components"]["schemas"]
    forms = {
        (path, kind): form
        for path, own in described["paths"].items()
        for call in own.values()
        for kind, form in call.get("requestBody", {}).get("content", {}).items()
        if kind != "multipart/form-data"  # a file
    }
    lacking = [
        key
        for key, form in forms.items()
        if not (form.get("example") or schemas[form["schema"]["$ref"].rpartition("/")[2]].get("examples"))
    ]
    assert (len(forms) > 20, lacking) == (True, [])


def test_without_a_token_nothing_is_answered(api):
    for method, path, body, _ in MATRIX:
        answer = api.client().request(method, path, json=body, headers={"Cookie": "pindna=x"})
        assert answer.status_code in {401, 429}, path
    with httpx.Client(base_url=api.address) as client:
        assert client.get("/api/docs").status_code == 200
    api.runtime.redis.flushdb()


def test_token_works_within_its_scopes_until_it_is_revoked(api):
    secret = api.add("analyst", "analyst", scopes=("works:read",))
    headers = {"Authorization": f"Bearer {secret}"}
    client = api.client()
    assert client.get("/works", headers=headers).status_code == 200
    assert client.get("/matches", headers=headers).status_code == 403
    stores = api.runtime.stores
    stores.tokens.revoke(stores.tokens.of_account("analyst")[-1].id, datetime.now(UTC))
    refused = client.get("/works", headers=headers)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")


def test_errors_are_problems(api):
    client = api.client("administrator")
    asked = [
        (client.get("/nothing"), 404),
        (client.get("/works/0"), 422),
        (client.get("/works?limit=201"), 422),
        (client.get("/works?cursor=x"), 422),
        (client.get("/matches?chars=many"), 422),
        (client.delete("/works"), 405),
        (client.post("/scans", json={}), 422),
        (client.post("/cases/c1/notes", content=b"{", headers={"Content-Type": "application/json"}), 422),
        (client.post("/cases/c1/notes", content=b"\xff", headers={"Content-Type": "application/json"}), 400),
        (client.post("/check/text", content=b'{"text": "x"}', headers={"Content-Type": "text/plain"}), 415),
        (client.post("/check/text", files={"file": ("a.txt", b"x")}), 415),
        (client.post("/check/file", json={}), 415),
        (client.post("/check/text", content=b" " * (5 * 1024 * 1024)), 413),
        (client.post("/check/text", content=iter([b" " * 1024 * 1024] * 5)), 413),
    ]
    for answer, status in asked:
        assert answer.status_code == status, answer.request.url
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json().keys() == {"type", "title", "status", "detail", "reason"}
    assert client.delete("/works").headers["allow"] == "GET"
    assert client.get("/nothing").json()["reason"] == "not-found"
    chinese = client.get("/works/99", headers={"Accept-Language": "zh"}).json()
    assert chinese["reason"] == "unknown-id"


def test_errors_are_in_chinese_and_name_fields_not_commands(api):
    client = api.client("administrator")
    chinese = {"Accept-Language": "zh"}
    asked = {
        "path.work_id：不得小于 1": client.get("/works/0", headers=chinese),
        "query.limit：不得大于 200": client.get("/works?limit=201", headers=chinese),
        "body.text：缺少这一项": client.post("/check/text", json={}, headers=chinese),
        "body.text：须为文本": client.post("/check/text", json={"text": 3}, headers=chinese),
        "/api/v1/nothing：该地址不存在": client.get("/nothing", headers=chinese),
        "/api/v1/works：该地址不支持此请求方法": client.delete("/works", headers=chinese),
        "排除匹配须说明理由，请写入字段 `because`。": client.put(
            "/matches/m5/decision", json={"state": "dismissed"}, headers=chinese
        ),
    }
    assert {answer.json()["detail"]: answer for answer in asked.values()}.keys() == asked.keys()
    english = client.put("/matches/m5/decision", json={"state": "dismissed"}).json()
    assert english["detail"] == "A dismissal needs a reason. Send it in the field `because`."


def test_bug_is_reported_without_its_details(api, monkeypatch):
    monkeypatch.setattr("analysis.queries.works.get_work", lambda *_: 1 / 0)
    answer = api.client("analyst").get("/works/1")
    assert (answer.status_code, answer.json()["reason"]) == (500, "unexpected")
    assert "division" not in answer.text


def test_repeated_request_with_an_idempotency_key_acts_once(api, monkeypatch):
    monkeypatch.setattr("analysis.notices.letter_files.print_pdf", lambda *_, **__: b"%PDF")
    client, stores = api.client("analyst"), api.runtime.stores
    wanted = {"case": "c1", "draft": True}
    first = client.post("/notices", json=wanted, headers={KEY: "a-key-of-mine"})
    again = client.post("/notices", json=wanted, headers={KEY: "a-key-of-mine"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    other = client.post("/notices", json={"case": "c2", "draft": True}, headers={KEY: "a-key-of-mine"})
    assert (other.status_code, other.json()["reason"]) == (422, "key-reused")
    assert len(list(stores.notices.listed())) == 1
    # What failed may be tried again with its key.
    failed = [client.post("/notices", json={"case": "c77"}, headers={KEY: "another-key"}) for _ in range(2)]
    assert [answer.status_code for answer in failed] == [404, 404]


def test_second_of_concurrent_equal_requests_has_to_wait(api, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_, **__):
        begun.set()
        go_on.wait(20)
        return api.runtime.stores.packages.get("PD-1")

    monkeypatch.setattr("analysis.actions.evidence.export", slow)
    answers = []

    def ask():
        sent = api.client("analyst").post(
            "/evidence/packages", json={"names": ["c1"]}, headers={KEY: "both-at-once"}
        )
        answers.append(sent.status_code)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(20)
    ask()
    go_on.set()
    thread.join()
    ask()
    assert answers == [409, 201, 201]


def test_package_is_fetched_under_a_safe_name(api):
    answer = api.client("holder").get("/evidence/packages/PD-1/file")
    assert answer.content == b"a package"
    assert answer.headers["content-disposition"] == 'attachment; filename="PD-1.zip"'
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["x-content-type-options"] == "nosniff"
    together = api.client("analyst").get("/evidence/together?of=PD-2&of=PD-1&of=PD-2")
    with zipfile.ZipFile(io.BytesIO(together.content)) as packed:
        assert packed.namelist() == ["PD-2.zip", "PD-1.zip", "SHA256SUMS"]
        assert packed.read("PD-1.zip") == b"a package"
    assert api.client("analyst").get("/evidence/together").status_code == 422
    shown = [own["number"] for own in api.client("holder").get("/evidence/packages").json()["items"]]
    assert shown == ["PD-1"]


def test_api_actions_are_audited(api):
    client, stores = api.client("analyst"), api.runtime.stores
    assert client.post("/cases/c2/notes", json={"text": "看过"}).status_code == 200
    assert client.put("/cases/c2/assignee", json={"to": "wu"}).json()["assignee"] == "wu"
    assert client.put("/cases/c2/deadline", json={"deadline": "2027-01-01T00:00:00Z"}).status_code == 200
    closed = client.post("/cases/c2/moves", json={"to": "closed", "because": "settled"}).json()
    assert (closed["state"], closed["reason"]) == ("closed", "settled")
    assert client.post("/cases/c2/moves", json={"to": "reopened"}).json()["state"] != "closed"
    events = client.get("/cases/c2/events").json()["items"]
    assert {"noted", "assigned", "deadline", "closed", "reopened"} <= {event["kind"] for event in events}
    assert {event["by"].partition(" ")[0] for event in events} <= {"analyst", "pindna"}
    told = [event for event in stores.events.of_case(0) if event.subject == "case c2"]
    assert len(told) >= 5
    seen = api.client("holder").get("/cases/c2/events").json()["items"]
    assert {event["kind"] for event in seen}.isdisjoint({"noted", "assigned", "deadline"})
    assert {(event["by"], event["because"]) for event in seen} == {("", "")}


def test_decision_needs_the_current_version_and_can_be_withdrawn(api):
    client = api.client("analyst")
    match = client.get("/matches/m5").json()
    assert match["review"] == "open"
    decided = client.put(
        "/matches/m5/decision", json={"state": "doubtful", "because": "?", "seen": match["version"]}
    )
    assert decided.status_code == 200
    stale = client.put("/matches/m5/decision", json={"state": "confirmed", "seen": match["version"]})
    assert stale.status_code in {200, 409}  # of a match without stretches nothing is decided
    assert client.delete("/matches/m5/decision").status_code == 200


def test_dismissals_are_listed_by_reason_and_withdrawn(api):
    key = decision_id("one.cn", "s2", 0, 1)
    given = {"passage_id": 2, "passage_sha256": "s2", "start": 0, "end": 1, "because": "公版", "by": "ana"}
    api.runtime.stores.decisions.save_many(
        [Decision(id=key, state="dismissed", site="one.cn", work_id=2, **given)]
    )
    client = api.client("analyst")
    (shown,) = client.get("/dismissals", params={"because": "公版"}).json()["items"]
    assert (shown["id"], shown["site"], shown["matches"]) == (key, "one.cn", [])
    assert client.get("/dismissals", params={"because": "别的"}).json()["items"] == []
    assert client.delete(f"/dismissals/{key}").status_code == 204
    assert client.get("/dismissals").json()["items"] == []
    assert acts_on(api, f"decision {key}") == ["take-back"]


def test_second_change_of_a_case_with_an_old_version_is_refused(api):
    client = api.client("analyst")
    seen = client.get("/cases/c1").json()["version"]
    assigned = client.put("/cases/c1/assignee", json={"to": "wu", "seen": seen})
    assert (assigned.status_code, assigned.json()["version"]) == (200, seen + 1)
    stale = client.post("/cases/c1/moves", json={"to": "removed", "because": "gone", "seen": seen})
    assert (stale.status_code, stale.json()["reason"]) == (409, "case-moved")
    assert "analyst" in stale.json()["detail"]
    assert client.post("/cases/c1/moves", json={"to": "new", "seen": seen + 1}).status_code == 422


def acts_on(api, subject):
    """Return what the audit log, as the API shows it, tells of something: the oldest act first."""
    rows = api.client("administrator").get("/audit", params={"subject": subject}).json()["items"]
    return [row["detail"]["act"] for row in reversed(rows)]


def test_work_is_loaded_once_changed_licensed_removed_and_brought_back(api):
    client = api.client("operator")
    path, told = "/works?holder=青灯文化", {KEY: "load-the-book"}
    file = {"file": ("新书.txt", f"第一章 起\n{story(500, 31)}\n第二章 承\n{story(500, 32)}".encode())}
    answers = [client.post(path, files=file, headers=told) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    (loaded,) = answers[0].json()["items"]
    assert (loaded["outcome"], loaded["title"], loaded["problem"]) == ("new", "新书", "")
    assert answers[1].content == answers[0].content
    assert answers[1].headers["idempotency-replayed"] == "true"
    other = client.post(f"{path}&role=earlier", files=file, headers=told)
    assert (other.status_code, other.json()["reason"]) == (422, "key-reused")
    again = client.post(path, files=file, headers={KEY: "load-it-again"}).json()["items"]
    assert [item["outcome"] for item in again] == ["unchanged"]
    twin = {"file": ("别名.txt", file["file"][1])}
    (alike,) = client.post(path, files=twin, headers={KEY: "by-another-name"}).json()["items"]
    assert (alike["outcome"], alike["reason"], alike["id"]) == ("alike", "alike-work", loaded["id"])
    assert (alike["key"], alike["own_title"], alike["title"]) == ("别名", "别名", "新书")
    for number, (wrong, reason) in enumerate(
        (("edition_of=1&no_edition=1", "edition-and-none"), ("key=别名", "keys-of-no-answer"))
    ):
        unclear = client.post(f"{path}&{wrong}", files=twin, headers={KEY: f"unclear-answer-{number}"})
        assert (unclear.status_code, unclear.json()["reason"]) == (422, reason)
    refused = client.post("/works", files={"file": ("a.txt", b"MZ\0\0")}, headers={KEY: "no-text-at-all"})
    assert [(item["outcome"], item["reason"]) for item in refused.json()["items"]] == [
        ("refused", "binary-file")
    ]

    work = f"/works/{loaded['id']}"
    changed = client.patch(work, json={"author": " 某人 ", "role": "earlier"}).json()
    assert (changed["title"], changed["author"], changed["holder"]) == ("新书", "某人", "青灯文化")
    assert changed["role"] == "earlier"
    assert client.patch(work, json={"holder": "x", "role": "background"}).status_code == 422
    assert client.patch(work, json={"titel": "x"}).status_code == 422
    licence = {"site": "reader.example", "last": "2027-12-31", "share": 0.5}
    granted = client.post(f"{work}/licences", json=licence, headers={KEY: "let-them-publish"})
    assert granted.status_code == 201
    (own,) = granted.json()["licences"]
    assert (own["site"], own["since"], own["share"]) == ("reader.example", None, 0.5)
    assert own["until"].startswith("2027-12-31T16:00")  # the end of the day in China
    known = client.post(f"{work}/licences", json=licence, headers={KEY: "let-them-again"})
    assert (known.status_code, known.json()["reason"]) == (409, "licence-known")
    assert client.delete(f"{work}/licences/reader.example").json()["licences"] == []
    assert client.delete(work).json()["status"] == "removed"
    removed = client.get("/works?status=removed").json()["items"]
    assert (client.get(work).status_code, [own["title"] for own in removed]) == (404, ["新书"])
    assert client.post(f"{work}/restoration").json()["title"] == "新书"
    assert acts_on(api, f"work {loaded['id']}") == [
        "add-work",
        "describe-work",
        "change-role",
        "grant-licence",
        "revoke-licence",
        "remove-work",
        "restore-work",
    ]


DEFINITION = 'name = "novels"\nkind = "novel"\nurls = ["https://novels.example/1/"]\n'


def test_source_is_added_tested_changed_with_its_version_and_removed(api, monkeypatch):
    client, toml = api.client("operator"), {"Content-Type": "application/toml"}
    added = client.post("/sources", content=DEFINITION, headers={**toml, KEY: "add-a-source"})
    assert added.status_code == 201
    known = client.post("/sources", content=DEFINITION, headers={**toml, KEY: "add-it-again"})
    assert (known.status_code, known.json()["reason"]) == (409, "known-source")
    assert client.get("/sources/novels").json()["start_urls"] == ["https://novels.example/1/"]
    shown = client.get("/sources/novels/definition").json()
    assert shown["version"] == added.json()["version"]
    wanted = {**shown["definition"], "access": {"cookies": {"session": "${PINDNA_SECRET_NOVELS}"}}}
    path = f"/sources/novels/definition?seen={shown['version']}"
    changed = client.put(path, json=wanted)
    assert changed.status_code == 200
    assert changed.json()["version"] != shown["version"]
    stale = client.put(path, json=wanted)
    assert (stale.status_code, stale.json()["reason"]) == (409, "source-changed")
    assert "PINDNA_SECRET_NOVELS" not in api.client("analyst").get("/sources/novels/definition").text
    assert client.put("/sources/novels/definition", json={**wanted, "name": "x"}).status_code == 422
    assert client.put("/sources/novels/enabled", json={"enabled": False}).json()["enabled"] is False

    monkeypatch.setattr(
        "analysis.actions.source_trials.probe",
        lambda source, **_: iter([ProbeStep(url=source.start_urls[0], asked="index")]),
    )
    (step,) = client.post("/sources/trial", content=DEFINITION, headers=toml).json()["steps"]
    assert (step["url"], step["asked"]) == ("https://novels.example/1/", "index")
    assert client.delete("/sources/novels").status_code == 204
    assert client.get("/sources/novels").status_code == 404
    saved = ["save-source", "save-source", "disable-source", "remove-source"]
    assert acts_on(api, "source novels") == saved


@pytest.mark.parametrize(
    ("body", "form", "status"),
    [
        (b"name = ", "application/toml", 422),
        (b"a = " + b"[" * 9_000, "application/toml", 422),
        (b"\xff", "application/toml", 422),
        (b"[" * 9_000, "application/json", 422),
        (b"[]", "application/json", 422),
        (b"", "application/json", 422),
        (b'{"name": "x", "urls": ["ftp://x"]}', "application/json", 422),
        (DEFINITION.encode(), "text/plain", 415),
        (DEFINITION.encode(), "", 415),
    ],
)
def test_definition_that_is_none_is_refused_in_a_line(api, body, form, status):
    headers = {"Content-Type": form} if form else {}
    answer = api.client("operator").post("/sources/trial", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert "\n" not in answer.json()["detail"]


def test_too_many_requests_are_refused_for_their_token_alone(api, monkeypatch):
    server = api.runtime.settings.analysis.server
    monkeypatch.setattr(type(server), "requests_per_minute", 3, raising=False)
    monkeypatch.setitem(server.__dict__, "requests_per_minute", 3)
    secret = api.add("other", "holder")
    headers = {"Authorization": f"Bearer {secret}"}
    answers = [api.client().get("/works", headers=headers) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert 0 < int(answers[-1].headers["retry-after"]) <= 60
    assert answers[-1].json()["reason"] == "too-often"
    assert api.client("other").get("/works").status_code == 200


def test_list_is_walked_while_rows_are_added(api):
    stores, client = api.runtime.stores, api.client("administrator")
    moment = datetime(2026, 1, 1, tzinfo=UTC)

    def add(numbers):
        stores.database["cases"].insert_many(
            to_document(
                Case(
                    id=f"{number}@walk.cn",
                    work_id=number,
                    work_title="",
                    site="walk.cn",
                    verdict="quote",
                    pages=1,
                    passages=1,
                    copied_chars=number % 11,
                    first_seen=moment,
                    last_seen=moment,
                    number=number,
                )
            )
            for number in numbers
        )

    add(range(1000, 1100))
    seen, cursor, more = [], "", 5000
    while True:
        part = client.get("/cases", params={"site": "walk.cn", "limit": 17, "cursor": cursor}).json()
        seen += [case["name"] for case in part["items"]]
        if part["next"] is None:
            break
        cursor, more = part["next"], more + 3
        add(range(more, more + 3))
    assert len(seen) == len(set(seen))
    assert {f"c{number}" for number in range(1000, 1100)} <= set(seen)
    stores.database["cases"].delete_many({"site": "walk.cn"})


def test_description_for_people_is_of_this_machine_alone(api):
    page = httpx.get(f"{api.address}/api/docs")
    assert "script-src 'self';" in page.headers["content-security-policy"]
    named = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(named) == 3
    for path in named:
        assert path.startswith("/api/docs/")
        assert httpx.get(f"{api.address}{path}").status_code == 200
    assert '"/api/v1/openapi.json"' in httpx.get(f"{api.address}/api/docs/begin.js").text


def _calls(api):
    schema = schemathesis.openapi.from_url(f"{api.address}/api/v1/openapi.json")
    return [result.ok() for result in schema.get_all_operations()]


def _attack(api, examples):
    """Send what the description allows, and what it does not; the answer must be one that it names."""
    headers = {"Authorization": f"Bearer {api.secrets['administrator']}"}
    for operation in _calls(api):
        _attack_one(operation, headers, examples)


def _attack_one(operation, headers, examples):
    @given(case=operation.as_strategy())
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def attack(case):
        case.headers = {**(case.headers or {}), **headers}
        answer = case.call(timeout=30)
        assert answer.status_code != 500, operation.label
        # A cursor and bounds are texts of which the description cannot say all.
        case.validate_response(answer, excluded_checks=[positive_data_acceptance])

    attack()


def _unlimited(api, monkeypatch):
    """Let nothing be refused for coming too often; start no process for what was made up."""
    monkeypatch.setattr("analysis.actions.source_trials.probe", lambda *_, **__: iter([]))
    monkeypatch.setattr("analysis.api.routes.works.add_file", lambda *_, **__: ())
    server = api.runtime.settings.analysis.server
    monkeypatch.setitem(server.__dict__, "requests_per_minute", 1_000_000)
    monkeypatch.setattr("analysis.api.services._REFUSED", Limit("api-refused", times=1_000_000, period_s=60))


def test_api_is_as_it_describes_itself(attacked_api):
    _attack(attacked_api, 1)


@pytest.mark.long
def test_api_is_as_it_describes_itself_at_length(attacked_api):
    _attack(attacked_api, 60)


def test_holder_facts_of_notices_are_read_and_changed(api):
    client, path = api.client("analyst"), "/holders/某社 A%2FB"
    assert client.get(path).json()["address"] == ""
    facts = {"address": "某路\n1 号", "email": "rights@holder.example"}
    changed = client.put(path, json=facts).json()
    assert (changed["name"], changed["address"]) == ("某社 A/B", "某路 1 号")
    assert client.get(path).json() == changed
    assert client.put(path, json={"contact": "王"}).json()["email"] == ""
    refused = client.put(path, json={"fax": "1"})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
    row = api.client("administrator").get("/audit").json()["items"][0]
    assert (row["by"].split()[0], row["subject"]) == ("analyst", "holder 某社 A/B")

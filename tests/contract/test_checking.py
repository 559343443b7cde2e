"""Check a text on the real servers: results, permissions and refusals."""

from types import SimpleNamespace

import pytest
from support.matches import match_with
from support.strategies import story
from support.webserver import article, web_site

from analysis.accounts.permissions import Identity, NotPermitted, identity_of
from analysis.actions.check import (
    MAX_CHARS,
    MAX_FILE_BYTES,
    FileTooLong,
    NotAnAddress,
    TextTooLong,
    check_address,
    check_file,
    check_text,
)
from analysis.api.models.check import Checked as CheckedAnswer
from analysis.queries.page_evidence import body_of_match, captures_of_match, records_of_match
from crawler.extraction.result import ExtractedPage
from crawler.sources.fetching import CannotFetch, fetch
from storage.records import Account, Page, RestPiece, Snapshot, utc_now
from storage.servers.throttle import TooOften
from system.errors import UnknownId
from tracker.corpus.texts import BinaryFile, NoHanText
from tracker.indexing.adding import index_works
from tracker.runtime import Runtime
from tracker.scans.scanning import NothingToCompareWith

pytestmark = pytest.mark.services
TEXT, OTHER = story(900, 1), story(900, 2)
ANA = identity_of(Account(name="ana", role="analyst"))
OPERATOR = identity_of(Account(name="op", role="operator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=("某社",)))


@pytest.fixture
def runtime(stores, guard, settings, redis_client):
    """A running installation without works."""
    return Runtime(settings, stores, redis_client, guard, queue=None)


@pytest.fixture
def works(runtime, stores, guard, save_work):
    """Two works of two holders."""
    works = [save_work(1, {1: TEXT}, holder="某社"), save_work(2, {2: OTHER}, holder="长河书局")]
    assert index_works(works, stores, guard.index())
    return runtime


def test_check_counts_unindexed_works_that_the_user_may_view(works, stores, save_work):
    assert check_text(ANA, works, OTHER).left_out == 0
    for number, holder in enumerate(("某社", "长河书局", None), 3):
        save_work(number, {number: story(300, number)}, holder=holder)
    stores.works.mark_failed(5)
    assert [check_text(identity, works, story(300, 3)).left_out for identity in (ANA, HOLDER)] == [3, 1]


def test_checked_text_is_not_stored(works, stores):
    kept = ("pages", "matches", "events", "snapshots")
    before = {name: stores.database[name].estimated_document_count() for name in kept}
    checked = check_text(ANA, works, f"{TEXT[:500]}\r\n{OTHER[:300]}", name="pasted")
    assert checked.text == f"{TEXT[:500]}\n{OTHER[:300]}"
    found = checked.comparison
    assert {match.work.id for match in found.matches} == {1, 2}
    assert found.verdict == "copy"
    for match in found.matches:
        for span in match.spans:
            assert checked.text[span.page_start : span.page_end] in (TEXT + OTHER)
    assert before == {name: stores.database[name].estimated_document_count() for name in before}


def test_check_shows_a_holder_no_works_of_other_holders(works):
    found = check_text(HOLDER, works, TEXT[:100] + OTHER[:600]).comparison
    assert {match.work.id for match in found.matches} == {1}
    assert found.copied_chars <= 110
    assert found.background == ()
    assert check_text(HOLDER, works, OTHER).comparison.verdict == "clear"


def test_uploaded_file_of_any_format_is_read(works):
    paragraphs = "".join(f"<p>　　{TEXT[at : at + 90]}。</p>" for at in range(0, 900, 90))
    head = "<head><meta charset='gb18030'><title>渡</title></head>"
    page = f"<html>{head}<body><div>{paragraphs}</div></body></html>"
    checked = check_file(ANA, works, page.encode("gb18030"), name="../saved.html")
    assert checked.name == "saved.html"
    assert checked.comparison.verdict == "copy"
    assert check_file(ANA, works, TEXT.encode("gb18030"), name="a.txt").text == TEXT


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda runtime: check_text(ANA, runtime, "字" * (MAX_CHARS + 1)), TextTooLong),
        (lambda runtime: check_text(ANA, runtime, "no Chinese here, 123"), NoHanText),
        (lambda runtime: check_file(ANA, runtime, bytes(MAX_FILE_BYTES + 1), name="a.txt"), FileTooLong),
        (lambda runtime: check_file(ANA, runtime, b"\x7fELF\0\0\1\2" * 50, name="a.txt"), BinaryFile),
        (lambda runtime: check_address(ANA, runtime, "javascript:alert(1)"), NotAnAddress),
        (lambda runtime: check_address(ANA, runtime, "http://user@a.cn/"), NotAnAddress),
        (lambda runtime: check_address(ANA, runtime, f"http://a.cn/{'a' * 3000}"), NotAnAddress),
        (lambda runtime: check_text(ANA, runtime, TEXT), NothingToCompareWith),
        (lambda runtime: check_address(ANA, runtime, "http://a.cn/"), NothingToCompareWith),
    ],
)
def test_uncheckable_input_is_refused(runtime, act, problem):
    with pytest.raises(problem):
        act(runtime)


@pytest.mark.parametrize("identity", [ANA, HOLDER])
def test_check_of_an_address_ignores_allow_inner(works, monkeypatch, identity):
    monkeypatch.setenv("PINDNA_CRAWLER__ALLOW_INNER", '["127.0.0.1"]')
    monkeypatch.setenv("PINDNA_CRAWLER__DELAY_S", "0")
    with web_site({"/1.html": article("渡口")}) as site:
        with pytest.raises(CannotFetch) as refused:
            check_address(identity, works, f"{site.url}/1.html")
        assert refused.value.data["reason"] == "inner-address"
        assert site.asked == []
        assert fetch(f"{site.url}/1.html").body  # an operator's own commands still reach it


@pytest.fixture
def read_as(monkeypatch):
    """A function that sets the result of reading a page from now on."""

    def read(**fields):
        page = ExtractedPage(**{"kind": "article", "encoding": "utf-8", **fields})
        readers = SimpleNamespace(ask=lambda *_, **__: page)
        monkeypatch.setattr("analysis.actions.check.readers_with", lambda _: readers)

    return read


PIECES = (
    RestPiece(start=0, end=900, reason="hidden", place="body > div.a"),
    RestPiece(start=900, end=1800, reason="script"),
)


def test_rest_is_compared_and_unread_content_is_reported(works, read_as):
    read_as(text=story(300, 9), rest=TEXT + OTHER, rest_pieces=PIECES, unread={"frames": 2})
    checked = check_file(ANA, works, b"<html>", name="a.html")
    assert (checked.comparison.verdict, checked.comparison.is_doubtful) == ("copy", True)
    assert checked.text_of("rest") == TEXT + OTHER
    answer = CheckedAnswer.of(checked)
    assert (answer.chars, answer.rest_chars, answer.coverage) == (300, 1800, 0)
    assert answer.unread == {"frames": 2}
    assert answer.is_doubtful
    places = {match.work_id: [place.reason for place in match.found_in] for match in answer.matches}
    assert places == {1: ["hidden"], 2: ["script"]}
    assert {match.part for match in answer.matches} == {"rest"}


def test_rest_also_shows_a_holder_only_works_of_that_holder(works, read_as):
    read_as(text=TEXT, rest=OTHER, rest_pieces=PIECES[:1])
    checked = check_file(HOLDER, works, b"<html>", name="a.html").comparison
    assert [(match.work.id, match.part) for match in checked.matches] == [(1, "article")]
    assert (checked.verdict, checked.rest_verdict, checked.is_doubtful) == ("copy", "clear", False)
    read_as(text=OTHER, rest=TEXT, rest_pieces=PIECES[:1])
    checked = check_file(HOLDER, works, b"<html>", name="a.html").comparison
    assert [(match.work.id, match.part) for match in checked.matches] == [(1, "rest")]
    assert (checked.verdict, checked.rest_verdict, checked.is_doubtful) == ("copy", "copy", True)
    assert (checked.coverage, checked.copied_chars) == (0, 0)


def test_check_needs_a_permission_and_has_a_rate_limit(runtime):
    with pytest.raises(NotPermitted):
        check_text(Identity(ANA.account, frozenset()), runtime, TEXT)
    for _ in range(60):
        with pytest.raises(NotAnAddress):
            check_address(HOLDER, runtime, "x")
    with pytest.raises(TooOften):
        check_address(HOLDER, runtime, "x")


def test_stored_page_needs_access_to_its_match(stores, save_work):
    save_work(1, {1: TEXT}, holder="某社")
    save_work(2, {2: OTHER}, holder="长河书局")
    own, other = "a" * 64, "b" * 64
    for sha256 in (own, other):
        body = b"<html><body>x</body></html>"
        fields = {"url": "http://a.cn/1", "status": 200, "headers": b"", "fetched": utc_now()}
        stores.snapshots.save(Snapshot(sha256=sha256, body=body, **fields))
    page = Page(
        id="p1", url="http://a.cn/1", host="a.cn", source="x", kind="article", text=TEXT, snapshots=(own,)
    )
    stores.pages.see_many([page])
    stores.matches.replace_for_pages({"p1": [match_with(id="p1:1", page_id="p1", url=page.url, work_id=1)]})
    copied = match_with(id="p2:2", page_id="p2", url="http://a.cn/2", passage_id=2, work_id=2)
    stores.matches.replace_for_pages({"p2": [copied]})
    assert body_of_match(HOLDER, stores, "p1:1", own).exchange.body.startswith(b"<html>")
    with pytest.raises(UnknownId):  # of another page
        body_of_match(HOLDER, stores, "p1:1", other)
    with pytest.raises(UnknownId):  # of another's work
        body_of_match(HOLDER, stores, "p2:2", own)
    with pytest.raises(NotPermitted):
        body_of_match(OPERATOR, stores, "p1:1", own)
    with pytest.raises(NotPermitted):
        records_of_match(OPERATOR, stores, "p1:1", own)
    (match,) = stores.matches.of_page("p1")
    (kept,) = captures_of_match(HOLDER, stores, match, page)
    assert (kept.facts.state, kept.entry) == ("missing", None)

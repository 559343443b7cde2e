"""The stored data of an address, for users with permission."""

from dataclasses import replace

import pytest
from support.captures import keep_captures
from support.matches import match_with
from support.two_holders import LAMP, fill

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.queries.page_captures import checked_captures, exchange_of, fetches_of, records_of
from analysis.queries.page_history import history_of
from storage.records import Account, Page
from system.errors import UnknownRecord

pytestmark = pytest.mark.services
ROOT = identity_of(Account(name="root", role="administrator"))
ANALYST = identity_of(Account(name="an", role="analyst"))
OPERATOR = identity_of(Account(name="op", role="operator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))
NOTHING = replace(ANALYST, permissions=frozenset())


@pytest.fixture
def world(stores):
    """Pages of two holders, one of them with captures."""
    fill(stores)
    return stores


def test_address_without_its_scheme_is_accepted(world):
    page = Page(id="p", url="https://news.cn/1", host="news.cn", source="portal", kind="article", text="文")
    world.pages.see_many([page])
    for text in ("https://news.cn/1", "news.cn/1"):
        history = history_of(ROOT, world, text)
        assert (history.url, [own.id for own in history.versions]) == ("https://news.cn/1", ["p"])
    with pytest.raises(UnknownRecord, match="no page called"):
        history_of(ROOT, world, "news.cn/2")


def test_history_and_evidence_need_different_permissions(world):
    with pytest.raises(NotPermitted):
        history_of(NOTHING, world, "a")
    for read in (
        lambda: fetches_of(OPERATOR, world, "a"),
        lambda: exchange_of(OPERATOR, world, "0" * 64, []),
        lambda: records_of(OPERATOR, world, "", []),
        lambda: list(checked_captures(OPERATOR, world, [])),
    ):
        with pytest.raises(NotPermitted):
            read()


def test_holders_see_pages_with_matches_of_their_works_alone(world):
    captures = keep_captures(world, 2)
    with_match, without = (capture.url for capture in captures)
    page = Page(id="x", url=with_match, host="x.example", source="portal", kind="article", state="compared")
    other = replace(page, id="y", url=without)
    world.pages.see_many([page, other])
    found = match_with(id="x:1:novel", page_id="x", passage_id=1, work_id=1, site="x.example", url=with_match)
    world.matches.replace_for_pages({"x": [found]})
    assert [own.id for own in history_of(HOLDER, world, with_match).versions] == ["x"]
    (fetch,) = fetches_of(HOLDER, world, with_match)
    assert exchange_of(HOLDER, world, fetch.sha256, [fetch]).body == b"<p>0</p>"
    assert records_of(HOLDER, world, fetch.sha256, [fetch]) == records_of(HOLDER, world, "", [fetch])
    assert [own.state for own in checked_captures(HOLDER, world, [with_match])] == ["unchanged"]
    for read in (history_of, fetches_of):
        with pytest.raises(UnknownRecord, match="no page called"):
            read(HOLDER, world, without)
        assert read(ANALYST, world, without)
    with pytest.raises(UnknownRecord, match="no snapshot called"):
        exchange_of(HOLDER, world, captures[1].sha256, [fetch])
    with pytest.raises(NotPermitted):
        list(checked_captures(HOLDER, world, []))
    assert len(list(checked_captures(ANALYST, world, []))) == 2
    with pytest.raises(UnknownRecord, match="no page called"):
        list(checked_captures(ANALYST, world, ["nowhere.cn"]))

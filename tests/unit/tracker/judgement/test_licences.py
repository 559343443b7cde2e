"""Licences: each term by itself, and which of several counts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from storage.records import SiteLicence, Work
from system.errors import UnknownRecord
from tracker.judgement.licences import (
    Facts,
    best,
    grant,
    is_attributed,
    licence_state,
    may_publish,
    revoke,
    worst,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WORK = Work(id=1, key="k", title="青灯渡", kind="novel", origin="", author="沈渡", holder="示例文化")


def state(*licences, site="a.cn", text="正文", share=0.5, seen=NOON, bylines=(), work=WORK, sites=()):
    licensed = Work(
        **{
            **{
                name: getattr(work, name)
                for name in ("id", "key", "title", "kind", "origin", "author", "holder")
            },
            "licences": licences,
            "licensed_sites": sites,
        }
    )
    facts = Facts(site=site, bylines=bylines, last_seen=seen)
    return licence_state(
        licensed, facts, text=text, copied=np.zeros(len(text), dtype=bool), share=share, now=NOON
    )


@pytest.mark.parametrize(
    ("pattern", "site", "expected"),
    [
        ("a.cn", "a.cn", True),
        ("a.cn", "A.cn", True),
        ("a.cn", "b.a.cn", False),
        ("a.cn", "a.cn:8080", False),
        ("*.a.cn", "b.a.cn", True),
        ("*.a.cn", "c.b.a.cn", True),
        ("*.a.cn", "a.cn", True),
        ("*.a.cn", "xa.cn", False),
        ("a.cn:*", "a.cn:8080", True),
        ("*", "", False),
    ],
)
def test_sites_match_patterns(pattern, site, expected):
    assert may_publish(SiteLicence(site=pattern), site) is expected


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ({}, "licensed"),
        ({"since": NOON}, "licensed"),
        ({"since": NOON + DAY}, "not-begun"),
        ({"until": NOON + DAY}, "licensed"),
        ({"until": NOON}, "expired"),
        ({"share": 0.5}, "licensed"),
        ({"share": 0.49}, "beyond-licence"),
        ({"attribution": True}, "no-attribution"),
        ({"attribution": True, "until": NOON}, "expired"),
        ({"attribution": True, "share": 0.1}, "no-attribution"),
    ],
)
def test_every_licence_term_is_checked(licence, expected):
    assert state(SiteLicence(site="a.cn", **licence)) == expected


def test_another_site_has_no_licence():
    assert state(SiteLicence(site="a.cn"), site="b.cn") == ""
    assert state(SiteLicence(site="*"), site="") == ""
    assert state() == ""


def test_licensed_site_is_a_licence_without_terms():
    assert state(sites=("a.cn",)) == "licensed"
    assert state(SiteLicence(site="a.cn", until=NOON), sites=("a.cn",)) == "licensed"


def test_kindest_of_several_licences_counts():
    long_ago = SiteLicence(site="a.cn", until=NOON - DAY)
    assert state(long_ago, SiteLicence(site="*.cn", share=0.1)) == "beyond-licence"
    assert state(long_ago, SiteLicence(site="*.cn")) == "licensed"
    assert best([]) == worst([]) == ""
    assert worst(["licensed", "beyond-licence"]) == "beyond-licence"
    assert worst(["licensed", "licensed"]) == "licensed"
    assert worst(["licensed", ""]) == ""


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("来源：示例文化",), True),
        (("作者：沈渡",), True),
        (("《青燈渡》第一章",), True),
        (("來源：示例文化",), True),
        (("别的话", "某某网"), False),
        ((), False),
    ],
)
def test_attribution_names_title_author_or_holder_in_either_script(texts, expected):
    assert is_attributed(WORK, text="", unshared="", bylines=texts) is expected
    if texts:
        attributed = SiteLicence(site="a.cn", attribution=True)
        told = "licensed" if expected else "no-attribution"
        assert state(attributed, text=texts[0]) == state(attributed, bylines=texts) == told


def test_title_within_copied_text_gives_no_attribution_but_an_author_does():
    story, byline = "他走到青灯渡，天已黑了。", "文／沈渡"
    assert is_attributed(WORK, text=story, unshared=story, bylines=())
    assert not is_attributed(WORK, text=story, unshared="", bylines=())
    assert is_attributed(WORK, text=story + byline, unshared="", bylines=())
    assert is_attributed(WORK, text=story, unshared="", bylines=("青灯渡 第一章",))


def test_single_character_and_blank_names_give_no_attribution():
    short = replace(WORK, title="家", author=None, holder="甲")
    assert not is_attributed(short, text="甲在家", unshared="甲在家", bylines=("甲在家",))
    assert is_attributed(replace(short, title="回家"), text="", unshared="他回家了", bylines=())


def test_page_that_no_crawl_saw_is_judged_now():
    ended = SiteLicence(site="a.cn", until=NOON)
    assert state(ended, seen=None) == "expired"
    assert state(replace(ended, until=NOON + DAY), seen=None) == "licensed"
    assert state(ended, seen=NOON - DAY) == "licensed"


def licences_after(change, *licences, sites=()):
    """The licensed sites and the licences of a work after a change of them."""
    stored, requests = [], []
    work = replace(WORK, licences=licences, licensed_sites=sites)
    works = SimpleNamespace(
        change_licences=lambda _id, change: stored.append(change(work)),
        of_book=lambda _id: [work],
    )
    versions = SimpleNamespace(current=lambda: 7)
    rejudgings = SimpleNamespace(request=lambda _work, site, *, version: requests.append((site, version)))
    change(work, SimpleNamespace(works=works, versions=versions, rejudgings=rejudgings))
    assert requests == [("a.cn", 7)]
    (changed,) = stored
    return changed


def test_granted_licence_replaces_only_the_licence_of_its_site():
    old, new = SiteLicence(site="a.cn", share=0.1), SiteLicence(site="a.cn", share=0.5)
    other = SiteLicence(site="b.cn")
    changed = licences_after(
        lambda work, stores: grant(work, new, stores, replace=True), old, other, sites=("a.cn", "c.cn")
    )
    assert changed == (["c.cn"], [other, new])


def test_further_licence_is_added_to_the_licence_of_its_site():
    old, new = SiteLicence(site="a.cn", until=NOON), SiteLicence(site="a.cn", since=NOON + DAY)
    changed = licences_after(
        lambda work, stores: grant(work, new, stores, replace=False), old, sites=("c.cn",)
    )
    assert changed == (["c.cn"], [old, new])


def test_revoked_licence_is_removed_and_the_rest_stay():
    own, other = SiteLicence(site="a.cn"), SiteLicence(site="b.cn")
    changed = licences_after(lambda work, stores: revoke(work, "a.cn", stores), own, other, sites=("c.cn",))
    assert changed == (["c.cn"], [other])
    with pytest.raises(UnknownRecord):
        licences_after(lambda work, stores: revoke(work, "d.cn", stores), own)

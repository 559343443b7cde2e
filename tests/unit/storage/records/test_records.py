"""Records: what they derive from their fields."""

from support.matches import match_with

from storage.records import AMPLE_BITS, CUT_OFF, FREE, VERDICTS, Crawl, SiteLicence, Work
from storage.records.times import utc_now


def crawl(**fields):
    return Crawl(id="s:x", scan_id="s", source="x", **fields)


def test_licensed_site_is_a_licence_without_terms():
    terms = SiteLicence(site="b.cn", attribution=True)
    work = Work(id=1, key="k", title="", kind="news", origin="", licensed_sites=("a.cn",), licences=(terms,))
    assert work.permissions == (SiteLicence(site="a.cn"), terms)
    assert SiteLicence(site="a.cn").since is SiteLicence(site="a.cn").until is None


def test_unvisited_addresses_are_counted_by_the_end_of_the_crawl():
    addresses = {"entries": 9, "left": 3, "beyond": 2}
    assert crawl(addresses=addresses, end="time").left == {"time": 3, "limit": 2}
    for end in ("", "finished"):
        assert crawl(addresses=addresses, end=end).left == {"unfinished": 3, "limit": 2}
    assert crawl(addresses={"left": 0, "beyond": 0}, end="time").left == {}
    assert crawl().left == {}


def test_omissions_from_lists_are_counted_by_reason():
    counts = {name: number for number, name in enumerate(CUT_OFF.values())}
    assert crawl(counts={**counts, "pages": 7}).cut_off == {
        "depth": 1,
        "traps": 2,
        "catalogue": 3,
        "no-texts": 4,
        "too-many": 5,
        "long-address": 6,
        "cut-short": 7,
        "searches-budget": 8,
        "searches-refused": 9,
        "searches-failed": 10,
        "searches-empty": 11,
        "searches-partial": 12,
    }
    assert CUT_OFF["lists"] == "left:lists"


def test_verdicts_go_from_the_gravest_to_the_mildest():
    assert VERDICTS == ("copy", "partial", "reworded", "licensed", "quote", "common", "clear")


def test_free_lease_ended_long_ago_and_moments_are_of_utc():
    assert (FREE.token, FREE.taken, FREE.until.year) == ("", False, 1970)
    assert FREE.until < utc_now()
    assert utc_now().utcoffset().total_seconds() == 0


def test_information_of_a_match_is_that_of_its_copied_characters():
    copied = match_with(copied_chars=300, information=(6.25, 7.0, 5.5))
    assert copied.information_bits == 1875
    assert match_with(copied_chars=300).information_bits is None
    assert match_with(copied_chars=300, information=(AMPLE_BITS, 7.0, 5.5)).information_bits is None

"""Pages of tries: for who tried, and not for long."""

from analysis.console.trial_pages import TrialPages


def test_a_page_is_for_the_account_that_tried():
    pages = TrialPages()
    name = pages.keep("op", "<p>a</p>")
    assert pages.get("op", name) == "<p>a</p>"
    assert pages.get("ana", name) is None
    assert pages.get("", "none") is None
    assert pages.get("op", "none") is None


def test_the_eldest_pages_go_first_and_what_is_kept_is_bounded():
    pages = TrialPages()
    names = [pages.keep("op", "x" * 1_000_000) for _ in range(25)]
    kept = [pages.get("op", name) is not None for name in names]
    assert kept == [False] * 5 + [True] * 20

"""Pages of tries: for who tried, and not for long."""

from analysis.console.trial_pages import TrialPages


def test_trial_page_is_visible_only_to_its_account():
    pages = TrialPages()
    name = pages.keep("op", "<p>a</p>")
    assert pages.get("op", name) == "<p>a</p>"
    assert pages.get("ana", name) is None
    assert pages.get("", "none") is None
    assert pages.get("op", "none") is None


def test_oldest_pages_are_dropped_first_and_the_rest_is_bounded():
    pages = TrialPages()
    names = [pages.keep("op", "x" * 1_000_000) for _ in range(25)]
    kept = [pages.get("op", name) is not None for name in names]
    assert kept == [False] * 5 + [True] * 20

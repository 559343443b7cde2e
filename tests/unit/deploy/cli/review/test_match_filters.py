"""Which matches a list is about, and in which order."""

from types import SimpleNamespace

from support.matches import match_with

from deploy.cli.review.match_filters import MatchFilter, select
from storage.records import VERDICTS

MATCHES = [
    match_with(id="licensed", verdict="licensed", copied_chars=9000),
    match_with(id="short", verdict="copy", copied_chars=900),
    match_with(id="quote", verdict="quote", copied_chars=5000),
    match_with(id="long", verdict="copy", copied_chars=3000),
    match_with(id="partial", verdict="partial", copied_chars=8000),
    match_with(id="done", verdict="copy", copied_chars=7000, review="confirmed"),
]


def _names(**conditions):
    def listed(*, work_id, site, review, verdicts):
        assert work_id is site is None
        wanted = [match for match in MATCHES if match.verdict in verdicts and review in (None, match.review)]
        return sorted(wanted, key=lambda match: (VERDICTS.index(match.verdict), -match.copied_chars))

    stores = SimpleNamespace(matches=SimpleNamespace(listed=listed))
    return [match.id for match in select(MatchFilter(**conditions), SimpleNamespace(stores=stores))]


def test_the_gravest_verdict_comes_first_and_then_the_most_copied():
    assert _names() == ["done", "long", "short", "partial", "licensed", "quote"]


def test_a_licensed_match_is_no_open_work_unless_asked_for():
    assert _names(state="open") == ["long", "short", "partial", "quote"]
    assert _names(verdict="licensed") == _names(verdict="licensed", state="open") == ["licensed"]

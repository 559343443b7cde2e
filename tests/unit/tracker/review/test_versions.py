"""What names a version of a match, as somebody saw it who decides about it."""

from dataclasses import replace

from support.matches import match_with

from storage.records import MatchDecision, Span, utc_now
from tracker.review.versions import has_other_decisions, review_version

SPAN = Span(page_start=0, page_end=9, passage_start=3, passage_end=12, char_identity=1.0, sound_identity=1.0)
DECIDED = MatchDecision(
    decision_id="d",
    state="confirmed",
    start=3,
    end=12,
    because="",
    by="an",
    made=utc_now(),
    page_id="p",
    page_seen=None,
    url="u",
)
MATCH = match_with(spans=(SPAN,))


def test_version_changes_with_stretches_and_with_decisions():
    longer = match_with(spans=(replace(SPAN, passage_end=13),))
    decided = match_with(spans=(SPAN,), decided=(DECIDED,))
    otherwise = match_with(spans=(SPAN,), decided=(replace(DECIDED, state="dismissed"),))
    assert len({review_version(match) for match in (MATCH, longer, decided, otherwise)}) == 4
    assert has_other_decisions(decided, review_version(MATCH))
    assert not has_other_decisions(longer, review_version(MATCH))


def test_version_ignores_later_sights_and_the_order_of_stretches():
    other = replace(SPAN, passage_start=20, passage_end=30)
    seen = match_with(spans=(SPAN, other), last_seen=utc_now(), because="", scan_id="s")
    assert review_version(seen) == review_version(match_with(spans=(other, SPAN)))


def test_version_depends_only_on_fields_visible_to_holders():
    """Holders do not see reasons and names; the version is the same without them."""
    decided = match_with(spans=(SPAN,), decided=(DECIDED,))
    shown = match_with(spans=(SPAN,), decided=(replace(DECIDED, by="", because=""),))
    assert review_version(decided) == review_version(shown)

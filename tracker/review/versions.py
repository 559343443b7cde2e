"""Versions of a match, to refuse a decision if the match changed after it was displayed."""

import hashlib

from storage.records import Match


def review_version(match: Match) -> str:
    """Return a digest of a match's stretches and its decisions, 33 characters.

    It changes with the stretches of the passage and with every decision on them, and with nothing else.

    Args:
        match: as it was read.
    """
    spans = [*match.spans, *(suppressed.span for suppressed in match.suppressed)]
    places = sorted((span.passage_start, span.passage_end) for span in spans)
    decided = sorted(
        (decision.decision_id, decision.state, decision.made.isoformat()) for decision in match.decided
    )
    return f"{_json_digest((match.passage_id, match.verdict, places))}.{_json_digest(decided)}"


def has_other_decisions(match: Match, shown_version: str) -> bool:
    """Return whether decisions on a match were made or undone since the displayed version."""
    return review_version(match).partition(".")[2] != shown_version.partition(".")[2]


def _json_digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]

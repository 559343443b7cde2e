"""What somebody saw of a match when deciding about it: of what has changed since, the decision is refused."""

import hashlib

from storage.records import Match


def review_version(match: Match) -> str:
    """Return a name for what a match is and for what is decided about it, 33 characters.

    It changes with the stretches of the passage and with every decision on them, and with nothing else.

    Args:
        match: as it was read.
    """
    spans = [*match.spans, *(suppressed.span for suppressed in match.suppressed)]
    places = sorted((span.passage_start, span.passage_end) for span in spans)
    decided = sorted(
        (decision.decision_id, decision.state, decision.made.isoformat()) for decision in match.decided
    )
    return f"{_digest((match.passage_id, match.verdict, places))}.{_digest(decided)}"


def has_other_decisions(match: Match, shown_version: str) -> bool:
    """Return whether decisions on a match were made or taken back since a version of it was seen."""
    return review_version(match).partition(".")[2] != shown_version.partition(".")[2]


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]

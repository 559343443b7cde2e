"""Descriptions of decisions about a match: state, origin, user and reason."""

from collections.abc import Iterator
from datetime import tzinfo

from analysis.words.i18n import N_, Translator
from analysis.words.labels import REVIEWS, word
from storage.records import Match, MatchDecision, meaning_of, moment_text

_NOT_NEEDED = N_("No decision needed")
_PARTLY_OPEN = N_("Open in part")
_INHERITED = N_("{state} (inherited)")
_FROM_VERSION = N_("{state}; inherited from the version of {date}")
_FROM_EARLIER = N_("{state}; inherited from an earlier version")
_FROM_PAGE = N_("{state}; inherited from another page of the site: {url}")
_STRETCH = N_("passage characters {first}–{last}")
_OPEN = N_("{stretch}: new, no decision yet")


def short_state(match: Match, texts: Translator) -> str:
    """Return the review state of a match as a cell of a table."""
    if not match.review and match.decided:
        return texts.gettext(_PARTLY_OPEN)
    if not match.review and not meaning_of(match.verdict).needs_decision:
        return texts.gettext(_NOT_NEEDED)
    state = word(texts, REVIEWS, match.review or "open")
    return texts.gettext(_INHERITED).format(state=state) if match.inherited else state


def full_state(match: Match, texts: Translator, zone: tzinfo) -> str:
    """Return the review state of a match, and the match from which the state was inherited."""
    source = match.inherited
    if source is None:
        return short_state(match, texts)
    state = word(texts, REVIEWS, match.review or "open")
    if source.url != match.url:
        return texts.gettext(_FROM_PAGE).format(state=state, url=source.url)
    if source.page_seen is None:
        return texts.gettext(_FROM_EARLIER).format(state=state)
    return texts.gettext(_FROM_VERSION).format(state=state, date=moment_text(source.page_seen, zone))


def decision_lines(match: Match, texts: Translator, zone: tzinfo) -> Iterator[str]:
    """Yield a line for each decision about a match, and for each stretch without a decision."""
    for decided in match.decided:
        stretch = _stretch(decided.start, decided.end, texts)
        yield f"{stretch}: {_decision(decided, texts, zone)}"
    for start, end in match.undecided:
        yield texts.gettext(_OPEN).format(stretch=_stretch(start, end, texts))


def _stretch(start: int, end: int, texts: Translator) -> str:
    return texts.gettext(_STRETCH).format(first=start + 1, last=end)


def _decision(decided: MatchDecision, texts: Translator, zone: tzinfo) -> str:
    """Return a decision with its user, time and reason, if they are known."""
    parts = [word(texts, REVIEWS, decided.state), decided.by, moment_text(decided.made, zone)]
    line = " · ".join(filter(None, parts))
    return f"{line} · {decided.because}" if decided.because else line

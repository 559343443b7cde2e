"""A report as a table for people: headings, verdicts and states in words of their language, local times.

The rows and columns are those of :mod:`analysis.reports.render_csv`. A heading names the zone of its times,
so that a spreadsheet still takes the cells for times and sorts them.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from analysis.reports.records import Report
from analysis.reports.render_csv import COLUMNS, rows_of, table_text
from analysis.words import labels
from analysis.words.i18n import N_, Translator, translator
from analysis.words.labels import word

HEADINGS: Mapping[str, str] = {
    "work_id": N_("Id of the work"),
    "work": N_("Work"),
    "passage": N_("Passage"),
    "site": N_("Site"),
    "url": N_("Address"),
    "page_title": N_("Title of the page"),
    "verdict": N_("Verdict"),
    "low_confidence": N_("Low confidence"),
    "coverage": N_("Coverage of the page"),
    "passage_coverage": N_("Coverage of the passage"),
    "copied_chars": N_("Copied characters"),
    "longest_span": N_("Longest stretch"),
    "char_identity": N_("Character identity"),
    "sound_identity": N_("Sound identity"),
    "disguises": N_("Disguises"),
    "spans": N_("Stretches"),
    "profile": N_("Profile"),
    "licence": N_("Licence"),
    "page_older": N_("The page is older than the work"),
    "page_older_by": N_("By which date"),
    "work_published": N_("The work was published"),
    "page_published": N_("The page was published"),
    "review": N_("Review"),
    "common_stretches": N_("Stretches of common text"),
    "dismissed_stretches": N_("Dismissed stretches"),
    "dismissed_because": N_("Why they were dismissed"),
    "first_seen": N_("First seen"),
    "last_seen": N_("Last seen"),
    "review_because": N_("Reason of the decision"),
    "review_by": N_("Decided by"),
    "review_inherited": N_("Decided on an earlier version"),
    "match": N_("Match"),
    "case": N_("Case"),
    "last_look": N_("Last check"),
    "last_check": N_("Time of the last check"),
    "absent_since": N_("Gone since"),
    "look_reason": N_("Reason of the last check"),
    "moved_to": N_("Moved to"),
    "older_versions": N_("Older versions"),
    "case_status": N_("State of the case"),
    "content_hash": N_("SHA-256 of the text"),
    "snapshots": N_("SHA-256 of the response"),
    "capture_digests": N_("Digest of the capture"),
    "evidence": N_("Evidence"),
    "edition": N_("Edition"),
    "homophones": N_("Homophones (the page's / the work's)"),
    "background": N_("Background texts"),
    "posts": N_("Posts"),
    "part": N_("Where on the page"),
    "found_in": N_("Places outside the article"),
}
_TIMES = frozenset({"first_seen", "last_seen", "last_check", "absent_since"})
_TRUTHS = frozenset({"low_confidence", "page_older", "review_inherited"})
_YES, _NO = N_("yes"), N_("no")
_OF_ZONE, _COMMA = N_("{heading} ({zone})"), N_(", ")
# Columns of codes; a cell may hold several, with a space between.
_WORDS: Mapping[str, Mapping[Any, str]] = {
    "verdict": labels.VERDICTS,
    "disguises": labels.DISGUISES,
    "last_look": labels.LOOKS,
    "licence": labels.LICENCES,
    "page_older_by": labels.DATES,
    "case_status": labels.CASE_STATES,
    "evidence": labels.CAPTURE_STATES,
    "part": labels.MATCH_PARTS,
}


def render_readable_csv(
    report: Report, *, language: str | None = None, timezone: str = "Asia/Shanghai"
) -> str:
    """Return the report's matches as CSV with a byte order mark, as people read it.

    Args:
        report: what to show.
        language: ``zh`` or ``en``; None: that of settings or environment.
        timezone: IANA name of the zone that times are shown in.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    texts, zone = translator(language), ZoneInfo(timezone)
    rows = readable_rows(report, texts, zone)
    return table_text(readable_headings(texts, timezone), (map(_local_text, row) for row in rows))


def _local_text(value: object) -> object:
    """Return a moment as a spreadsheet that reads CSV takes it for one."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


def readable_headings(texts: Translator, timezone: str) -> list[str]:
    """Return the headings of the columns; those of times name the zone."""
    return [_heading(texts, name, timezone) for name in COLUMNS]


def readable_rows(report: Report, texts: Translator, zone: tzinfo) -> Iterator[list[object]]:
    """Yield a row of values for each match, as people read them, the dismissed ones last.

    Moments are aware, in the zone.
    """
    for row in rows_of(report):
        yield [_cell(texts, zone, name, value) for name, value in zip(COLUMNS, row, strict=True)]


def _heading(texts: Translator, name: str, timezone: str) -> str:
    heading = texts.gettext(HEADINGS[name])
    return texts.gettext(_OF_ZONE).format(heading=heading, zone=timezone) if name in _TIMES else heading


def _cell(texts: Translator, zone: tzinfo, name: str, value: object) -> object:
    """Return a value as people read it."""
    if isinstance(value, datetime):
        return value.astimezone(zone)
    if name in _TRUTHS:
        return texts.gettext(_YES if value else _NO)
    if name == "review":
        return word(texts, labels.REVIEWS, str(value) or "open")
    if name == "look_reason":
        return texts.reason(str(value))
    if name in _WORDS:
        words = (word(texts, _WORDS[name], code) for code in str(value).split())
        return texts.gettext(_COMMA).join(words)
    return value

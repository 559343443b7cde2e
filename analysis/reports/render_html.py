"""Render a report as HTML in Chinese or English, without scripts and in files of limited size.

Every value passes :func:`analysis.words.visible.visible`, and the template engine then escapes it. Templates
cannot skip this. The content security policy of the file forbids scripts and network access. So the text of a
page can neither become markup nor change other parts of the report.

The report itself contains the totals, the gravest cases and matches, and the pictures. The rest goes to
documents that it links to. Only one document is in memory at a time. Each has at most about 3 MB.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from jinja2 import Environment
from markupsafe import Markup

from analysis.evidence.capture_files import is_sha256
from analysis.fields.figures import figures_of
from analysis.reports.filters import Filters
from analysis.reports.html_words import (
    by_site,
    clip,
    duration,
    lag,
    local_day,
    local_minute,
)
from analysis.reports.paging import Piece, in_pages
from analysis.reports.records import Report
from analysis.texts.shares import joint_shares
from analysis.words import durations
from analysis.words import labels as words
from analysis.words.background import background_lines
from analysis.words.homophones import homophone_text
from analysis.words.i18n import N_, Translator, translator
from analysis.words.posts import post_text
from analysis.words.presence import look_text, presence_text
from analysis.words.reviews import decision_lines, full_state
from analysis.words.templating import environment as html_environment
from analysis.words.templating import local_time

_DETAILS_BYTES = 1_300_000  # maximum size of the matches in the report itself
_LINKED_BYTES = 2_500_000  # maximum size of a document that it links to
_AT_ONCE = 20  # number of matches of a case that stay together

# Maximum numbers of rows in the report itself, by table.
LIMITS: Mapping[str, int] = {
    "cases": 200,
    "crawls": 20,
    "decisions": 200,
    "lines": 200,
    "new": 50,
    "sites": 200,
}


# The same for the short version, which has at most six pages in print.
SHORT_LIMITS: Mapping[str, int] = {**LIMITS, "cases": 40, "lines": 12, "sites": 20}


@dataclass(frozen=True, slots=True)
class Document:
    """A file of a report."""

    name: str
    text: str


def render_html(
    report: Report,
    *,
    language: str | None = None,
    timezone: str = "Asia/Shanghai",
    files: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the report as one self-contained HTML document, which states how much was left out.

    Args:
        report: the report.
        language: ``zh`` or ``en``; None: the language of the settings or the environment.
        timezone: IANA name of the zone of all times; the document shows it.
        files: key of a capture → its file's path next to the document, see
            :mod:`analysis.evidence.capture_files`.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    press = _HtmlRenderer(report, translator(language), timezone=timezone, files=files, home="")
    return press.report_alone()


def render_documents(
    report: Report,
    *,
    name: str,
    language: str | None = None,
    timezone: str = "Asia/Shanghai",
    files: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Document]:
    """Yield the documents of a report: first the linked documents, then the report itself.

    Args:
        report: the report.
        name: file name of the report. The names of the other documents begin with the same stem.
        language: ``zh`` or ``en``; None: the language of the settings or the environment.
        timezone: IANA name of the zone of all times.
        files: key of a capture → its file's path next to the documents.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    press = _HtmlRenderer(report, translator(language), timezone=timezone, files=files, home=quote(name))
    return press.documents(name)


def render_short(report: Report, *, language: str | None = None, timezone: str = "Asia/Shanghai") -> str:
    """Return the short version as one HTML document: the summary, the first sites and cases, no matches.

    Args:
        report: the report.
        language: see :func:`render_html`.
        timezone: see :func:`render_html`.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    return _HtmlRenderer(report, translator(language), timezone=timezone, files={}, home="").report_in_short()


class _HtmlRenderer:
    """Renders one report."""

    def __init__(
        self, report: Report, texts: Translator, *, timezone: str, files: Mapping[str, str], home: str
    ) -> None:
        self._report = report
        self._total = len(report.matches)
        self._environment = _environment(texts, ZoneInfo(timezone))
        self._environment.tests |= {"new": report.is_new, "sha256": is_sha256}
        self._context: dict[str, Any] = {
            "report": report,
            "files": files,
            "filters": Filters(report),
            "home": home,
            "language": texts.language,
            "limits": LIMITS,
            "number": f"R{report.generated:%Y%m%d-%H%M%S}",
            "sections": _sections(report, texts),
            "shares": joint_shares(entry.match for entry in report.matches),
            "timezone": timezone,
            "total": self._total,
            "words": words,
        }

    def report_alone(self) -> str:
        first_page = next(in_pages(self._details(), limit=_DETAILS_BYTES), [])
        return self._main_document(first_page, places=_anchors(first_page, ""), lists={})

    def report_in_short(self) -> str:
        template = self._environment.get_template("short.html")
        return template.render(self._context, home="", limits=SHORT_LIMITS, lists={})

    def documents(self, name: str) -> Iterator[Document]:
        stem = name.removesuffix(".html")
        places: dict[int, str] = {}
        lists: dict[str, list[str]] = {"details": [], "matches": [], "cases": []}
        pages = in_pages(self._details(), limit=_DETAILS_BYTES)
        first_page = next(pages, [])
        for page in pages:
            document = self._linked_document(stem, "details", page, number=len(lists["details"]) + 1)
            yield document
            lists["details"].append(quote(document.name))
            places = _anchors(page, document.name) | places
        places |= _anchors(first_page, "")
        anchors = {
            "matches": (self._match_rows(), any(entry.texts is None for entry in self._report.matches)),
            "cases": (self._case_rows(places), len(self._report.cases) > LIMITS["cases"]),
        }
        for kind, (rows, is_wanted) in anchors.items():
            for page in in_pages(rows, limit=_LINKED_BYTES) if is_wanted else ():
                document = self._linked_document(stem, kind, page, number=len(lists[kind]) + 1, columns=kind)
                yield document
                lists[kind].append(quote(document.name))
                for case, anchor in _anchors(page, document.name).items():
                    places.setdefault(case, anchor)
        yield Document(name, self._main_document(first_page, places=places, lists=lists))

    def _main_document(
        self, pieces: list[Piece], *, places: dict[int, str], lists: Mapping[str, list[str]]
    ) -> str:
        return self._environment.get_template("report.html").render(
            self._context,
            home="",
            details=_join_markup(pieces),
            left_out=self._total - sum(piece.matches for piece in pieces),
            lists=lists,
            places=places,
        )

    def _linked_document(
        self, stem: str, kind: str, page: list[Piece], *, number: int, columns: str = ""
    ) -> Document:
        text = self._environment.get_template("linked.html").render(
            self._context,
            body=_join_markup(page),
            columns=columns,
            kind="matches" if kind == "details" else kind,
            page=number,
        )
        return Document(f"{stem}-{kind}-{number}.html", text)

    def _details(self) -> Iterator[Piece]:
        """Yield the matches that are shown with texts, several of a case together."""
        template = self._environment.get_template("section.html")
        for number, case in enumerate(self._report.cases, 1):
            full = [entry for entry in case.matches if entry.no_text != "limit"]
            for start in range(0, len(full), _AT_ONCE):
                entries = full[start : start + _AT_ONCE]
                is_last = start + _AT_ONCE >= len(full)
                markup = template.render(
                    self._context,
                    case=case,
                    entries=entries,
                    is_first=start == 0,
                    left_out=len(case.matches) - len(full) if is_last else 0,
                    number=number,
                )
                yield Piece(markup, number if start == 0 else 0, len(entries))

    def _match_rows(self) -> Iterator[Piece]:
        row = self._rows().match_row
        for number, case in enumerate(self._report.cases, 1):
            for index, entry in enumerate(case.matches):
                yield Piece(row(entry, "" if index else f"case-{number}"), 0 if index else number, 1)

    def _case_rows(self, places: Mapping[int, str]) -> Iterator[Piece]:
        row = self._rows().case_row
        for number, case in enumerate(self._report.cases, 1):
            link = places.get(number, "")
            target = f"{self._context['home']}{link}" if link.startswith("#") else link
            yield Piece(row(case, number, target))

    def _rows(self) -> Any:
        return self._environment.get_template("rows.html").make_module(self._context)


def _join_markup(pieces: Iterable[Piece]) -> Markup:
    return Markup("").join(Markup(piece.markup) for piece in pieces)  # noqa: S704 - templates escaped it


def _anchors(pieces: Iterable[Piece], name: str) -> dict[int, str]:
    """Return number of the case → link, for the cases that begin in a document."""
    return {piece.case: f"{quote(name)}#case-{piece.case}" for piece in pieces if piece.case}


def _sections(report: Report, texts: Translator) -> dict[str, str]:
    """Return anchor → heading of the report's sections, in order."""
    sections = {
        "new": N_("New since the last report"),
        "sites": N_("Summary by site"),
        "cases": N_("Cases by work and site"),
        "pictures": N_("Where, when and how much"),
        "not-checked": N_("What was not checked, and why"),
        "scans": N_("What was scanned, and when"),
        "matches": N_("The matches in detail"),
    }
    if not report.cases:
        del sections["pictures"]
    if report.decided:
        sections["decisions"] = N_("Decisions with reasons")
    return {anchor: texts.gettext(heading) for anchor, heading in sections.items()}


def _environment(texts: Translator, zone: tzinfo) -> Environment:
    environment = html_environment(texts, zone)
    environment.filters.update(
        background=partial(background_lines, texts=texts),
        by_site=by_site,
        clip=clip,
        day=partial(local_day, zone=zone),
        decisions=partial(decision_lines, texts=texts, zone=zone),
        duration=duration,
        figures=partial(figures_of, texts=texts, zone=zone),
        hours=partial(durations.duration, texts),
        homophone=partial(homophone_text, texts=texts),
        post=post_text,
        lag=partial(lag, zone=zone),
        look=lambda presence: look_text(presence.state, presence.reason, texts),
        message=texts.message,
        minute=partial(local_minute, zone=zone),
        presence=lambda presence: presence_text(presence, texts, partial(local_time, zone=zone)),
        review=partial(full_state, texts=texts, zone=zone),
        reason=partial(words.reason_word, texts),
    )
    return environment

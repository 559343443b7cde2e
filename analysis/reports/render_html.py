"""A report as one HTML file: inline style, no script, nothing loaded, Chinese or English.

Every value goes through :func:`analysis.visible.visible` and is then escaped by the template engine, without
exception and without the template's doing; the file's content security policy forbids scripts and network
besides. So a page's text can neither become markup nor change how the report reads.
"""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analysis import labels as words
from analysis.background import background_lines
from analysis.evidence.capture_files import is_sha256
from analysis.homophones import homophone_text
from analysis.i18n import N_, Translator, translator
from analysis.presence import presence_text
from analysis.reports.filters import Filters
from analysis.reports.records import Report
from analysis.reviews import decision_lines, full_state
from analysis.visible import link_target, visible
from storage.records import ClaimedDate, moment_text

T = TypeVar("T")


def render_html(
    report: Report,
    *,
    language: str | None = None,
    timezone: str = "Asia/Shanghai",
    files: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the report as one self-contained HTML document.

    Args:
        report: what to show.
        language: ``zh`` or ``en``; None: that of settings or environment.
        timezone: IANA name of the zone that times are shown in; the document names it.
        files: key of a capture → its file's path beside the document, see
            :mod:`analysis.evidence.capture_files`.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    texts = translator(language)
    environment = _environment(texts, ZoneInfo(timezone))
    environment.tests |= {"new": report.is_new, "sha256": is_sha256}
    template = environment.get_template("report.html")
    return template.render(
        report=report,
        files=files,
        filters=Filters(report),
        language=texts.language,
        sections=_sections(report, texts),
        timezone=timezone,
        words=words,
    )


def _sections(report: Report, texts: Translator) -> dict[str, str]:
    """Return the report's sections in their order: anchor → heading."""
    sections = {
        "new": N_("New since the last report"),
        "sites": N_("Summary by site"),
        "cases": N_("Cases by work and site"),
        "not-checked": N_("What was not checked, and why"),
        "scans": N_("What was scanned, and when"),
        "matches": N_("The matches in detail"),
    }
    if report.decided:
        sections["decisions"] = N_("What was decided, and why")
    return {anchor: texts.gettext(heading) for anchor, heading in sections.items()}


def _environment(texts: Translator, zone: ZoneInfo) -> Environment:
    environment = Environment(
        loader=PackageLoader("analysis"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    with_i18n: Any = environment  # the extension adds the method
    with_i18n.install_gettext_callables(texts.gettext, texts.ngettext, newstyle=True)
    environment.filters.update(
        background=partial(background_lines, texts=texts),
        count="{:,}".format,
        decisions=partial(decision_lines, texts=texts, zone=zone),
        duration=duration,
        homophone=partial(homophone_text, texts=texts),
        link=link_target,
        message=texts.message,
        percent=percent,
        presence=lambda presence: presence_text(presence, texts, partial(local_time, zone=zone)),
        review=partial(full_state, texts=texts, zone=zone),
        reason=partial(words.reason_word, texts),
        time=partial(local_time, zone=zone),
        word=lambda code, table: words.word(texts, table, code),
    )
    return environment


def _finalize(value: T) -> T | str:
    """Make hidden characters visible in whatever a template prints, finished markup included."""
    if isinstance(value, Markup):
        return Markup(visible(str(value)))  # noqa: S704 - stays as it was: tokens hold no markup
    return visible(value) if isinstance(value, str) else value


def local_time(time: datetime | ClaimedDate | None, *, zone: tzinfo) -> str:
    """Return a moment to the second in a zone, a claimed date as it was claimed; a dash for None."""
    if time is None:
        return "–"
    return str(time) if isinstance(time, ClaimedDate) else moment_text(time, zone, timespec="seconds")


def percent(share: float) -> str:
    """Return a share in per cent, rounded *down* to one decimal: 99.96 % alike is not 100 %.

    >>> percent(0.9996), percent(1.0), percent(0.29)
    ('99.9%', '100%', '29.0%')
    """
    tenths = int(share * 1000 + 1e-6)
    return f"{tenths / 10:.1f}%" if tenths < 1000 else "100%"  # noqa: PLR2004 - 100 %


def duration(start: datetime | None, end: datetime | None) -> str:
    """Return the time between two moments as hours:minutes:seconds; a dash when one is missing."""
    if start is None or end is None:
        return "–"
    minutes, seconds = divmod(max(0, round((end - start).total_seconds())), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"

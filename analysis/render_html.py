"""A report as one HTML file: inline style, no script, nothing loaded, Chinese or English.

Every value goes through :func:`analysis.visible.visible` and is then escaped by the template engine, without
exception and without the template's doing; the file's content security policy forbids scripts and network
besides. So a page's text can neither become markup nor change how the report reads.
"""

from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analysis import labels as words
from analysis.i18n import Translator, translator
from analysis.report_records import Report
from analysis.visible import link_target, visible

T = TypeVar("T")


def render_html(report: Report, *, language: str | None = None, timezone: str = "Asia/Shanghai") -> str:
    """Return the report as one self-contained HTML document.

    Args:
        report: what to show.
        language: ``zh`` or ``en``; None: that of settings or environment.
        timezone: IANA name of the zone that times are shown in; the document names it.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: there is no such time zone.
    """
    texts = translator(language)
    template = _environment(texts, ZoneInfo(timezone)).get_template("report.html")
    return template.render(report=report, language=texts.language, timezone=timezone, words=words)


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
        count="{:,}".format,
        duration=duration,
        link=link_target,
        percent=percent,
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


def local_time(moment: datetime | None, *, zone: ZoneInfo) -> str:
    """Return a moment to the second in a zone; a dash for None."""
    return "–" if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}"


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

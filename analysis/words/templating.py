"""Render documents from templates. Hidden characters in values become visible, and all values are escaped."""

from datetime import datetime, tzinfo
from functools import partial
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analysis.words import labels as words
from analysis.words.figures import percent
from analysis.words.i18n import Translator
from analysis.words.page_texts import match_notes, place_line, unread_amounts
from analysis.words.visible import link_target, visible
from storage.records import ClaimedDate, moment_text

T = TypeVar("T")


def environment(texts: Translator, zone: tzinfo) -> Environment:
    """Return an environment for the HTML templates of ``analysis/words/templates``.

    Args:
        texts: the language.
        zone: in which moments are shown.
    """
    made = Environment(
        loader=PackageLoader("analysis.words"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    with_i18n: Any = made  # the i18n extension adds the method
    with_i18n.install_gettext_callables(texts.gettext, texts.ngettext, newstyle=True, pgettext=texts.pgettext)
    made.filters.update(
        amounts=partial(unread_amounts, texts=texts),
        breakable=breakable,
        count="{:,}".format,
        link=link_target,
        percent=percent,
        place=partial(place_line, texts=texts),
        match_notes=partial(match_notes, texts=texts),
        time=partial(local_time, zone=zone),
        word=lambda code, table: words.word(texts, table, code),
    )
    return made


def _finalize(value: T) -> T | str:
    """Make hidden characters visible in all output of a template, including markup."""
    if isinstance(value, Markup):
        return Markup(visible(str(value)))  # noqa: S704 - stays as it was: tokens hold no markup
    return visible(value) if isinstance(value, str) else value


def breakable(address: str) -> Markup:
    """Return an address with possible line breaks after slashes, so that hosts and file names are not broken.

    >>> str(breakable("https://a.example/1.html?x=<b>"))
    'https:/<wbr>/<wbr>a.example/<wbr>1.html?x=&lt;b&gt;'
    """
    return Markup("/<wbr>").join(address.split("/"))


def local_time(time: datetime | ClaimedDate | None, *, zone: tzinfo) -> str:
    """Return a time with seconds in a zone, a claimed date with its own precision, or a dash for None."""
    if time is None:
        return "–"
    return str(time) if isinstance(time, ClaimedDate) else moment_text(time, zone, timespec="seconds")

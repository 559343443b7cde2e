"""Replacing a source of the same name: the old definition is shown, and replaced only if the user agrees."""

from dataclasses import fields
from dataclasses import replace as changed

from analysis.words.i18n import gettext as _
from analysis.words.labels import SOURCE_KINDS
from deploy.cli.asking import is_confirmed
from deploy.cli.console import can_ask, print_progress
from deploy.cli.labels import word_of
from storage.records import Source
from system.errors import PindnaError

_SHOWN_ALWAYS = frozenset({"name", "kind", "start_urls", "sitemaps", "feeds", "added"})
# Fields of a source whose keys in its file have other names.
_KEYS = {
    "max_pages": "limits.pages",
    "max_depth": "limits.depth",
    "max_minutes": "limits.minutes",
    "delay_s": "pace.delay_s",
    "concurrency": "pace.concurrency",
    "interval_h": "pace.interval_h",
    "hours": "pace.hours",
    "processes": "pace.processes",
    "obey_robots": "robots.obey",
    "robots_reason": "robots.reason",
    "user_agent": "access.user_agent",
    "header_sets": "access.headers",
    "cookies": "access.cookies",
    "login": "access.login",
    "proxies": "access.proxies",
}
_SECRET = frozenset({"header_sets", "cookies", "login", "proxies"})


class SourceThere(PindnaError):
    """Another source has the same name. Data: ``name``, ``definition``."""

    template = (
        "Source {name} exists already: {definition}. Use --replace to replace it, or choose another name."
    )


def is_same(source: Source, other: Source) -> bool:
    """Return whether two sources have the same definition, even if they were added at different times."""
    return changed(source, added=other.added) == other


def may_replace(old: Source, new: Source) -> bool:
    """Show the old and the new definition of a source, and ask whether to replace it; return the answer.

    Raises:
        SourceThere: there is no terminal to ask at.
    """
    definition = definition_line(old, new)
    if not can_ask():
        raise SourceThere(name=old.name, definition=definition)
    print_progress(
        _("Source {name} exists already: {definition}.").format(name=old.name, definition=definition)
    )
    print_progress(_("The new definition: {definition}.").format(definition=definition_line(new, old)))
    return is_confirmed(_("Replace it?"), yes=False)


def definition_line(source: Source, other: Source) -> str:
    """Return a source's kind, its addresses, and the settings that differ from those of another source."""
    names = [
        field.name
        for field in fields(Source)
        if field.name not in _SHOWN_ALWAYS and getattr(source, field.name) != getattr(other, field.name)
    ]
    parts = [
        word_of(SOURCE_KINDS, source.kind),
        " ".join(source.addresses),
        *(f"{_KEYS.get(name, name)} = {_value(source, name)}" for name in names),
    ]
    return _(", ").join(filter(None, parts))


def _value(source: Source, name: str) -> str:
    """Return a setting in the form of a source's file; values that may contain a secret are hidden."""
    value = getattr(source, name)
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    return "…" if name in _SECRET or not isinstance(value, str | int | float) else str(value)

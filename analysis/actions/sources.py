"""Sources saved, switched and removed by people and programs."""

from collections.abc import Mapping
from dataclasses import replace

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.queries.sources import version_of
from crawler.sources.definition import definition_of
from storage.records import EventKind, Source
from system.errors import PindnaError
from tracker.runtime import Runtime
from tracker.scans.switching import end_crawls_if_disabled

_SECRET = frozenset({"access"})  # a section that may hold passwords; the log says only that it changed


class SourceChanged(PindnaError):
    """Another user saved a source at the same time. Data: ``name``."""

    template = "Another user changed source {name}. Reload it and make your change again."


class SourceExists(PindnaError):
    """A source was to be made that there is. Data: ``name``."""

    code = "known-source"
    template = "Source {name} already exists. Edit it, or choose another name."


class OtherSource(PindnaError):
    """The definition of one source was to be another's. Data: ``name``, ``given``."""

    template = "The definition is for source {given}, not for {name}. A source cannot be renamed."


def save_source(identity: Identity, runtime: Runtime, source: Source, *, previous: Source | None) -> Source:
    """Store a source; returns it as it is stored.

    Args:
        identity: saves it.
        runtime: settings and stores.
        source: as :mod:`crawler.sources.definition` checked it.
        previous: as it was when it was opened; None: it is a new one.

    Raises:
        NotPermitted: this one may not.
        SourceExists: it was to be new, and there is one of that name.
        SourceChanged: it is another one by now.
    """
    identity.require("sources:write")
    stores = runtime.stores
    stored_source = {stored.name: stored for stored in stores.sources.all()}.get(source.name)
    if stored_source and not previous:
        raise SourceExists(name=source.name)
    if (stored_source and definition_of(stored_source)) != (previous and definition_of(previous)):
        raise SourceChanged(name=source.name)
    after = replace(source, added=stored_source.added) if stored_source else source
    stores.sources.save(after)
    if source.enabled and stored_source is not None and not stored_source.enabled:
        stores.health.resume(source.name)
    if stored_source is not None:
        end_crawls_if_disabled(stores, stored_source, after)
    _note_change(identity, runtime, "save-source", source.name, before=stored_source, after=after)
    return after


def change_source(
    identity: Identity, runtime: Runtime, name: str, source: Source, *, expected_version: str = ""
) -> Source:
    """Store a source in the place of the one that it is; returns it as it is stored.

    Args:
        identity: saves it.
        runtime: settings and stores.
        name: of the source.
        source: as it shall be.
        expected_version: what :func:`analysis.queries.sources.version_of` gave when the caller read the
            source; empty: any version.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such source.
        OtherSource: the definition has another name.
        SourceChanged: it is another one than was looked at.
    """
    identity.require("sources:write")
    stored = runtime.stores.sources.get(name)
    if source.name != name:
        raise OtherSource(name=name, given=source.name)
    if expected_version and expected_version != version_of(stored):
        raise SourceChanged(name=name)
    return save_source(identity, runtime, source, previous=stored)


def switch_source(identity: Identity, runtime: Runtime, name: str, *, enabled: bool) -> Source:
    """Let scans crawl a source, which ends its pause, or leave it out; returns it as it is then.

    Crawls of a source that is disabled end within seconds.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such source.
    """
    identity.require("sources:write")
    stores = runtime.stores
    stored = stores.sources.get(name)
    after = replace(stored, enabled=enabled)
    stores.sources.save(after)
    if enabled:
        stores.health.resume(name)
    end_crawls_if_disabled(stores, stored, after)
    _note_change(
        identity, runtime, "enable-source" if enabled else "disable-source", name, before=stored, after=after
    )
    return after


def remove_source(identity: Identity, runtime: Runtime, name: str) -> None:
    """Forget a source, its health and its alerts; its pages stay.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such source.
    """
    identity.require("sources:write")
    stored = runtime.stores.sources.get(name)
    runtime.stores.sources.delete(name)
    runtime.stores.health.forget(name)
    _note_change(identity, runtime, "remove-source", name, kind="source-removed", before=stored, after=None)


def _note_change(
    identity: Identity,
    runtime: Runtime,
    act: str,
    name: str,
    *,
    kind: EventKind = "source-saved",
    before: Source | None,
    after: Source | None,
) -> None:
    """Write down what was done with a source; of its access only that it changed."""
    has_other_access = before and after and _access(before) != _access(after)
    note_act(
        identity,
        runtime,
        act,
        f"source {name}",
        kind=kind,
        before=_log_fields(before),
        after=_log_fields(after),
        detail={"access": "changed"} if has_other_access else {},
    )


def _log_fields(source: Source | None) -> Mapping[str, object]:
    if source is None:
        return {}
    return {name: value for name, value in definition_of(source).items() if name not in _SECRET}


def _access(source: Source) -> object:
    return definition_of(source).get("access")

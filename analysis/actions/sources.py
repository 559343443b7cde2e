"""Save, enable, disable and remove sources."""

from collections.abc import Mapping
from dataclasses import replace

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.queries.sources import version_of
from crawler.sources.definition import definition_of
from storage.records import EventKind, Source
from system.errors import PindnaError
from tracker.runtime import Runtime
from tracker.scans.switching import end_crawls_if_disabled

_SECRET = frozenset({"access"})  # section with passwords; the log records only that it changed


class SourceChanged(PindnaError):
    """Another user saved the source at the same time.

    Attributes:
        name: name of the source.
    """

    template = "Another user changed source {name}. Reload it and make your change again."


class SourceExists(PindnaError):
    """A source with this name already exists.

    Attributes:
        name: the name.
    """

    code = "known-source"
    template = "Source {name} already exists. Edit it, or choose another name."


class OtherSource(PindnaError):
    """The definition has the name of another source.

    Attributes:
        name: name of the source to change.
        given: name in the definition.
    """

    template = "The definition is for source {given}, not for {name}. A source cannot be renamed."


def save_source(identity: Identity, runtime: Runtime, source: Source, *, previous: Source | None) -> Source:
    """Store a source, and return it as stored.

    Args:
        identity: the user or program that saves it.
        runtime: settings and stores.
        source: the source, checked by :mod:`crawler.sources.definition`.
        previous: the source when the user opened it; None for a new source.

    Raises:
        NotPermitted: the user lacks the permission.
        SourceExists: it should be new, but a source with this name exists.
        SourceChanged: the source changed since the user opened it.
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
    _record_change(identity, runtime, "save-source", source.name, before=stored_source, after=after)
    return after


def change_source(
    identity: Identity, runtime: Runtime, name: str, source: Source, *, expected_version: str = ""
) -> Source:
    """Replace the definition of a source, and return it as stored.

    Args:
        identity: the user or program that saves it.
        runtime: settings and stores.
        name: name of the source.
        source: the new definition.
        expected_version: version from :func:`analysis.queries.sources.version_of` when the user read the
            source; empty: any version.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: there is no such source.
        OtherSource: the definition has another name.
        SourceChanged: the source changed since the user read it.
    """
    identity.require("sources:write")
    stored = runtime.stores.sources.get(name)
    if source.name != name:
        raise OtherSource(name=name, given=source.name)
    if expected_version and expected_version != version_of(stored):
        raise SourceChanged(name=name)
    return save_source(identity, runtime, source, previous=stored)


def switch_source(identity: Identity, runtime: Runtime, name: str, *, enabled: bool) -> Source:
    """Enable a source, which also ends its pause, or disable it. Return it after the change.

    Running crawls of a disabled source end within seconds.

    Raises:
        NotPermitted: the user lacks the permission.
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
    _record_change(
        identity, runtime, "enable-source" if enabled else "disable-source", name, before=stored, after=after
    )
    return after


def remove_source(identity: Identity, runtime: Runtime, name: str) -> None:
    """Delete a source, its health and its alerts. Its pages stay.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: there is no such source.
    """
    identity.require("sources:write")
    stored = runtime.stores.sources.get(name)
    runtime.stores.sources.delete(name)
    runtime.stores.health.forget(name)
    _record_change(identity, runtime, "remove-source", name, kind="source-removed", before=stored, after=None)


def _record_change(
    identity: Identity,
    runtime: Runtime,
    act: str,
    name: str,
    *,
    kind: EventKind = "source-saved",
    before: Source | None,
    after: Source | None,
) -> None:
    """Record a change of a source; for its access data, record only that they changed."""
    has_other_access = before and after and _access(before) != _access(after)
    record_action(
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

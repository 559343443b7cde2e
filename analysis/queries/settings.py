"""Settings that administrators change at run time: values, origins and stored secrets; never a secret."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from analysis.accounts.permissions import Identity
from crawler.sources.definition import definition_of
from storage.collections.stores import Stores
from storage.records import Source
from storage.records.stored_settings import StoredSettings
from storage.running.live_settings import decrypted_secret
from storage.settings import Settings
from storage.settings.editable import (
    EditableSetting,
    Origin,
    SettingProblem,
    editable_settings,
    fixed_by,
    is_fixed,
    value_of,
)
from system.errors import PindnaError
from system.messages import N_, Message
from system.names import unknown_record
from system.secrets import PREFIX, VARIABLE, is_set_outside
from tracker.runtime import Runtime

GENERATED = f"{PREFIX}SETTING_"  # secrets that belong to one setting and are deleted with it


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """A setting as a page, a table or a program shows it.

    Attributes:
        setting: its name, type, label and default.
        value: the value in force as JSON contains it; a secret is a reference such as ``${NAME}``.
        origin: what sets it.
        where: the environment variable or the file that fixes it; empty otherwise.
        by, at: who stored it, and when.
        problem: why the stored value is not used; empty if it is.
    """

    setting: EditableSetting
    value: Any
    origin: Origin
    where: str = ""
    by: str = ""
    at: datetime | None = None
    problem: str | Message = ""

    @property
    def name(self) -> str:
        """The dotted name."""
        return self.setting.name

    @property
    def is_fixed(self) -> bool:
        """Whether the file, the environment or a command sets it, so that it cannot be changed here."""
        return self.origin not in {"default", "stored"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretView:
    """A secret that settings or sources name, without its value.

    Attributes:
        name: such as ``PINDNA_SECRET_BRAVE``.
        is_stored: whether the database contains a value.
        is_outside: whether a variable or a file contains a value on this machine, which wins.
        users: the settings and sources that refer to it.
        by, at: who stored it, and when.
        problem: why the stored value cannot be decrypted here; None if it can.
    """

    name: str
    is_stored: bool
    is_outside: bool
    users: tuple[str, ...]
    by: str = ""
    at: datetime | None = None
    problem: PindnaError | None = None

    @property
    def is_missing(self) -> bool:
        """Whether no value exists."""
        return not (self.is_stored or self.is_outside)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsOverview:
    """The editable settings and the secrets.

    Attributes:
        revision: of the stored settings; a change that was based on it passes this number.
        settings: by section.
        secrets: by name; those of one setting only are left out.
        problems: stored values that are not used.
    """

    revision: int
    settings: tuple[SettingView, ...]
    secrets: tuple[SecretView, ...]
    problems: tuple[SettingProblem, ...]


def settings_overview(identity: Identity, runtime: Runtime) -> SettingsOverview:
    """Return the editable settings as they are now.

    Raises:
        NotPermitted: the user may not read settings.
    """
    identity.require("settings:read")
    live = runtime.live_settings
    live.follow(max_age_s=0)
    state = live.state
    reasons = {problem.name: problem.problem for problem in state.problems}
    views = tuple(
        setting_view(setting, live.base, state.settings, state.stored, reasons.get(setting.name, ""))
        for setting in editable_settings().values()
    )
    secrets = tuple(_secret_views(runtime, state.stored))
    return SettingsOverview(
        revision=state.stored.revision, settings=views, secrets=secrets, problems=state.problems
    )


def setting_view(
    setting: EditableSetting,
    base: Settings,
    settings: Settings,
    stored: StoredSettings,
    problem: str | Message = "",
) -> SettingView:
    """Return a setting with its origin.

    Args:
        setting: the setting.
        base: the settings of file, environment and command.
        settings: the settings in force.
        stored: the stored settings.
        problem: why its stored value is not used.
    """
    value, entry = value_of(settings, setting.name), stored.entry(setting.name)
    if is_fixed(base, setting.name):
        origin, where = fixed_by(setting)
        return SettingView(setting=setting, value=value, origin=origin, where=where, problem=problem)
    is_stored = entry is not None and entry.value is not None and not problem
    by, at = ("", None) if entry is None else (entry.by, entry.at)
    return SettingView(
        setting=setting,
        value=value,
        origin="stored" if is_stored else "default",
        by=by,
        at=at,
        problem=problem,
    )


def find_setting(name: str) -> EditableSetting:
    """Return an editable setting by its name.

    Raises:
        UnknownRecord: there is none; the error contains similar names.
    """
    setting = editable_settings().get(name)
    if setting is None:
        raise unknown_record(kind=N_("setting"), name=name, known_names=editable_settings())
    return setting


def _secret_views(runtime: Runtime, stored: StoredSettings) -> Iterator[SecretView]:
    users = _users_of_secrets(runtime)
    for name in sorted({*users, *stored.ciphertexts}):
        problem = _problem(runtime, name, stored.ciphertexts)
        if name.startswith(GENERATED) and problem is None:
            continue
        entry = stored.entry(name)
        yield SecretView(
            name=name,
            is_stored=name in stored.ciphertexts,
            is_outside=is_set_outside(name),
            users=users.get(name, ()),
            by=entry.by if entry else "",
            at=entry.at if entry else None,
            problem=problem,
        )


def _problem(runtime: Runtime, name: str, ciphertexts: Mapping[str, str]) -> PindnaError | None:
    if name not in ciphertexts:
        return None
    try:
        decrypted_secret(runtime.live_settings.base, name, ciphertexts[name])
    except PindnaError as error:
        return error
    return None


def _users_of_secrets(runtime: Runtime) -> dict[str, tuple[str, ...]]:
    """Return the settings and sources that refer to each secret."""
    texts = {
        name: json.dumps(value_of(runtime.settings, name), ensure_ascii=False) for name in editable_settings()
    }
    for source in runtime.stores.sources.all():
        texts[source.name] = json.dumps(definition_of(source), ensure_ascii=False, default=str)
    users: dict[str, tuple[str, ...]] = {}
    for user, text in texts.items():
        for name in sorted(set(VARIABLE.findall(text))):
            if name.startswith(PREFIX):
                users[name] = (*users.get(name, ()), user)
    return users


def search_engines(identity: Identity, stores: Stores) -> list[Source]:
    """Return the sources that ask a search engine, by name.

    Raises:
        NotPermitted: the user may not read settings.
    """
    identity.require("settings:read")
    sources = [source for source in stores.sources.all() if source.discovery and source.discovery.engine]
    return sorted(sources, key=lambda source: source.name)

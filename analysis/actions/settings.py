"""Change settings and secrets in the database. Processes follow within :data:`FOLLOW_S` seconds.

A value may contain new secrets: where a setting refers to a secret, ``{"secret": "…"}`` stores the value
encrypted and sets the reference. Such a secret is deleted when no setting refers to it any more.
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from analysis.accounts.otp_keys import OneTimeKeyElsewhere, otp_ciphertexts
from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.queries.settings import GENERATED, find_setting
from storage.records.stored_settings import StoredEntry, StoredSettings
from storage.running.live_settings import (
    FOLLOW_S,
    SecretKeyElsewhere,
    SecretKeyUnusable,
    SettingsState,
    decrypted_secret,
    secret_key_path,
    state_of,
)
from storage.settings.editable import editable_settings, fixed_by, is_fixed, value_of
from system.errors import PindnaError
from system.key_ring import KeyRing, UndecipherableText
from system.messages import N_, Message
from system.names import unknown_record
from system.secrets import PREFIX, is_set_outside
from tracker.runtime import Runtime
from tracker.scans.turns import begin_new_schedule

__all__ = ["FOLLOW_S", "remove_secret", "save_settings", "store_secret"]

_SCHEDULE = "tracker.scan_schedule"
_ATTEMPTS = 5  # to store a change while others store other settings
_MAX_SECRET_CHARS = 10_000
_MAX_VALUE_CHARS = 200_000
_SECRET_NAME = re.compile(rf"{PREFIX}\w{{1,100}}")
_GENERATED = re.compile(rf"\$\{{({GENERATED}\w+)\}}")
_NO_NAME = N_("“{name}” is not the name of a secret, such as PINDNA_SECRET_SEARCH")
_NO_VALUE = N_("the secret is empty, or longer than 10,000 characters")
_TOO_LONG = N_("the value is too long")


class SettingRefused(PindnaError):
    """A new value is not valid. Nothing was changed.

    Attributes:
        name: the setting or secret.
        problem: the reason.
    """

    template = "{name} was not changed: {problem}."


class SettingFixed(PindnaError):
    """A file or a variable sets a value, so a stored one would not be used.

    Attributes:
        name: the setting or secret.
        by: the file or variable.
    """

    template = "{name} is fixed by {by}. Change it there."


class SettingChanged(PindnaError):
    """Another user changed the same settings at the same time. Nothing was changed.

    Attributes:
        names: the settings or secrets.
        by: who changed them.
    """

    template = "{by} has just changed {names}. Your change was not saved. Reload the settings and check them."


def save_settings(
    identity: Identity, runtime: Runtime, values: Mapping[str, object], *, revision_read: int | None = None
) -> SettingsState:
    """Store values of settings, all or none, and return the settings in force.

    Args:
        identity: the user or program that changes them.
        runtime: settings and stores.
        values: setting → value as JSON contains it; None: the default.
        revision_read: revision of the stored settings when the user read them; None: any.

    Raises:
        NotPermitted: the user may not change settings.
        UnknownRecord: there is no such setting, or it cannot be changed here.
        SettingFixed: a file or a variable sets one of them.
        SettingChanged: another user changed one of them since.
        SettingRefused: a value is not valid, or does not fit to another setting.
        SecretKeyElsewhere, SecretKeyUnusable, OneTimeKeyElsewhere: a secret cannot be encrypted here.
    """
    identity.require("settings:write")
    for name in values:
        setting = find_setting(name)
        if is_fixed(runtime.live_settings.base, name):
            raise SettingFixed(name=name, by=fixed_by(setting)[1] or "pindna")
    secrets = dict[str, str]()
    prepared = {name: _without_secrets(value, name.split("."), secrets) for name, value in values.items()}
    ciphertexts = _encrypted(runtime, secrets) if secrets else {}
    return _store(identity, runtime, _as_texts(prepared), ciphertexts, revision_read=revision_read)


def store_secret(
    identity: Identity, runtime: Runtime, name: str, value: str, *, revision_read: int | None = None
) -> SettingsState:
    """Store a secret that settings or sources refer to, encrypted.

    Args:
        identity: the user or program that stores it.
        runtime: settings and stores.
        name: its name, which begins with ``PINDNA_SECRET_``.
        value: the secret.
        revision_read: as in :func:`save_settings`.

    Raises:
        NotPermitted, SettingFixed, SettingChanged, SettingRefused, SecretKeyElsewhere, SecretKeyUnusable,
        OneTimeKeyElsewhere: as in :func:`save_settings`.
    """
    identity.require("settings:write")
    if _SECRET_NAME.fullmatch(name) is None or name.endswith("_FILE"):
        raise SettingRefused(name=name[:100], problem=Message(_NO_NAME, {"name": name[:100]}))
    if is_set_outside(name):
        raise SettingFixed(name=name, by=name)
    ciphertexts = _encrypted(runtime, {name: value})
    return _store(identity, runtime, {}, ciphertexts, revision_read=revision_read)


def remove_secret(
    identity: Identity, runtime: Runtime, name: str, *, revision_read: int | None = None
) -> SettingsState:
    """Delete a stored secret. This needs no key file.

    Raises:
        NotPermitted, SettingChanged: as in :func:`save_settings`.
        UnknownRecord: no secret of that name is stored.
    """
    identity.require("settings:write")
    stored_names = runtime.stores.stored_settings.get().ciphertexts
    if name not in stored_names:
        raise unknown_record(kind=N_("secret"), name=name, known_names=stored_names)
    return _store(identity, runtime, {}, {name: None}, revision_read=revision_read)


def _as_texts(values: Mapping[str, object]) -> dict[str, str | None]:
    texts: dict[str, str | None] = {}
    for name, value in values.items():
        texts[name] = None if value is None else json.dumps(value, ensure_ascii=False)
        if len(texts[name] or "") > _MAX_VALUE_CHARS:
            raise SettingRefused(name=name, problem=_TOO_LONG)
    return texts


def _without_secrets(value: object, path: list[str], secrets: dict[str, str]) -> object:
    """Return a value with references instead of new secrets, which are added to ``secrets``."""
    match value:
        case {"secret": str() as secret, **others} if not others:
            name = re.sub(r"\W", "_", "_".join(path[-2:])).upper()
            name = f"{GENERATED}{name[:60]}_{uuid.uuid4().hex[:6].upper()}"
            secrets[name] = secret
            return f"${{{name}}}"
        case dict():
            return {key: _without_secrets(item, [*path, str(key)], secrets) for key, item in value.items()}
        case list() | tuple():
            return [_without_secrets(item, path, secrets) for item in value]
        case _:
            return value


def _encrypted(runtime: Runtime, secrets: Mapping[str, str]) -> dict[str, str | None]:
    """Return the ciphertexts of secrets; make the key file if nothing is encrypted yet."""
    settings = runtime.live_settings.base
    ring = KeyRing(secret_key_path(settings), SecretKeyUnusable)
    _require_right_key(runtime, ring)
    ciphertexts: dict[str, str | None] = {}
    for name, value in secrets.items():
        if not value.strip() or len(value) > _MAX_SECRET_CHARS:
            raise SettingRefused(name=name, problem=_NO_VALUE)
        try:
            ciphertexts[name] = ring.encrypt(name, value.strip())
        except UndecipherableText as error:
            raise SecretKeyElsewhere(name=name, path=str(ring.path)) from error
    return ciphertexts


def _require_right_key(runtime: Runtime, ring: KeyRing) -> None:
    """Check that the key file decrypts what is stored, so there is never a second set of keys."""
    stored = runtime.stores.stored_settings.get().ciphertexts
    for name, ciphertext in stored.items():
        decrypted_secret(runtime.live_settings.base, name, ciphertext)
    account = next(otp_ciphertexts(runtime.stores.accounts), None)
    if account is not None:
        try:
            ring.decrypt(*account)
        except UndecipherableText as error:
            raise OneTimeKeyElsewhere from error
    if not (stored or account or ring.has_keys()):
        ring.create()


def _store(
    identity: Identity,
    runtime: Runtime,
    values: Mapping[str, str | None],
    ciphertexts: Mapping[str, str | None],
    *,
    revision_read: int | None,
) -> SettingsState:
    """Store values and secrets, unless another user changed one of them."""
    store, now = runtime.stores.stored_settings, runtime.stores.clock.now()
    changed = {*values, *(name for name in ciphertexts if not name.startswith(GENERATED))}
    for _ in range(_ATTEMPTS):
        before = store.get()
        _refuse_conflict(before, changed, revision_read)
        after = _with_changes(before, values, ciphertexts, by=identity.name, at=now)
        before_state, after_state = (
            state_of(runtime.live_settings.base, stored) for stored in (before, after)
        )
        _refuse_problems(before_state, after_state, values)
        if store.replace(after, expected=before.revision):
            if value_of(before_state.settings, _SCHEDULE) != value_of(after_state.settings, _SCHEDULE):
                begin_new_schedule(runtime.stores, now=now)
            _record(identity, runtime, before_state, after_state, changed)
            runtime.live_settings.follow(max_age_s=0)
            return after_state
    raise SettingChanged(names=tuple(sorted(changed)), by="pindna")


def _refuse_conflict(stored: StoredSettings, changed: set[str], revision_read: int | None) -> None:
    entries = [entry for name in changed if (entry := stored.entry(name)) is not None]
    later = [entry for entry in entries if revision_read is not None and entry.revision > revision_read]
    if later:
        names, by = {entry.name for entry in later}, {entry.by for entry in later}
        raise SettingChanged(names=tuple(sorted(names)), by=tuple(sorted(by)))


def _refuse_problems(before: SettingsState, after: SettingsState, values: Mapping[str, object]) -> None:
    """Refuse new values that are not valid, or that make another stored value invalid."""
    earlier = {problem.name for problem in before.problems} - values.keys()
    for problem in after.problems:
        if problem.name not in earlier:
            name = ".".join([problem.name, *map(str, problem.inside)])
            raise SettingRefused(name=name, problem=problem.problem)


def _with_changes(
    before: StoredSettings,
    values: Mapping[str, str | None],
    ciphertexts: Mapping[str, str | None],
    *,
    by: str,
    at: datetime,
) -> StoredSettings:
    """Return the stored settings after a change, without secrets of settings that no setting refers to."""
    revision = before.revision + 1

    def changed(entries: tuple[StoredEntry, ...], new: Mapping[str, str | None]) -> tuple[StoredEntry, ...]:
        rows = {entry.name: entry for entry in entries}
        for name, value in new.items():
            rows[name] = StoredEntry(name=name, value=value, revision=revision, by=by, at=at)
        return tuple(rows.values())

    new_values = changed(before.values, values)
    used = {name for entry in new_values for name in _GENERATED.findall(entry.value or "")}
    secrets = tuple(
        entry
        for entry in changed(before.secrets, ciphertexts)
        if entry.name in used or not entry.name.startswith(GENERATED)
    )
    replaced = {**values, **ciphertexts}
    damaged = tuple(entry for entry in before.damaged if entry.name not in replaced)
    return replace(before, revision=revision, values=new_values, secrets=secrets, damaged=damaged)


def _record(
    identity: Identity,
    runtime: Runtime,
    before: SettingsState,
    after: SettingsState,
    changed: set[str],
) -> None:
    """Record each changed setting in the audit log; secrets by name only."""
    for name in sorted(changed):
        if name not in editable_settings():
            act = "store-secret" if name in after.stored.ciphertexts else "remove-secret"
            record_action(identity, runtime, act, f"secret {name}")
            continue
        old, new = ({"value": value_of(state.settings, name)} for state in (before, after))
        record_action(identity, runtime, "save-setting", f"setting {name}", before=old, after=new)

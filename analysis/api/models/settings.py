"""Response models for settings that are changed at run time, and for their trials."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from analysis.actions.setting_trials import AuthorityTrial
from analysis.queries.settings import SecretView, SettingsOverview, SettingView
from analysis.words.i18n import Translator
from storage.settings.editable import Origin
from storage.settings.kinds import FieldKind, kind_of
from storage.settings.section import SettingGroup


class SettingAnswer(BaseModel):
    """A setting. A secret is a reference such as ``${NAME}``; ``where`` is what fixes the value."""

    name: str
    label: str
    group: SettingGroup
    kind: FieldKind
    value: Any
    origin: Origin
    where: str
    by: str
    at: datetime | None
    needs_restart: bool
    problem: str

    @classmethod
    def of(cls, view: SettingView, texts: Translator) -> "SettingAnswer":
        """Return a setting in a language."""
        mark = view.setting.mark
        return cls(
            name=view.name,
            label=texts.gettext(mark.label),
            group=mark.group,
            kind=kind_of(view.setting.field),
            value=view.value,
            origin=view.origin,
            where=view.where,
            by=view.by,
            at=view.at,
            needs_restart=mark.needs_restart,
            problem=texts.problem(view.problem) if view.problem else "",
        )


class SecretAnswer(BaseModel):
    """A secret without its value. ``environment``: a variable or a file contains it, and wins."""

    name: str
    stored: bool
    environment: bool
    used_by: tuple[str, ...]
    by: str
    at: datetime | None
    problem: str

    @classmethod
    def of(cls, view: SecretView, texts: Translator) -> "SecretAnswer":
        """Return a secret in a language."""
        return cls(
            name=view.name,
            stored=view.is_stored,
            environment=view.is_outside,
            used_by=view.users,
            by=view.by,
            at=view.at,
            problem=texts.error(view.problem) if view.problem else "",
        )


class SettingsAnswer(BaseModel):
    """The settings that can be changed. A change that was based on them sends ``revision``."""

    revision: int
    settings: list[SettingAnswer]
    secrets: list[SecretAnswer]

    @classmethod
    def of(cls, overview: SettingsOverview, texts: Translator) -> "SettingsAnswer":
        """Return the settings in a language."""
        return cls(
            revision=overview.revision,
            settings=[SettingAnswer.of(view, texts) for view in overview.settings],
            secrets=[SecretAnswer.of(view, texts) for view in overview.secrets],
        )


class TrialAnswer(BaseModel):
    """The answer of a mail server or of an addressee's service."""

    answer: str


class AuthorityAnswer(BaseModel):
    """The answer of a timestamp authority: the time of a valid timestamp, or the problem."""

    authority: str
    time: datetime | None
    problem: str

    @classmethod
    def of(cls, trial: AuthorityTrial, texts: Translator) -> "AuthorityAnswer":
        """Return the result of a trial in a language."""
        problem = texts.error(trial.problem) if trial.problem else ""
        return cls(authority=trial.authority, time=trial.time, problem=problem)

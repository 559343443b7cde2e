"""``/settings``: settings and secrets that are changed without a restart, and trials of them."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field

from analysis.actions import alerts as alert_actions
from analysis.actions import setting_trials
from analysis.actions import settings as actions
from analysis.api.models.settings import AuthorityAnswer, SettingsAnswer, TrialAnswer
from analysis.api.problems import language_of
from analysis.api.routes.common import example
from analysis.api.services import ApiServices, CallerIdentity
from analysis.queries.settings import settings_overview
from analysis.words.i18n import Translator

router = APIRouter(tags=["settings"])
SecretName = Annotated[str, Path(max_length=200, description="such as PINDNA_SECRET_SEARCH")]


Texts = Annotated[Translator, Depends(language_of)]
Revision = Annotated[int | None, Field(ge=0, description="`revision` that was looked at; null: any")]


class SettingChanges(BaseModel):
    """New values by name; null: the default. ``{"secret": "…"}`` stores a secret and sets its reference."""

    model_config = example(
        {"revision": 3, "values": {"analysis.alerts.quiet": "22:00-07:30", "tracker.scan_schedule": "04:30"}},
        is_closed=True,
    )

    values: Annotated[dict[str, Any], Field(min_length=1, max_length=100)]
    revision: Revision = None


class NewSecret(BaseModel):
    """The value of a secret."""

    model_config = example({"value": "key of the search engine"}, is_closed=True)

    value: Annotated[str, Field(min_length=1, max_length=10_000)]
    revision: Revision = None


class MailTrial(BaseModel):
    """Who receives the test mail."""

    model_config = example({"to": "lin@publisher.example"}, is_closed=True)

    to: Annotated[str, Field(min_length=3, max_length=300)]


@router.get("/settings")
def get_settings(identity: CallerIdentity, services: ApiServices, texts: Texts) -> SettingsAnswer:
    """List the settings that can be changed, and the secrets without their values."""
    return SettingsAnswer.of(settings_overview(identity, services.runtime), texts)


@router.patch("/settings")
def change_settings(
    identity: CallerIdentity, services: ApiServices, texts: Texts, changes: SettingChanges
) -> SettingsAnswer:
    """Change settings, all or none. Workers, beat and the console follow within 15 seconds."""
    identity.require("settings:read")  # before the change, because the answer shows all settings
    actions.save_settings(identity, services.runtime, changes.values, revision_read=changes.revision)
    return SettingsAnswer.of(settings_overview(identity, services.runtime), texts)


@router.put("/settings/secrets/{name}", status_code=HTTPStatus.NO_CONTENT)
def store_secret(
    identity: CallerIdentity, services: ApiServices, name: SecretName, secret: NewSecret
) -> None:
    """Store a secret that settings or sources name, encrypted."""
    actions.store_secret(identity, services.runtime, name, secret.value, revision_read=secret.revision)


@router.delete("/settings/secrets/{name}", status_code=HTTPStatus.NO_CONTENT)
def remove_secret(identity: CallerIdentity, services: ApiServices, name: SecretName) -> None:
    """Delete a stored secret."""
    actions.remove_secret(identity, services.runtime, name)


@router.post("/settings/trials/mail")
def try_mail(identity: CallerIdentity, services: ApiServices, texts: Texts, trial: MailTrial) -> TrialAnswer:
    """Send a test mail with the stored settings, and return the reply of the mail server."""
    return TrialAnswer(answer=setting_trials.send_test_mail(identity, services.runtime, trial.to, texts))


@router.post("/settings/trials/timestamps")
def try_authorities(identity: CallerIdentity, services: ApiServices, texts: Texts) -> list[AuthorityAnswer]:
    """Request a timestamp from each authority, and check it."""
    trials = setting_trials.request_test_timestamps(identity, services.runtime)
    return [AuthorityAnswer.of(trial, texts) for trial in trials]


@router.post("/settings/trials/addressees/{name}")
def try_addressee(
    identity: CallerIdentity, services: ApiServices, name: Annotated[str, Path(max_length=60)]
) -> TrialAnswer:
    """Send a test alert to an addressee, and return the answer of its service."""
    return TrialAnswer(answer=alert_actions.try_addressee(identity, services.runtime, name))

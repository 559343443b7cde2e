"""``pindna settings``: show and change the settings that are stored in the database."""

import json
from typing import Annotated

import typer

from analysis.actions.settings import SettingRefused, remove_secret, save_settings, store_secret
from analysis.queries.settings import SecretView, SettingView, find_setting, settings_overview
from analysis.words.i18n import N_, translator
from analysis.words.i18n import gettext as _
from analysis.words.labels import ORIGINS
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_progress, print_result, print_table
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.options import AsJsonLines
from deploy.cli.secrets import typed_secret
from storage.running.live_settings import FOLLOW_S
from storage.settings.kinds import kind_of
from system.secrets import PREFIX

_NOT_JSON = N_('write this value as JSON, such as 587, true or ["a"]')


def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("Only this setting; default: all."))] = "",
    *,
    as_json: AsJsonLines = False,
) -> None:
    with user_session() as (user, runtime):
        overview = settings_overview(user, runtime)
    views = (
        [view for view in overview.settings if view.name == find_setting(name).name]
        if name
        else overview.settings
    )
    if as_json:
        for view in views:
            print_json_line(_as_object(view))
    elif name:
        print_result(_shown(views[0].value))
    else:
        headers = (_("setting"), _("value"), _("set by"))
        print_table(headers, [(view.name, _shown(view.value), _origin(view)) for view in views])
    if name:
        return
    if as_json:
        for secret in overview.secrets:
            print_json_line(_secret_as_object(secret))
    elif overview.secrets:
        headers = (_("secret"), _("state"), _("used by"))
        print_table(
            headers, [(secret.name, _state(secret), secret.users or "–") for secret in overview.secrets]
        )
    for view in views:
        if view.problem:
            line = _("{name}: the stored value is not used ({problem}); the default is used instead")
            print_progress(line.format(name=view.name, problem=translator().problem(view.problem)))


def change(
    name: Annotated[str, typer.Argument(metavar="NAME", help=_("The setting, or PINDNA_SECRET_NAME."))],
    value: Annotated[
        str | None,
        typer.Argument(
            metavar="VALUE", help=_("Text, number or JSON. Secrets are typed, or piped in as one line.")
        ),
    ] = None,
    *,
    default: Annotated[
        bool, typer.Option("--default", help=_("Use the default again; delete a stored secret."))
    ] = False,
    by: As = "",
) -> None:
    with user_session(by) as (user, runtime):
        if name.startswith(PREFIX):
            if default:
                remove_secret(user, runtime, name)
            else:
                store_secret(user, runtime, name, typed_secret())
        else:
            save_settings(user, runtime, {name: None if default else _read(name, value)})
    line = _("{name} was changed. Running workers, beat and the console follow within {seconds} seconds.")
    print_result(line.format(name=name, seconds=round(FOLLOW_S)))


def _read(name: str, value: str | None) -> object:
    """Return a value as JSON contains it; a secret is prompted for unless a reference is given."""
    setting = find_setting(name)
    kind = kind_of(setting.field)
    if kind == "secret" and value is None:
        return {"secret": typed_secret()}
    if value is None:
        raise typer.BadParameter(_("Enter a value, or --default."))
    if kind in {"text", "choice", "secret"}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise SettingRefused(name=name, problem=_NOT_JSON) from error


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _origin(view: SettingView) -> str:
    words = word_of(ORIGINS, view.origin)
    return f"{words} ({view.where})" if view.where else words


def _state(secret: SecretView) -> str:
    if secret.problem is not None:
        return translator().error(secret.problem)
    if secret.is_outside:
        return _("environment")
    return _("stored at {time}").format(time=local_moment(secret.at)) if secret.is_stored else _("missing")


def _as_object(view: SettingView) -> dict[str, object]:
    return {
        "type": "setting",
        "name": view.name,
        "value": view.value,
        "origin": view.origin,
        "where": view.where,
        "by": view.by,
        "problem": str(view.problem),
    }


def _secret_as_object(secret: SecretView) -> dict[str, object]:
    return {
        "type": "secret",
        "name": secret.name,
        "stored": secret.is_stored,
        "environment": secret.is_outside,
        "used_by": secret.users,
        "problem": str(secret.problem) if secret.problem else "",
    }

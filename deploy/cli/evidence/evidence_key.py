"""``pindna evidence key``: the key with which this installation signs evidence."""

from typing import Annotated

import typer

from analysis.actions.evidence_keys import installation_keys
from analysis.actions.evidence_keys import rotate_key as make_key
from analysis.evidence.keys import key_path
from analysis.words.i18n import gettext as _
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from storage.records.evidence_log import InstallationKey

_FIELDS = "number=id fingerprint public_key since by endorsed"


def show(*, as_json: AsJsonObject = False) -> None:
    """Print the keys; creates the first key if there is none."""
    with user_session() as (user, runtime):
        current, keys = installation_keys(user, runtime)
        path = key_path(runtime.settings)
    if as_json:
        rows = [
            object_of(key, _FIELDS, public_key=key.public.hex(), endorsed=bool(key.endorsed)) for key in keys
        ]
        print_json_line({"fingerprint": current.fingerprint, "file": str(path), "keys": rows})
        return
    print_result(_("Key: {fingerprint}").format(fingerprint=current.fingerprint))
    print_result(
        _("Private key: {path}. Copy this file to other machines of the installation.").format(path=path)
    )
    if len(keys) > 1:
        print_table((_("key"), _("since"), _("made by")), map(_cells, keys))


def rotate_key(
    *,
    lost: Annotated[
        bool,
        typer.Option(
            "--lost",
            help=_("The file of the earlier key is lost, so the earlier key cannot endorse the new one."),
        ),
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    with user_session(by) as (user, runtime):
        key = make_key(user, runtime, is_lost=lost)
        path = key_path(runtime.settings)
    if as_json:
        print_json_line({"fingerprint": key.fingerprint, "file": str(path)})
        return
    print_result(_("Signing key from now on: {fingerprint}").format(fingerprint=key.fingerprint))
    print_result(_("Copy {path} to the other machines, and publish the new fingerprint.").format(path=path))


def _cells(key: InstallationKey) -> tuple[str, ...]:
    return key.fingerprint, local_moment(key.since), key.by or "–"

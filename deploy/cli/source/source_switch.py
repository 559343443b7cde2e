"""``pindna source enable``, ``disable`` and ``remove``: decide whether scans crawl a source."""

from typing import Annotated

import typer

from analysis.actions.sources import remove_source, switch_source
from analysis.queries.sources import get_source
from analysis.words.i18n import gettext as _
from deploy.cli.asking import Yes, confirm_removal
from deploy.cli.console import print_progress, print_result
from deploy.cli.identity import As, user_session

Name = Annotated[str, typer.Argument(metavar="NAME", help=_("Name of a stored source."))]


def enable(name: Name, *, by: As = "") -> None:
    _switch(name, by, enabled=True)
    print_result(_("Source {name} is enabled.").format(name=name))


def disable(name: Name, *, by: As = "") -> None:
    _switch(name, by, enabled=False)
    print_result(_("Source {name} is disabled.").format(name=name))


def _switch(name: str, by: str, *, enabled: bool) -> None:
    with user_session(by) as (user, runtime):
        switch_source(user, runtime, name, enabled=enabled)


def remove(name: Name, *, yes: Yes = False, by: As = "") -> None:
    with user_session(by) as (identity, runtime):
        source = get_source(identity, runtime.stores, runtime.settings.tracker, name).source
        line = _("Source {name}: {addresses}. Its settings, pauses and alerts are deleted; its pages stay.")
        print_progress(line.format(name=name, addresses=" ".join(source.addresses)))
        confirm_removal(_("Remove this?"), yes=yes)
        remove_source(identity, runtime, name)
    print_result(_("Source {name} is removed.").format(name=name))

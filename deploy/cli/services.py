"""``pindna up`` and ``pindna doctor``: the services, started and examined."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.i18n import ngettext
from deploy.cli.console import print_progress, print_result
from deploy.cli.doctor import examine, runs_as_root, shown_settings
from deploy.cli.findings import Finding
from deploy.cli.session import export, uses_own_services
from deploy.stack import embedded_stack
from storage.errors import BadSettings
from storage.exit_status import ExitStatus
from storage.settings import load_settings
from tracker.runtime import open_runtime


def up() -> None:
    """Start the embedded services, a worker and beat; run until Ctrl-C."""
    settings = load_settings()
    if uses_own_services(settings):
        raise BadSettings(
            where="storage", problem="server addresses are set, so `pindna up` has nothing to start"
        )
    with embedded_stack(settings.storage.data_dir, worker=True, beat=True, settings=settings) as stack:
        export(stack.settings)
        open_runtime(stack.settings).close()
        for service in stack.status():
            line = _("{service}: {address} (process {pid}) → {log}")
            print_result(
                line.format(
                    service=_(service.title),
                    address=service.address,
                    pid=service.pid or "-",
                    log=service.log,
                )
            )
        if runs_as_root():
            print_progress(_("pindna runs as root. An ordinary user is enough, and safer."))
        print_result(_("Their passwords: {path}").format(path=stack.folder.passwords))
        print_result(_("Everything runs; Ctrl-C stops it."))
        stack.watch()


def doctor(
    *,
    show_settings: Annotated[
        bool, typer.Option("--settings", help=_("Print the settings in force, and examine nothing."))
    ] = False,
) -> None:
    """Examine the services and what they need: status 3 when something that is needed is down."""
    settings = load_settings()
    if show_settings:
        for name, value in shown_settings(settings):
            print_result(f"{name} = {value}")
        return
    findings = examine(settings)
    wrong = sum(finding.state == "wrong" for finding in findings)
    print_result(_headline(wrong))
    for finding in findings:
        _show(finding)
    if wrong:
        raise typer.Exit(ExitStatus.DOWN)


def _headline(wrong: int) -> str:
    if not wrong:
        return _("Nothing that is needed is wrong.")
    return ngettext("{count} thing is wrong:", "{count} things are wrong:", wrong).format(count=wrong)


def _show(finding: Finding) -> None:
    mark = {"good": "✓", "idle": "–", "alert": "!", "wrong": "✗"}[finding.state]
    print_result(f"{mark} {finding.what}: {finding.text}")

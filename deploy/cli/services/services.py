"""``pindna up`` and ``pindna doctor``: start and examine the services."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.health.services import Finding
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.console import print_json_line, print_progress, print_result
from deploy.cli.options import AsJsonObject
from deploy.cli.services.doctor import examine, runs_as_root
from deploy.cli.services.serve import (
    has_libraries,
    print_way_in,
    printed_link,
    require_libraries,
    require_safe,
)
from deploy.cli.session import export, uses_own_services
from storage.records import utc_now
from storage.settings import load_settings, shown_settings
from system.errors import BadSettings
from system.exit_status import ExitStatus
from system.messages import N_
from system.version import VERSION
from tracker.runtime import open_runtime

if TYPE_CHECKING:
    from deploy.stack import EmbeddedStack


def up(
    *,
    console: Annotated[
        bool | None,
        typer.Option("--console/--no-console", help=_("Serve the web console too; default: if installed.")),
    ] = None,
) -> None:
    """Start the embedded services, a worker, beat and the console; run until Ctrl-C."""
    settings = load_settings()
    with_console = has_libraries() if console is None else console
    if with_console:
        require_libraries()
        require_safe(settings.analysis.server)
    if uses_own_services(settings):
        raise BadSettings(
            where="storage", problem=N_("server addresses are set, so `pindna up` has nothing to start")
        )
    from deploy.stack import embedded_stack  # noqa: PLC0415 - psutil is of an extra

    folder = settings.storage.data_dir
    with embedded_stack(folder, worker=True, beat=True, console=with_console, settings=settings) as stack:
        export(stack.settings)
        runtime = open_runtime(stack.settings)
        has_administrator = runtime.stores.accounts.has_administrator()
        runtime.close()
        _print_services(stack, with_console=with_console)
        if with_console:
            log = stack.folder.log("console")
            print_way_in(settings.analysis.server.address, "" if has_administrator else printed_link(log))
        stack.watch()


def _print_services(stack: "EmbeddedStack", *, with_console: bool) -> None:
    for service in stack.status():
        if service.name == "console" and not with_console:
            continue
        line = _("{service}: {address} (process {pid}) → {log}")
        print_result(
            line.format(
                service=_(service.title), address=service.address, pid=service.pid or "-", log=service.log
            )
        )
    if runs_as_root():
        print_progress(_("pindna runs as root. An ordinary user is enough, and safer."))
    print_result(_("Passwords of the services: {path}").format(path=stack.folder.passwords))
    if stack.found_running:
        print_result(_("The services were already running. They end with the last command that uses them."))
    print_result(_("Everything runs; Ctrl-C stops it."))


def doctor(
    *,
    as_json: AsJsonObject = False,
    show_settings: Annotated[
        bool, typer.Option("--settings", help=_("Print the settings in use, without checking anything."))
    ] = False,
) -> None:
    """Examine the services and their environment; the exit status is 3 if a required service is down."""
    settings = load_settings()
    if show_settings:
        for name, value in shown_settings(settings):
            print_result(f"{name} = {value}")
        return
    findings = examine(settings)
    wrong = sum(finding.state == "wrong" for finding in findings)
    if as_json:
        print_json_line(_as_object(findings))
    else:
        print_result(_headline(wrong))
        for finding in findings:
            _show(finding)
    if wrong:
        raise typer.Exit(ExitStatus.DOWN)


def _headline(wrong: int) -> str:
    if not wrong:
        return _("All required checks passed.")
    return ngettext("{count} problem was found:", "{count} problems were found:", wrong).format(count=wrong)


def _as_object(findings: Sequence[Finding]) -> dict[str, object]:
    return {
        "version": VERSION,
        "time": utc_now().isoformat(timespec="seconds"),
        "state": findings[0].state,
        "findings": [asdict(finding) for finding in findings],
    }


def _show(finding: Finding) -> None:
    mark = {"good": "✓", "idle": "–", "alert": "!", "wrong": "✗"}[finding.state]
    print_result(f"{mark} {finding.what}: {finding.text}")

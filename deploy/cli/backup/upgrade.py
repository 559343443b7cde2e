"""``pindna upgrade``: upgrade data of an earlier version, after a backup."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from analysis.actions.upkeep import note_upkeep
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.backup.backup import backup_place, take_backup
from deploy.cli.backup.other_users import refuse_other_users
from deploy.cli.console import busy, print_json_line, print_progress, print_result
from deploy.cli.files import refuse_no_file
from deploy.cli.identity import As, terminal_identity
from deploy.cli.options import AsJsonObject
from deploy.cli.session import services, uses_own_services
from storage.collections.schema import CHANGES, VERSION
from storage.collections.stores import Stores, open_stores
from storage.settings import Settings, load_settings
from tracker.runtime import open_runtime

_COUNTED = ("works", "pages", "matches", "cases", "captures")


def upgrade(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help=_("Show the planned changes, and change nothing."))
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=_("File or folder of the backup; default: a name by time, in the current folder."),
        ),
    ] = None,
    backup: Annotated[
        bool, typer.Option("--backup/--no-backup", help=_("Make a backup first; default: yes."))
    ] = True,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    settings = load_settings()
    target = backup_place(out)
    if backup and out is not None and not dry_run:
        refuse_no_file(target)
    with services(settings) as ready, closing(open_stores(ready.storage)) as stores:
        old_schema, counts = stores.older_schema(), stores.document_counts(_COUNTED)
        if not as_json:
            _show(old_schema, counts)
        if dry_run or not old_schema:
            if as_json:
                print_json_line(_as_object(old_schema, counts, None))
            return
        if backup:
            refuse_no_file(target)
        refuse_other_users(ready, embedded=not uses_own_services(settings))
        stores.require_rights()
        if backup:
            take_backup(ready, target, stopped=True)
        with busy(_("Upgrading documents and index …")):
            bring_up_to_date(stores, ready)
        note_upkeep(terminal_identity(settings, by), stores, "upgrade", {"from": old_schema, "to": VERSION})
    if as_json:
        print_json_line(_as_object(old_schema, counts, target if backup else None))
        return
    print_result(_("The database has schema {schema} now; all its content is kept.").format(schema=VERSION))
    if backup:
        line = _(
            "To undo this: run `pindna backup restore {path} --replace`, then install the "
            "earlier version of pindna."
        )
        print_progress(line.format(path=target))


def bring_up_to_date(stores: Stores, settings: Settings) -> None:
    """Upgrade the documents and the index of a database that no other program uses. Idempotent."""
    stores.ensure_schema()
    with closing(open_runtime(settings)) as runtime:
        runtime.guard.index()


def _show(old_schema: int, counts: dict[str, int]) -> None:
    if not old_schema:
        print_result(
            _("The database has schema {schema} already. There is nothing to do.").format(schema=VERSION)
        )
        return
    print_result(_("Schema {found} → {known}").format(found=old_schema, known=VERSION))
    for version, change in CHANGES.items():
        if version > old_schema:
            print_result(f"  {version}: {_(change)}")
    held = [
        ngettext("{count} work", "{count} works", counts["works"]).format(count=counts["works"]),
        ngettext("{count} page", "{count} pages", counts["pages"]).format(count=counts["pages"]),
        ngettext("{count} match", "{count} matches", counts["matches"]).format(count=counts["matches"]),
        ngettext("{count} case", "{count} cases", counts["cases"]).format(count=counts["cases"]),
        ngettext("{count} capture", "{count} captures", counts["captures"]).format(count=counts["captures"]),
    ]
    print_result("  " + " · ".join(held))


def _as_object(old_schema: int, counts: dict[str, int], backup: Path | None) -> dict[str, object]:
    return {
        "found": old_schema or VERSION,
        "known": VERSION,
        "changes": {
            str(version): change for version, change in CHANGES.items() if old_schema and version > old_schema
        },
        "documents": counts,
        "backup": str(backup.resolve()) if backup else None,
    }

"""``pindna backup``: write the database to a file, and restore it."""

import os
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.actions.upkeep import note_upkeep
from analysis.evidence.keys import key_path
from analysis.evidence.log import root_path
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.backup.other_users import refuse_other_users
from deploy.cli.clock import local_moment
from deploy.cli.console import byte_count, print_json_line, print_progress, print_result, progress
from deploy.cli.files import refuse_no_file, whole_file
from deploy.cli.identity import As, terminal_identity
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonObject
from deploy.cli.session import services, uses_own_services
from deploy.cli.tables import print_outcome
from storage.backup.archive import BackupArchive, BackupManifest
from storage.backup.restoring import restore_backup
from storage.backup.writing import write_backup
from storage.collections.documents import connect
from storage.collections.schema import VERSION
from storage.collections.stores import open_stores
from storage.frontier.redis import forget_frontiers
from storage.records import utc_now
from storage.running.live_settings import secret_key_path
from storage.servers.redis_client import open_redis
from storage.settings import Settings, load_settings
from system.errors import PindnaError
from system.local_files import readable
from system.private_files import open_private
from tracker.runtime import open_runtime

File = Annotated[Path, typer.Argument(metavar="FILE", help=_("A file of `pindna backup create`."))]


class TwoFiles(PindnaError):
    """The command got the file of a backup twice."""

    template = "Write the file of the backup once: as FILE or after --output."


def create(
    out: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help=_("File or folder; default: a name by time, in the current folder.")
        ),
    ] = None,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=_("The same as FILE."),
        ),
    ] = None,
    stopped: Annotated[
        bool,
        typer.Option(
            "--stopped",
            help=_(
                "Declare that no other program writes to the database; required for a single MongoDB server."
            ),
        ),
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    settings = load_settings()
    if out is not None and output is not None:
        raise TwoFiles
    target = backup_place(out or output)
    refuse_no_file(target)
    with services(settings) as ready:
        with closing(open_stores(ready.storage)) as stores:  # first, so that the backup contains it
            note_upkeep(
                terminal_identity(settings, by), stores, "create-backup", {"file": str(target.resolve())}
            )
        manifest = take_backup(ready, target, stopped=stopped)
    other_files = [path for path in files_beside(settings) if path.exists()]
    if as_json:
        print_json_line(
            _as_object(target, manifest) | {"beside": [str(path.resolve()) for path in other_files]}
        )
        return
    _show(target, manifest)
    if other_files:
        line = _("Not in the backup; store separate copies of: {paths}")
        print_progress(line.format(paths=", ".join(map(readable, other_files))))


def verify(file: File, *, as_json: AsJsonObject = False) -> None:
    with closing(BackupArchive(file)) as archive, progress() as display:
        manifest = archive.manifest
        task = display.add_task(_("Checking"), total=manifest.documents)
        for count in archive.verify():
            display.advance(task, count)
    if as_json:
        print_json_line(_as_object(file, manifest))
        return
    print_result(_("The backup is complete."))
    _show(file, manifest)


def restore(
    file: File,
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help=_("Delete the content of the database; asks first."))
    ] = False,
    yes: Yes = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    settings = load_settings()
    with closing(BackupArchive(file)) as archive, services(settings) as ready:
        refuse_other_users(ready, embedded=not uses_own_services(settings))
        question = _("Delete the content of the database {database} and replace it with the backup?")
        database = ready.storage.mongo_database
        if replace and not is_confirmed(question.format(database=database), yes=yes):
            print_outcome({"restored": False}, _("Nothing was changed."), as_json=as_json)
            return
        _restore(archive, ready, replace=replace)
        manifest = archive.manifest
        if manifest.schema == VERSION:
            with closing(open_runtime(ready)) as runtime:
                runtime.guard.index()  # rebuild the index from the documents
                after = {"file": str(file.resolve()), "taken": manifest.taken}
                note_upkeep(terminal_identity(settings, by), runtime.stores, "restore-backup", after)
    if as_json:
        print_json_line({"restored": True} | _as_object(file, manifest))
        return
    print_result(_("The database is restored to the backup."))
    _show(file, manifest)
    if manifest.schema < VERSION:
        print_progress(
            _(
                "An earlier version of pindna wrote this backup. Run `pindna upgrade` before any other "
                "command."
            )
        )


def backup_place(path: Path | None) -> Path:
    """Return the file for a backup: the given file, or a file in the given folder with the time as name."""
    name = f"pindna-{utc_now():%Y%m%dT%H%M%SZ}.backup.tar"
    if path is None:
        return Path(name)
    return path / name if path.is_dir() else path


def files_beside(settings: Settings) -> list[Path]:
    """Return the files that a backup leaves out, because a reader of the backup must not be able to sign."""
    return [key_path(settings), root_path(settings), secret_key_path(settings)]


def take_backup(settings: Settings, target: Path, *, stopped: bool = False) -> BackupManifest:
    """Write a complete backup that only its owner can read; after an error there is no file.

    Raises:
        CannotWrite: the disk is full, or the path is not writable or no file; nothing is left there.
        NoSnapshot, SnapshotLost, StillWritten, ServiceDown, StorageFailed: the server refused.
    """
    refuse_no_file(target)
    database = connect(settings.storage)
    with closing(database.client), whole_file(target) as unfinished, progress() as display:
        unfinished.unlink(missing_ok=True)
        task = display.add_task(_("Writing"), total=None)
        with os.fdopen(open_private(unfinished, os.O_WRONLY | os.O_EXCL), "wb") as file:
            return write_backup(
                database,
                file,
                stopped=stopped,
                note=lambda completed, total: display.update(task, completed=completed, total=total),
            )


def _restore(archive: BackupArchive, settings: Settings, *, replace: bool) -> None:
    database = connect(settings.storage)
    with closing(database.client), closing(open_redis(settings.storage)) as client, progress() as display:
        task = display.add_task(_("Restoring"), total=None)
        restore_backup(
            archive,
            database,
            replace=replace,
            note=lambda completed, total: display.update(task, completed=completed, total=total),
            forget=lambda: forget_frontiers(client),
        )


def _show(path: Path, manifest: BackupManifest) -> None:
    size = path.stat().st_size
    print_result(_("{path}: {size}").format(path=path, size=byte_count(size)))
    documents = ngettext("{count} document", "{count} documents", manifest.documents)
    moment = local_moment(datetime.fromisoformat(manifest.taken))
    print_result("  " + documents.format(count=manifest.documents) + " · " + moment)
    line = _(
        "Mother corpus version {corpus}, evidence log {entries} entries, schema {schema}, pindna {version}"
    )
    print_result(
        "  "
        + line.format(
            corpus=manifest.corpus_version,
            entries=manifest.log_entries,
            schema=manifest.schema,
            version=manifest.pindna,
        )
    )


def _as_object(path: Path, manifest: BackupManifest) -> dict[str, Any]:
    return {
        "path": str(path.resolve()),
        "bytes": path.stat().st_size,
        **object_of(manifest, "taken point pindna schema corpus_version log_entries left_out"),
        "documents": {name: facts.documents for name, facts in manifest.collections.items()},
    }

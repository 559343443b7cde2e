"""Cost of backing up a large database, compared with writing PyMongo's raw batches to one zstd stream.

Both read every document of every collection from the same server, one after the other, and write to the same
disk. The peer works like ``mongodump --archive --gzip``, but with another compressor. It writes no checksums
and no manifest, and its documents are not from one moment. After that, the backup is verified, and restored
into a second database.

Linux only: the processor time of a server comes from its process clock, the memory from ``/proc``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from backports import zstd
from pymongo.database import Database
from support.scale.scale_fill import Prose
from support.scale.scale_ground import Ground, Spent, open_ground

from benchmarks.report import Table
from storage.backup.archive import BackupArchive
from storage.backup.restoring import restore_backup
from storage.backup.writing import write_backup
from storage.collections.documents import Document

_RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCost:
    """Cost of one operation.

    Attributes:
        pages: number of pages in the database.
        way: name of the operation.
        cpu_s: processor time of this process and the servers.
        clock_s: wall-clock time, including other load on the machine.
        peak_mb: maximum growth of this process's memory.
        megabytes: size of the file.
    """

    pages: int
    way: str
    cpu_s: float
    clock_s: float
    peak_mb: float
    megabytes: float


def measure(pool: str, sizes: Sequence[int], *, report_progress: Callable[[str], None]) -> list[BackupCost]:
    """Measure backups of databases of several sizes.

    Args:
        pool: real prose from which page texts are mixed.
        sizes: number of pages in each database; a page takes about 35 kB.
        report_progress: called with progress messages.

    Raises:
        StackError: the servers cannot be started.
    """
    costs = list[BackupCost]()
    for pages in sizes:
        with TemporaryDirectory() as folder, open_ground(pages, Prose(pool)) as ground:
            report_progress(f"stored {pages} pages")
            costs += _measure_database(ground, Path(folder))
    return costs


def _measure_database(ground: Ground, folder: Path) -> list[BackupCost]:
    database, backup_file, plain_file = (
        ground.runtime.stores.database,
        folder / "backup.tar",
        folder / "plain.zst",
    )

    def restore() -> None:
        archive = BackupArchive(backup_file)
        try:
            restore_backup(archive, database.client[_RESTORED])
        finally:
            archive.close()

    ways: list[tuple[str, Callable[[], object], Path]] = [
        ("plain reading to zstd", lambda: _read_raw_batches(database, plain_file), plain_file),
        ("backup create", lambda: _write(database, backup_file), backup_file),
        ("backup verify", lambda: _verify(backup_file), backup_file),
        ("backup restore", restore, backup_file),
    ]
    return [_backup_cost(ground, way, ground.cost(run), file) for way, run, file in ways]


def _backup_cost(ground: Ground, way: str, spent: Spent, file: Path) -> BackupCost:
    return BackupCost(
        pages=ground.pages,
        way=way,
        cpu_s=spent.cpu_ms / 1000,
        clock_s=spent.clock_ms / 1000,
        peak_mb=spent.peak_mb,
        megabytes=file.stat().st_size / 2**20,
    )


def _read_raw_batches(database: Database[Document], path: Path) -> None:
    with zstd.open(path, "wb") as file:
        for name in database.list_collection_names():
            for batch in database[name].find_raw_batches():
                file.write(cast("bytes", batch))


def _write(database: Database[Document], path: Path) -> None:
    with path.open("wb") as file:
        write_backup(database, file)


def _verify(path: Path) -> None:
    archive = BackupArchive(path)
    try:
        for _ in archive.verify():
            pass
    finally:
        archive.close()


def table(costs: Sequence[BackupCost]) -> Table:
    """Return a table of the costs, and of each processor time divided by the time of plain reading."""
    plain_file = {cost.pages: cost.cpu_s for cost in costs if cost.way.startswith("plain")}
    rows = [
        (
            f"{cost.pages:,}",
            cost.way,
            f"{cost.cpu_s:.1f}",
            f"{cost.cpu_s / plain_file[cost.pages]:.2f}",
            f"{cost.clock_s:.1f}",
            f"{cost.peak_mb:.0f}",
            f"{cost.megabytes:.0f}",
        )
        for cost in costs
    ]
    head = ("pages", "way", "CPU s", "of plain reading", "seconds", "peak MB", "file MB")
    return Table("Backups compared with plain reading", head, tuple(rows))

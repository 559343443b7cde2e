"""Texts, fingerprints and candidate keys on disk, to deduplicate more texts than fit in memory.

One SQLite file without a journal. It is unlinked once open, so nothing remains after the process, however it
ends.

Candidate pairs are texts that share a key. Keys are sorted on disk and read once; a text is paired with the
next ``reach`` texts with the same key. A key that more texts share, of a common phrase or of hundreds of
copies, still links each text with its neighbours, and is counted.

Complexity: O(k log k) for k keys, on disk; memory for one block of keys, about 100 MB.
"""

import pickle
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.records import ClaimedDate
from storage.records.dates import parse_date
from system.errors import PindnaError
from system.exit_status import ExitStatus

REACH = 64
_BLOCK = 500_000  # keys read at a time
_HALF = 31  # bits of a text's number; a pair is one integer, with the smaller number in the upper bits
_MASK = (1 << _HALF) - 1

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, name TEXT, title TEXT, published TEXT, chars INT, fingerprint BLOB
);
CREATE TABLE keys (key INT, text INT);
CREATE TABLE pairs (both INT);
"""


class WorkFileFailed(PindnaError):
    """The temporary file cannot be written.

    Attributes:
        folder: the folder of the work file.
        problem: the reason.
    """

    template = "Cannot write the work file in {folder} ({problem}). Choose another disk with --work-dir."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRecord:
    """The record of a text next to its fingerprint.

    Attributes:
        name: its file or address.
        title: or an empty string.
        published: its claimed date, if known.
        chars: its length.
    """

    name: str
    title: str = ""
    published: ClaimedDate | None = None
    chars: int = 0


class CandidateFile:
    """Texts numbered from 0 in the order of addition, and the pairs that share a key.

    Args:
        folder: parent of the temporary folder; None: the system's default.
        reach: how many following texts of the same key a text is paired with.
        block: how many keys are read at a time.

    Raises:
        WorkFileFailed: from every method, if the disk is full or not writable.
    """

    def __init__(self, folder: Path | None = None, *, reach: int = REACH, block: int = _BLOCK) -> None:
        self._where = folder or Path(tempfile.gettempdir())
        self._reach = reach
        self._block = block
        self._count = 0
        self.crowded = 0
        with self._disk_errors(), tempfile.TemporaryDirectory(prefix="pindna-", dir=folder) as temporary:
            self._database = sqlite3.connect(Path(temporary) / "texts.sqlite", isolation_level=None)
            # The sorter's files, nameless too, belong in the same folder: the system's folder may be small.
            with suppress(sqlite3.Error):  # a build without this pragma sorts in the system's folder
                self._database.execute(
                    f"PRAGMA temp_store_directory = '{_quote_path(self._where.resolve())}'"
                )
            self._database.executescript(_SCHEMA)
            self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def __len__(self) -> int:
        return self._count

    def add(self, record: TextRecord, fingerprint: object, keys: Hashes) -> int:
        """Add a text and return its number."""
        number = self._count
        published = record.published.iso() if record.published else None
        packed = pickle.dumps(fingerprint, protocol=pickle.HIGHEST_PROTOCOL)
        row = (number, record.name, record.title, published, record.chars, packed)
        with self._disk_errors():
            self._database.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", row)
            signed = np.asarray(keys, dtype=np.uint64).view(np.int64).tolist()  # SQLite's integers are signed
            self._database.executemany("INSERT INTO keys VALUES (?, ?)", ((key, number) for key in signed))
        self._count += 1
        return number

    def record(self, number: int) -> TextRecord:
        """Return the record of a text."""
        query = "SELECT name, title, published, chars FROM texts WHERE id = ?"
        with self._disk_errors():
            name, title, published, chars = self._database.execute(query, (number,)).fetchone()
        date = parse_date(published) if published else None
        return TextRecord(name=name, title=title, published=date, chars=chars)

    def fingerprint(self, number: int) -> Any:
        """Return the fingerprint of a text."""
        query = "SELECT fingerprint FROM texts WHERE id = ?"
        with self._disk_errors():
            (packed,) = self._database.execute(query, (number,)).fetchone()
        return pickle.loads(packed)  # noqa: S301 - this process wrote it, into a folder that only it may enter

    def find_pairs(self) -> int:
        """Find the pairs of all texts added so far, and return how many there are."""
        self.crowded = 0
        with self._disk_errors():
            for keys, texts in self._key_blocks():
                self._note_crowded(keys)
                for pairs in self._pairs_within(keys, texts):
                    rows = ((both,) for both in pairs.tolist())
                    self._database.executemany("INSERT INTO pairs VALUES (?)", rows)
            self._database.execute("CREATE TABLE candidates AS SELECT DISTINCT both FROM pairs")
            self._database.execute("DROP TABLE pairs")
            (count,) = self._database.execute("SELECT COUNT(*) FROM candidates").fetchone()
        return int(count)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs that :meth:`find_pairs` found, the smaller number first, in ascending order."""
        with self._disk_errors():
            for (both,) in self._database.execute("SELECT both FROM candidates ORDER BY both"):
                yield both >> _HALF, both & _MASK

    def _key_blocks(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield keys and texts, sorted; a key is never cut between two blocks."""
        rows = self._database.execute("SELECT key, text FROM keys ORDER BY key, text")
        rest: Sequence[tuple[int, int]] = []
        while fetched := rows.fetchmany(self._block):
            block = np.array([*rest, *fetched], dtype=np.int64)
            whole = int(
                np.searchsorted(block[:, 0], block[-1, 0])
            )  # the last key may continue in the next block
            rest = block[whole:].tolist()
            yield block[:whole, 0], block[:whole, 1]
        if rest:
            block = np.array(rest, dtype=np.int64)
            yield block[:, 0], block[:, 1]

    def _pairs_within(
        self, keys: npt.NDArray[np.int64], texts: npt.NDArray[np.int64]
    ) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the pairs of texts that share one of the keys, as single integers."""
        for lag in range(1, min(self._reach, len(keys) - 1) + 1):
            same = np.flatnonzero(keys[lag:] == keys[:-lag])
            if len(same) == 0:
                return
            yield np.unique(texts[same] << _HALF | texts[same + lag])

    def _note_crowded(self, keys: npt.NDArray[np.int64]) -> None:
        """Count the keys that more texts share than are paired with each other."""
        beyond = self._reach + 1
        if len(keys) > beyond:
            self.crowded += len(np.unique(keys[beyond:][keys[beyond:] == keys[:-beyond]]))

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        """Convert errors of the disk to ``WorkFileFailed``."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            problem = getattr(error, "strerror", None) or str(error)
            raise WorkFileFailed(folder=self._where, problem=problem) from error


def _quote_path(path: Path) -> str:
    """Return a path escaped for single quotes in SQL."""
    return str(path).replace("'", "''")

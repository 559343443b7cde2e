"""Texts, their fingerprints and candidate keys on disk: deduplication of more texts than fit in memory.

One SQLite file in a temporary folder of its own, gone when it is closed. Nothing in it outlives the process,
so it is written without a journal.

Candidate pairs are texts that share a key. Keys are sorted (on disk) and read once; a text is paired with the
next ``reach`` texts that have the same key. A key that more texts share than that, of a common phrase or of
hundreds of copies, still links each of them with its neighbours, and is counted.

Complexity: O(k log k) for k keys, on disk; memory for one block of keys.
"""

import pickle
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.errors import PindnaError

REACH = 64
_BLOCK = 500_000  # keys read at a time

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, name TEXT, title TEXT, published TEXT, chars INT, fingerprint BLOB
);
CREATE TABLE keys (key INT, text INT);
CREATE TABLE pairs (left INT, right INT);
"""


class WorkFileFailed(PindnaError):
    """The temporary file cannot be written. Data: ``folder``, ``problem``."""

    template = "The work file in {folder} cannot be written ({problem}). Choose another disk by --work-dir."
    exit_status = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRecord:
    """What is kept of a text beside its fingerprint.

    Attributes:
        name: where it comes from.
        title: or an empty string.
        published: aware UTC, if known.
        chars: its length.
    """

    name: str
    title: str = ""
    published: datetime | None = None
    chars: int = 0


class CandidateFile:
    """Texts numbered from 0 in the order in which they are added, and the pairs that share a key.

    Args:
        folder: where the temporary folder is made; the system's place for them if none.
        reach: with how many of the following texts of the same key a text is paired.

    Raises:
        WorkFileFailed: from every method, when the disk is full or may not be written.
    """

    def __init__(self, folder: Path | None = None, *, reach: int = REACH) -> None:
        self._where = folder or Path(tempfile.gettempdir())
        self._reach = reach
        self._count = 0
        self.crowded = 0
        with self._told():
            self._folder = tempfile.TemporaryDirectory(prefix="pindna-", dir=folder)
            self._database = sqlite3.connect(Path(self._folder.name) / "texts.sqlite", isolation_level=None)
            # The sorter's files belong beside the others: the system's folder may be small.
            with suppress(sqlite3.Error):  # a build without this pragma sorts in the system's folder
                self._database.execute(f"PRAGMA temp_store_directory = '{_quoted(self._folder.name)}'")
            self._database.executescript(_SCHEMA)
            self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
        self._folder.cleanup()

    def __len__(self) -> int:
        return self._count

    def add(self, record: TextRecord, fingerprint: object, keys: Hashes) -> int:
        """Add a text and return its number."""
        number = self._count
        published = record.published.isoformat() if record.published else None
        packed = pickle.dumps(fingerprint, protocol=pickle.HIGHEST_PROTOCOL)
        row = (number, record.name, record.title, published, record.chars, packed)
        with self._told():
            self._database.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", row)
            signed = np.asarray(keys, dtype=np.uint64).view(np.int64).tolist()  # SQLite's integers are signed
            self._database.executemany("INSERT INTO keys VALUES (?, ?)", ((key, number) for key in signed))
        self._count += 1
        return number

    def record(self, number: int) -> TextRecord:
        """Return what is kept of a text."""
        query = "SELECT name, title, published, chars FROM texts WHERE id = ?"
        with self._told():
            name, title, published, chars = self._database.execute(query, (number,)).fetchone()
        moment = datetime.fromisoformat(published) if published else None
        return TextRecord(name=name, title=title, published=moment, chars=chars)

    def fingerprint(self, number: int) -> Any:
        """Return a text's fingerprint."""
        query = "SELECT fingerprint FROM texts WHERE id = ?"
        with self._told():
            (packed,) = self._database.execute(query, (number,)).fetchone()
        return pickle.loads(packed)  # noqa: S301 - this process wrote it, into a folder that only it may enter

    def find_pairs(self) -> int:
        """Find the pairs of all texts added so far, and return how many there are."""
        self.crowded = 0
        with self._told():
            for block in self._key_blocks():
                pairs = self._pairs_within(*block)
                self._database.executemany("INSERT INTO pairs VALUES (?, ?)", pairs)
            self._database.execute("CREATE TABLE candidates AS SELECT DISTINCT left, right FROM pairs")
            self._database.execute("DROP TABLE pairs")
            (count,) = self._database.execute("SELECT COUNT(*) FROM candidates").fetchone()
        return int(count)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs that :meth:`find_pairs` found, the smaller number first, in ascending order."""
        with self._told():
            yield from self._database.execute("SELECT left, right FROM candidates ORDER BY left, right")

    def _key_blocks(self) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield keys and texts, sorted; a key is never cut between two blocks."""
        rows = self._database.execute("SELECT key, text FROM keys ORDER BY key, text")
        rest: Sequence[tuple[int, int]] = []
        while fetched := rows.fetchmany(_BLOCK):
            block = np.array([*rest, *fetched], dtype=np.int64)
            whole = int(np.searchsorted(block[:, 0], block[-1, 0]))  # the last key may go on
            rest = block[whole:].tolist()
            yield block[:whole, 0], block[:whole, 1]
        if rest:
            block = np.array(rest, dtype=np.int64)
            yield block[:, 0], block[:, 1]

    def _pairs_within(
        self, keys: npt.NDArray[np.int64], texts: npt.NDArray[np.int64]
    ) -> list[tuple[int, int]]:
        """Return the distinct pairs of texts that share one of the keys."""
        found = []
        for lag in range(1, min(self._reach, len(keys) - 1) + 1):
            same = np.flatnonzero(keys[lag:] == keys[:-lag])
            if len(same) == 0:
                break
            found.append(np.stack([texts[same], texts[same + lag]], axis=1))
        beyond = self._reach + 1
        if len(keys) > beyond:
            self.crowded += len(np.unique(keys[beyond:][keys[beyond:] == keys[:-beyond]]))
        pairs = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
        return [(left, right) for left, right in np.unique(pairs, axis=0).tolist() if left != right]

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what the disk refuses in one line."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            problem = getattr(error, "strerror", None) or str(error)
            raise WorkFileFailed(folder=self._where, problem=problem) from error


def _quoted(path: str) -> str:
    """Return a path as it stands within single quotes in SQL."""
    return path.replace("'", "''")

"""Tables of metadata: metadata.toml or metadata.csv in a folder; NAME.toml or NAME.csv next to NAME.

In TOML, top-level fields describe the folder and make it one work; a table describes the file or folder with
its name. ``chapters`` lists files in reading order. In CSV, each row is about the file in its column
``file``; the row for ``.`` describes the folder.
"""

import csv
import io
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any

from system.errors import PindnaError
from system.local_files import readable
from system.messages import N_
from tracker.corpus.content import NO_METADATA, WorkMetadata, metadata_from
from tracker.corpus.names import same_name
from tracker.corpus.texts import clean_text

ENDINGS = (".toml", ".csv")
STEM = "metadata"
_FILE_COLUMNS = ("file", "path", "name", "文件", "文件名", "檔案")
MAX_BYTES = 4 << 20  # enough for the names of 100,000 files; parsing takes about a second per megabyte
# The memory for a dotted name grows with the square of its parts.
_DEEP_NAME = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""", re.ASCII)
_DELIMITERS = (",", ";", "\t", "，")


class BadTable(PindnaError):
    """A table of metadata cannot be read.

    Attributes:
        path: the file or folder.
        problem: the reason.
    """

    template = "Ignored the metadata in {path}: {problem}. Correct the file."


class UnknownNames(PindnaError):
    """A table of metadata lists files that do not exist.

    Attributes:
        path: the file or folder.
        names: the first names.
    """

    template = "{path} lists files that do not exist or are not read: {names}. Correct their names."


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """The content of a table.

    Attributes:
        path: of the table.
        folder: metadata of the folder itself; None: none, so the table does not make it one work.
        chapters: names of its files in reading order; may be empty.
        files: metadata of files and folders below it, by names or paths.
        remarks: what could not be used.
    """

    path: Path
    folder: WorkMetadata | None = None
    chapters: tuple[str, ...] = ()
    files: Mapping[str, WorkMetadata] = field(default_factory=dict)
    remarks: tuple[PindnaError, ...] = ()


def read_table(data: bytes, path: Path, zone: tzinfo) -> TextTable:
    """Return the content of a table; an unreadable one contains only the reason.

    Args:
        data: the file.
        path: its name in messages; its ending determines the format.
        zone: of dates without a zone.
    """
    if len(data) > MAX_BYTES:
        return TextTable(path=path, remarks=(BadTable(path=readable(path), problem=N_("it is too long")),))
    try:
        text = clean_text(data, readable(path), needs_han=False)
        return _from_toml(text, path, zone) if path.suffix.lower() == ".toml" else _from_csv(text, path, zone)
    except (csv.Error, ValueError, RecursionError):
        return TextTable(
            path=path, remarks=(BadTable(path=readable(path), problem=N_("not valid CSV or TOML")),)
        )
    except PindnaError as error:
        return TextTable(path=path, remarks=(error,))


def _from_toml(text: str, path: Path, zone: tzinfo) -> TextTable:
    if _DEEP_NAME.search(text):
        raise ValueError("a name has too many parts")
    fields = tomllib.loads(text)
    top_level = {name.lower(): value for name, value in fields.items() if not isinstance(value, dict)}
    chapters = top_level.pop("chapters", [])
    if not isinstance(chapters, list) or not all(isinstance(name, str) for name in chapters):
        raise BadTable(path=readable(path), problem="chapters is not a list of names")
    rows = {name: value for name, value in fields.items() if isinstance(value, dict)}
    said, remarks = metadata_from(top_level, path, zone)
    files, odd = _rows_by_file(rows, path, zone)
    is_about_folder = said != NO_METADATA or bool(chapters)
    return TextTable(
        path=path,
        folder=said if is_about_folder else None,
        chapters=tuple(map(_comparable_name, chapters)),
        files=files,
        remarks=remarks + odd,
    )


def _from_csv(text: str, path: Path, zone: tzinfo) -> TextTable:
    head = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter, restkey="")
    columns = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
    column = next((columns[name] for name in _FILE_COLUMNS if name in columns), None)
    if column is None:
        raise BadTable(path=readable(path), problem="the column file is missing")
    rows: dict[str, Mapping[str, Any]] = {}
    for row in reader:
        if name := (row[column] or "").strip():
            rows[name] = {name.strip().lower(): value for name, value in row.items() if isinstance(name, str)}
    files, remarks = _rows_by_file(rows, path, zone)
    return TextTable(path=path, folder=files.pop(".", None), files=files, remarks=remarks)


def _rows_by_file(
    rows: Mapping[str, Mapping[str, Any]], path: Path, zone: tzinfo
) -> tuple[dict[str, WorkMetadata], tuple[PindnaError, ...]]:
    files: dict[str, WorkMetadata] = {}
    remarks: list[PindnaError] = []
    for name, values in rows.items():
        said, odd = metadata_from({key.lower(): value for key, value in values.items()}, path, zone)
        files[_comparable_name(name)] = said
        remarks += odd
    return files, tuple(remarks)


def _comparable_name(name: str) -> str:
    """Return a file name in the form used for comparisons."""
    return same_name(name.replace("\\", "/").strip().removeprefix("./").rstrip("/")) or "."

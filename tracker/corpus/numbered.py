"""Files whose names are numbers: each a work of its own, or the chapters of one; only their owner knows."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from storage.errors import PindnaError
from storage.local_files import MAX_FILE_BYTES, readable
from tracker.corpus.folder import read_parts
from tracker.corpus.reading import RawWork

_NUMBER = re.compile(r"第?\s*([0-9０-９]+|[〇零一二三四五六七八九十百千]+)\s*[章回节節卷集]?")
_DIGITS = re.compile(r"\d+")


class NumberedFiles(PindnaError):
    """The files of a folder are named by numbers. Data: ``path``, ``count``, ``names``."""

    template = (
        "{path}: {count} files are named by numbers alone ({names}); skipped. Say with --numbered chapters "
        "that they are one work, or with --numbered works that each is one."
    )


def numbered_folders(files: Iterable[Path | PindnaError]) -> Mapping[Path, list[Path]]:
    """Return the folders of which all texts, two or more, are named by numbers, with these in their order."""
    folders: dict[Path, list[Path]] = {}
    for path in files:
        if isinstance(path, Path) and path.suffix.lower() == ".txt":
            folders.setdefault(path.parent, []).append(path)
    return {
        folder: sorted(texts, key=_place)
        for folder, texts in folders.items()
        if len(texts) > 1 and all(_NUMBER.fullmatch(path.stem) for path in texts)
    }


def _place(path: Path) -> tuple[int, str]:
    """Return where a file stands among others: 2 before 10."""
    digits = _DIGITS.search(path.stem)
    return (int(digits.group()) if digits else 0), path.name


def numbered_error(folder: Path, files: list[Path]) -> NumberedFiles:
    """Return the error that nobody said what the numbered files of a folder are."""
    names = tuple(readable(path.name) for path in files[:3])
    return NumberedFiles(path=readable(folder), count=len(files), names=(*names, "…")[: len(files)])


def read_chapters(
    folder: Path, files: list[Path], *, max_bytes: int = MAX_FILE_BYTES
) -> list[RawWork | PindnaError]:
    """Return the files of a folder as one work, called as the folder, after errors of files that are none."""
    return list(read_parts(folder.resolve(), files, max_bytes))

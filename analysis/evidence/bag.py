"""Write the tag files of a bag (BagIt 1.0, RFC 8493), which list the payload with SHA-256 values."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from analysis.evidence.layout import BAG_INFO, BAGIT, DATA, MANIFEST, TAG_FILES, TAG_MANIFEST


def write_tag_files(folder: Path, info: Mapping[str, str]) -> bytes:
    """Write the tag files of a bag with its payload below ``data/``. Return its tag manifest.

    Args:
        folder: folder of the bag.
        info: fields of ``bag-info.txt``, apart from the payload size.

    Raises:
        OSError: a file cannot be read or written.
    """
    payload = files_below(folder / DATA)
    size = sum(path.stat().st_size for path in payload)
    lines = {**info, "Payload-Oxum": f"{size}.{len(payload)}"}
    _write_lines(folder / BAGIT, ["BagIt-Version: 1.0\n", "Tag-File-Character-Encoding: UTF-8\n"])
    _write_lines(folder / BAG_INFO, (f"{name}: {' '.join(value.split())}\n" for name, value in lines.items()))
    _write_lines(folder / MANIFEST, _manifest_lines(folder, payload))
    _write_lines(folder / TAG_MANIFEST, _manifest_lines(folder, [folder / name for name in TAG_FILES]))
    return (folder / TAG_MANIFEST).read_bytes()


def files_below(folder: Path) -> list[Path]:
    """Return all files below a folder, by name."""
    return sorted((path for path in folder.rglob("*") if path.is_file()), key=Path.as_posix)


def _manifest_lines(folder: Path, paths: Iterable[Path]) -> Iterable[str]:
    for path in paths:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        yield f"{digest}  {path.relative_to(folder).as_posix()}\n"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)

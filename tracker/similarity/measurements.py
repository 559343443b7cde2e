"""Files with measurements of a user's corpus: letter frequencies and word rarity.

Both are JSON. The name inside is derived from the content and is part of parameter ids: fingerprints with
different measurements never mix.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fingerprint.idf import Idf
from fingerprint.reference import INITIALS, Reference
from system.errors import PindnaError
from system.local_files import read_file

_LETTERS = "pindna letters 1"
_WORDS = "pindna words 1"
_MAX_BYTES = 1 << 29  # a million words take 20 MB


class UnreadableMeasurement(PindnaError):
    """A file of measurements cannot be used.

    Attributes:
        path: the file or folder.
        problem: the reason.
        command: the command that makes such a file.
    """

    template = "Cannot use {path} ({problem}). Create it again with `pindna measure {command}`."


class OtherDictionary(PindnaError):
    """Words were counted with another dictionary.

    Attributes:
        path: the file or folder.
        counted: the dictionary of the file.
        used: the present dictionary.
    """

    template = (
        "{path} was counted with dictionary {counted}, not with {used}. Use the same --dictionary"
        " for both commands."
    )


def name_of(values: Mapping[str, float]) -> str:
    """Return a name of eight hexadecimal digits for measured values."""
    return hashlib.sha256(json.dumps(dict(sorted(values.items()))).encode()).hexdigest()[:8]


def letters_text(reference: Reference) -> str:
    """Return the text of the file that describes a letter reference."""
    shares = dict(zip(INITIALS, reference.shares, strict=True))
    return json.dumps({"what": _LETTERS, "name": reference.name, "shares": shares}, indent=1) + "\n"


def read_letters(path: Path) -> Reference:
    """Read a reference in the form of :func:`letters_text`.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        UnreadableMeasurement: it is not such a file.
    """
    fields = _read_fields(path, _LETTERS, "letters")
    try:
        return Reference(str(fields["name"]), tuple(float(fields["shares"][initial]) for initial in INITIALS))
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableMeasurement(path=path, problem="not complete", command="letters") from error


def words_text(idf: Idf, words_id: str) -> str:
    """Return the content of a file of document frequencies."""
    fields = {"what": _WORDS, "name": idf.name, "words_id": words_id, "documents": idf.documents}
    return json.dumps(fields | {"counts": dict(sorted(idf.counts.items()))}, ensure_ascii=False) + "\n"


def read_words(path: Path, words_id: str) -> Idf:
    """Read document frequencies in the form of :func:`words_text`.

    Args:
        path: the file.
        words_id: the segmenter that they will be used with.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        UnreadableMeasurement: it is not such a file.
        OtherDictionary: words were counted with another segmenter.
    """
    fields = _read_fields(path, _WORDS, "words")
    try:
        counts = {str(word): int(count) for word, count in fields["counts"].items()}
        idf = Idf(str(fields["name"]), int(fields["documents"]), MappingProxyType(counts))
        counted = str(fields["words_id"])
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableMeasurement(path=path, problem="not complete", command="words") from error
    if counted != words_id:
        raise OtherDictionary(path=path, counted=counted, used=words_id)
    return idf


def _read_fields(path: Path, what: str, command: str) -> dict[str, Any]:
    """Return the object in a file of measurements.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be read.
        UnreadableMeasurement: it is not such a file.
    """
    try:
        fields = json.loads(read_file(path, max_bytes=_MAX_BYTES).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableMeasurement(path=path, problem="not JSON", command=command) from error
    if not isinstance(fields, dict) or fields.get("what") != what:
        raise UnreadableMeasurement(path=path, problem="it contains something else", command=command)
    return fields

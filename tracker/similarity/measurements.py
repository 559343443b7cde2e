"""What is measured in a user's own corpus, as files: how often an initial occurs, and how rare a word is.

Both are JSON. The name inside is made from the content, and goes into parameter ids: another measurement
makes other fingerprints, and they never mix.
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
    """A file of measurements cannot be used. Data: ``path``, ``problem``, ``command``."""

    template = "{path} cannot be used ({problem}). Make it anew with `pindna measure {command}`."


class OtherDictionary(PindnaError):
    """Words were counted with another dictionary. Data: ``path``, ``counted``, ``used``."""

    template = (
        "{path} was counted with dictionary {counted}, not with {used}. "
        "Give the same --dictionary here and there."
    )


def name_of(values: Mapping[str, float]) -> str:
    """Return a name of eight hexadecimal digits for what was measured."""
    return hashlib.sha256(json.dumps(dict(sorted(values.items()))).encode()).hexdigest()[:8]


def letters_text(reference: Reference) -> str:
    """Return a reference as the text of its file."""
    shares = dict(zip(INITIALS, reference.shares, strict=True))
    return json.dumps({"what": _LETTERS, "name": reference.name, "shares": shares}, indent=1) + "\n"


def read_letters(path: Path) -> Reference:
    """Return the reference that :func:`letters_text` gave.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableMeasurement: it is something else.
    """
    fields = _read_fields(path, _LETTERS, "letters")
    try:
        return Reference(str(fields["name"]), tuple(float(fields["shares"][initial]) for initial in INITIALS))
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableMeasurement(path=path, problem="not complete", command="letters") from error


def words_text(idf: Idf, words_id: str) -> str:
    """Return document frequencies as the text of their file."""
    fields = {"what": _WORDS, "name": idf.name, "words_id": words_id, "documents": idf.documents}
    return json.dumps(fields | {"counts": dict(sorted(idf.counts.items()))}, ensure_ascii=False) + "\n"


def read_words(path: Path, words_id: str) -> Idf:
    """Return the document frequencies that :func:`words_text` gave.

    Args:
        path: the file.
        words_id: the segmenter that they will be used with.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableMeasurement: it is something else.
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
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableMeasurement: it is something else.
    """
    try:
        fields = json.loads(read_file(path, max_bytes=_MAX_BYTES).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableMeasurement(path=path, problem="not JSON", command=command) from error
    if not isinstance(fields, dict) or fields.get("what") != what:
        raise UnreadableMeasurement(path=path, problem="it holds something else", command=command)
    return fields

"""Errors: a work cannot be stored under its title. Remarks: a work replaced another text."""

from collections import Counter
from collections.abc import Iterable, Sequence

from storage.records import Passage
from system.errors import PindnaError
from tracker.corpus.chapters import ChapterSection

_SAME_TEXT = 0.9  # minimum share of equal characters; headings may differ
_OTHER_TEXT = 0.1  # below this share of equal characters, a file does not contain a new version of a text


class DuplicateTitle(PindnaError):
    """Another text is registered under the title.

    Attributes:
        title: the title.
        origin: the file or address of the text.
        other: the other work, or its origin.
    """

    template = (
        "Skipped {origin}: the title “{title}” is already registered for another text (from "
        "{other}). Rename the file, or remove the other work first."
    )


class SameText(PindnaError):
    """The text of a work is already registered, divided into other passages.

    Attributes:
        title: the title.
        origin: the file or address of the text.
        other: the other work, or its origin.
    """

    template = (
        "Skipped {origin}: the text of “{title}” is already registered with other passages (from "
        "{other}). It is protected as it is. To use these passages, remove the other work first."
    )


class OtherPassages(PindnaError):
    """A file or folder has none of the passages that were loaded from it before, such as later chapters only.

    Attributes:
        title: the title.
        origin: the file or folder.
        count: number of passages that are stored.
    """

    template = (
        "Skipped {origin}: it has none of the {count} passages of “{title}” that are stored. Load all "
        "passages together. To replace the text, remove the work first."
    )


class PassagesGone(PindnaError):
    """A new version of a work has fewer passages than before.

    Attributes:
        title: the title.
        origin: the file or folder.
        count: number of its passages.
        before: number of passages before.
    """

    template = (
        "{origin}: “{title}” now has {count} passages instead of {before}. The other passages are no "
        "longer protected. If this is wrong, load all passages together again."
    )


class TextReplaced(PindnaError):
    """The text of a work now comes from another file.

    Attributes:
        title: the title.
        origin: the file or address of the text.
        other: the other work, or its origin.
    """

    template = "{origin}: “{title}” now has this text instead of that of {other}."


class TooManyPassages(PindnaError):
    """A work has more passages than its record can store.

    Attributes:
        title: the title.
        origin: the file or address of the text.
        count: how many there are.
        limit: the limit.
    """

    template = (
        "Skipped {origin}: “{title}” has {count} passages, but a work may have {limit}. Load it "
        "as several works."
    )


def is_same_text(sections: Sequence[ChapterSection], passages: Sequence[Passage]) -> bool:
    """Return whether each text contains most of the other, line by line."""
    return _shared_share(sections, passages) >= _SAME_TEXT


def is_other_text(sections: Sequence[ChapterSection], passages: Sequence[Passage]) -> bool:
    """Return whether two texts of several passages have hardly a line in common."""
    return min(len(sections), len(passages)) > 1 and _shared_share(sections, passages) < _OTHER_TEXT


def _shared_share(sections: Sequence[ChapterSection], passages: Sequence[Passage]) -> float:
    """Return how much of the longer text is in the other one, line by line, 0 to 1."""
    first, other = (_line_lengths(section.text for section in parts) for parts in (sections, passages))
    return (first & other).total() / max(1, first.total(), other.total())


def _line_lengths(texts: Iterable[str]) -> Counter[str]:
    """Return the number of characters of each line, without white space."""
    lines: Counter[str] = Counter()
    for text in texts:
        for line in text.splitlines():
            if plain := "".join(line.split()):
                lines[plain] += len(plain)
    return lines

"""Why a work is not stored under its title, or what it took the place of."""

from collections import Counter
from collections.abc import Iterable, Sequence

from storage.records import Passage
from system.errors import PindnaError
from tracker.corpus.chapters import ChapterSection

_SAME_TEXT = 0.9  # of its characters; headings may differ


class DuplicateTitle(PindnaError):
    """Another text is registered under the title. Data: ``title``, ``origin``, ``other``."""

    template = (
        "{origin}: the title “{title}” is already registered for another text (from {other}); skipped. "
        "Rename the file, or remove the other work first."
    )


class SameText(PindnaError):
    """The text of a work is there, divided into other passages. Data: ``title``, ``origin``, ``other``."""

    template = (
        "{origin}: the text of “{title}” is there already, in other passages (from {other}); skipped. "
        "It is protected as it is; to have these passages, remove the other work first."
    )


class TextReplaced(PindnaError):
    """A work has the text of another file now. Data: ``title``, ``origin``, ``other``."""

    template = "{origin}: “{title}” has this text now, and no longer that of {other}."


class TooManyPassages(PindnaError):
    """A work has more passages than its record holds. Data: ``title``, ``origin``, ``count``, ``limit``."""

    template = (
        "{origin}: “{title}” has {count} passages, and a work may have {limit}; skipped. "
        "Load it as several works."
    )


def is_same_text(sections: Sequence[ChapterSection], passages: Sequence[Passage]) -> bool:
    """Return whether most of the text of each stands in the other, line by line."""
    first, other = (_lines(section.text for section in parts) for parts in (sections, passages))
    shared = (first & other).total()
    return shared >= _SAME_TEXT * max(first.total(), other.total())


def _lines(texts: Iterable[str]) -> Counter[str]:
    """Return how many characters of some texts stand in each of their lines, without white space."""
    lines: Counter[str] = Counter()
    for text in texts:
        for line in text.splitlines():
            if plain := "".join(line.split()):
                lines[plain] += len(plain)
    return lines

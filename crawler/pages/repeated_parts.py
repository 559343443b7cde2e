"""Detects further parts that repeat earlier parts of a text. Pure.

Some sites answer every page number with the same page, so 下一页 never ends. A part repeats a text if nine
tenths of it are lines of earlier parts. Short lines are ignored, because any two parts may share them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from crawler.extraction import ExtractedPage
from storage.records import RestPiece

_MIN_LINE = 10  # minimum characters of a line that two parts do not share by chance
_MIN_REPEATED = 0.9  # minimum share of repeated characters


@dataclass(slots=True)
class ReadLines:
    """The lines of earlier parts, by hash."""

    _lines: set[int] = field(default_factory=set)
    _texts: set[int] = field(default_factory=set)

    def add(self, extracted: ExtractedPage) -> None:
        """Add the lines of a part."""
        text = extracted.text or extracted.rest
        self._lines.update(map(hash, _long_lines(text)))
        self._texts.add(hash(text))

    def has(self, extracted: ExtractedPage) -> bool:
        """Return whether a part only repeats earlier parts.

        For a part without an article, such as a page of pictures, the rest is compared.
        """
        text = extracted.text or extracted.rest
        if hash(text) in self._texts:
            return True
        lines = list(_long_lines(text))
        repeated = sum(len(line) for line in lines if hash(line) in self._lines)
        return bool(lines) and repeated >= _MIN_REPEATED * sum(map(len, lines))

    def without_text(self, extracted: ExtractedPage) -> ExtractedPage:
        """Return a repeating part without its text; new lines go to its rest.

        A part with posts stays unchanged, because repeated posts are removed when a thread is joined.
        """
        if extracted.posts:
            return extracted
        new = [line for line in extracted.text.split("\n") if line and hash(line) not in self._lines]
        rest, pieces = _append_lines(extracted.rest, extracted.rest_pieces, new)
        return replace(extracted, text="", whole="", rest=rest, rest_pieces=pieces)


def _long_lines(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if len(line) >= _MIN_LINE)


def _append_lines(
    rest: str, pieces: Sequence[RestPiece], lines: Sequence[str]
) -> tuple[str, tuple[RestPiece, ...]]:
    """Return a rest with further lines at its end, each as a piece."""
    texts, added = [rest] if rest else [], list(pieces)
    at = len(rest)
    for line in lines:
        start = at + bool(texts)
        texts.append(line)
        at = start + len(line)
        added.append(RestPiece(start=start, end=at, reason="repeated"))
    return "\n".join(texts), tuple(added)

"""From an extracted text back to the page as it was received: which characters came from where. Pure.

Nothing is stored for this: the snapshot and the text are enough. The page's source is read as a stream of the
characters that it shows, each with its place (tags skipped, entities resolved, white space and characters
without width left out); the text is a subsequence of that stream, line after line. A line that was cleaned is
found in pieces, each the longest beginning of what is left of the line that the stream goes on with. What
stands in scripts is looked through after the rest. Linear but for short searches.

Offsets count characters: of the text, and of the snapshot as :func:`crawler.extraction.parsing.decode_page`
decodes it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from crawler.extraction.characters import plain, visible
from crawler.extraction.parsing import decode_page, unpacked

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b[^>]*+(?:>|\Z)(?P<content>.*?)(?:</(?P=raw)\s*>|\Z)"
    r"|<[a-zA-Z/!?][^>]*+(?:>|\Z)"  # one that nobody ends takes all the rest, as in a browser
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?)|(?P<text>[^<&]+|[<&])",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<char>[nrt\"'/\\])")
_NEAR = 4000  # stream characters in which the next piece of a line is looked for
_SURE = 4  # characters that a piece far away must have, lest any single character be found somewhere


@dataclass(frozen=True, slots=True)
class Traced:
    """A stretch of the text and where it came from.

    Attributes:
        start, end: in the text.
        part: number of the snapshot, for texts on several pages.
        source_start, source_end: in that snapshot, decoded.
    """

    start: int
    end: int
    part: int
    source_start: int
    source_end: int


@dataclass(slots=True)
class _Stream:
    """The shown characters of a page."""

    part: int
    text: str
    places: list[tuple[int, int]]
    at: int = 0


def trace(text: str, bodies: Sequence[bytes], *, declared: str | None = None) -> list[Traced]:
    """Return where the characters of a text stand in the snapshots that it was taken from, in order.

    Args:
        text: the extracted text.
        bodies: the snapshots' bodies, in reading order.
        declared: charset of their Content-Type header, if any.

    Returns:
        Stretches in the order of the text. White space is in none of them; what was not found is left out.
    """
    sources = [decode_page(unpacked(body), declared=declared).text for body in bodies]
    shown = [_stream(part, source, scripts=False) for part, source in enumerate(sources)]
    hidden: list[_Stream] = []
    found: list[Traced] = []
    for start, line in _lines(text):
        squeezed, places = _squeezed(line, start)
        pieces = _traced(squeezed, places, shown)
        if sum(each.end - each.start for each in pieces) < len(squeezed) / 2:
            hidden = hidden or [_stream(part, source, scripts=True) for part, source in enumerate(sources)]
            pieces = _traced(squeezed, places, hidden) or pieces
        found += pieces
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _squeezed(line: str, start: int) -> tuple[str, list[int]]:
    """Return a line without white space, and the place of each character in the text."""
    kept = [(char, start + at) for at, char in enumerate(line) if not char.isspace()]
    return plain("".join(char for char, _ in kept)), [at for _, at in kept]


def _stream(part: int, source: str, *, scripts: bool) -> _Stream:
    chars: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end, text in _shown(source, scripts=scripts):
        whole = len(text) == end - start  # else one entity or escape that stands for the text
        for at, char in enumerate(text):
            if not char.isspace() and visible(char):
                chars.append(char)
                places.append((start + at, start + at + 1) if whole else (start, end))
    return _Stream(part, plain("".join(chars)), places)


def _shown(source: str, *, scripts: bool) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, characters shown) of the source's texts, or of its scripts."""
    for token in _TOKEN.finditer(source):
        if token["raw"]:
            if scripts:
                yield from _unescaped(token["content"], token.start("content"))
        elif scripts:
            continue
        elif token["entity"]:
            yield token.start(), token.end(), unescape(token["entity"])
        elif token["text"]:
            yield token.start(), token.end(), token["text"]


def _unescaped(script: str, start: int) -> Iterator[tuple[int, int, str]]:
    at = 0
    for escape in _ESCAPE.finditer(script):
        yield start + at, start + escape.start(), script[at : escape.start()]
        char = chr(int(escape["code"], 16)) if escape["code"] else escape["char"].translate(_CONTROLS)
        yield start + escape.start(), start + escape.end(), char
        at = escape.end()
    yield start + at, start + len(script), script[at:]


_CONTROLS = str.maketrans("nrt", "\n\r\t")


def _traced(line: str, places: list[int], streams: Sequence[_Stream]) -> list[Traced]:
    """Find a line in the streams, from where the last one ended, in as few pieces as it takes."""
    found: list[Traced] = []
    done = 0
    while done < len(line):
        piece = _next_piece(line[done:], streams, is_first=not found)
        if piece is None:
            done += 1  # a character that the page does not show: a look-alike that was replaced
            continue
        stream, at, length = piece
        found.append(
            Traced(
                places[done],
                places[done + length - 1] + 1,
                stream.part,
                stream.places[at][0],
                stream.places[at + length - 1][1],
            )
        )
        stream.at = at + length
        done += length
    return found


def _next_piece(rest: str, streams: Sequence[_Stream], *, is_first: bool) -> tuple[_Stream, int, int] | None:
    """Return stream, place and length of the longest beginning of ``rest`` that a stream goes on with."""
    for stream in streams:
        window = len(stream.text) if is_first else stream.at + _NEAR
        at = stream.text.find(rest, stream.at, window)
        if at >= 0:
            return stream, at, len(rest)
    best: tuple[_Stream, int, int] | None = None
    for stream in streams:
        at, length = _longest_beginning(rest, stream)
        is_sure = length >= min(_SURE, len(rest)) or (length > 0 and at == stream.at)
        if is_sure and (best is None or length > best[2]):
            best = stream, at, length
    return best


def _longest_beginning(rest: str, stream: _Stream) -> tuple[int, int]:
    """Return place and length of the longest beginning of ``rest`` near the stream's place, by bisection."""
    low, high, place = 0, len(rest), stream.at
    while low < high:
        middle = (low + high + 1) // 2
        at = stream.text.find(rest[:middle], stream.at, stream.at + _NEAR + middle)
        if at >= 0:
            low, place = middle, at
        else:
            high = middle - 1
    return place, low

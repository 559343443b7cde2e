"""The positions of an extracted text's characters in the page as received. Pure.

Nothing is stored for this; the snapshot and the text are enough. The page's source is read as a stream of its
visible characters with their positions: without tags, white space and characters without width, with entities
resolved. The text is a subsequence of that stream, line after line. A cleaned line is located in spans, each
the longest prefix of the rest of the line that continues the stream. Scripts are searched last. Linear except
for short searches.

Offsets count characters: of the text, and of the snapshot as :func:`crawler.extraction.parsing.decode_page`
decodes it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from crawler.extraction.characters import replace_look_alikes, without_invisible
from crawler.extraction.parsing import decode_page, unpack

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b[^>]*+(?:>|\Z)(?P<content>.*?)(?:</(?P=raw)\s*>|\Z)"
    r"|<[a-zA-Z/!?][^>]*+(?:>|\Z)"  # an unclosed tag extends to the end of the page, as in a browser
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});?)|(?P<text>[^<&]+|[<&])",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<char>[nrt\"'/\\])")
_WINDOW = 4000  # number of characters of the stream in which the next span is searched
# minimum characters of a span that does not follow directly; single characters occur anywhere
_MIN_FAR_CHARS = 4


@dataclass(frozen=True, slots=True)
class TracedSpan:
    """A span of the text and its origin.

    Attributes:
        start, end: offsets in the text.
        source_number: number of the snapshot, for texts on several pages.
        source_start, source_end: offsets in that snapshot, decoded.
    """

    start: int
    end: int
    source_number: int
    source_start: int
    source_end: int


@dataclass(slots=True)
class _Stream:
    """The visible characters of a page, their (start, end) in the source, and the read position."""

    source_number: int
    text: str
    places: list[tuple[int, int]]
    at: int = 0


def trace(text: str, bodies: Sequence[bytes], *, declared: str | None = None) -> list[TracedSpan]:
    """Return the positions of a text's characters in the snapshots from which it was extracted.

    Args:
        text: the extracted text.
        bodies: the snapshots' bodies, in reading order.
        declared: charset of their Content-Type header, if any.

    Returns:
        Spans in the order of the text, without white space and characters that are not in the snapshots.
    """
    sources = [decode_page(unpack(body), declared=declared).text for body in bodies]
    visible = [_stream(number, source, scripts=False) for number, source in enumerate(sources)]
    scripts: list[_Stream] = []
    traced: list[TracedSpan] = []
    for start, line in _lines(text):
        squeezed, places = _squeeze(line, start)
        spans = _trace_line(squeezed, places, visible)
        if sum(span.end - span.start for span in spans) < len(squeezed) / 2:
            scripts = scripts or [
                _stream(number, source, scripts=True) for number, source in enumerate(sources)
            ]
            spans = _trace_line(squeezed, places, scripts) or spans
        traced += spans
    return traced


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _squeeze(line: str, start: int) -> tuple[str, list[int]]:
    """Return a line without white space, and the position of each character in the text."""
    kept = [(char, start + at) for at, char in enumerate(line) if not char.isspace()]
    return replace_look_alikes("".join(char for char, _ in kept)), [at for _, at in kept]


def _stream(source_number: int, source: str, *, scripts: bool) -> _Stream:
    chars: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end, text in _visible_texts(source, scripts=scripts):
        whole = len(text) == end - start  # if false, a single entity or escape encodes the text
        for at, char in enumerate(text):
            if not char.isspace() and without_invisible(char):
                chars.append(char)
                places.append((start + at, start + at + 1) if whole else (start, end))
    return _Stream(source_number, replace_look_alikes("".join(chars)), places)


def _visible_texts(source: str, *, scripts: bool) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, characters) of the source's visible texts, or of its scripts."""
    for token in _TOKEN.finditer(source):
        if token["raw"]:
            if scripts:
                yield from _unescape(token["content"], token.start("content"))
        elif scripts:
            continue
        elif token["entity"]:
            yield token.start(), token.end(), unescape(token["entity"])
        elif token["text"]:
            yield token.start(), token.end(), token["text"]


def _unescape(script: str, start: int) -> Iterator[tuple[int, int, str]]:
    at = 0
    for escape in _ESCAPE.finditer(script):
        yield start + at, start + escape.start(), script[at : escape.start()]
        char = chr(int(escape["code"], 16)) if escape["code"] else escape["char"].translate(_CONTROLS)
        yield start + escape.start(), start + escape.end(), char
        at = escape.end()
    yield start + at, start + len(script), script[at:]


_CONTROLS = str.maketrans("nrt", "\n\r\t")


def _trace_line(line: str, places: list[int], streams: Sequence[_Stream]) -> list[TracedSpan]:
    """Locate a line in the streams, after the previous line, in as few spans as possible."""
    spans: list[TracedSpan] = []
    traced_chars = 0
    while traced_chars < len(line):
        match = _next_match(line[traced_chars:], streams, is_first=not spans)
        if match is None:
            traced_chars += 1  # the page does not contain this character, because a look-alike was replaced
            continue
        stream, at, length = match
        spans.append(
            TracedSpan(
                places[traced_chars],
                places[traced_chars + length - 1] + 1,
                stream.source_number,
                stream.places[at][0],
                stream.places[at + length - 1][1],
            )
        )
        stream.at = at + length
        traced_chars += length
    return spans


def _next_match(rest: str, streams: Sequence[_Stream], *, is_first: bool) -> tuple[_Stream, int, int] | None:
    """Return stream, position and length of the longest prefix of ``rest`` that continues a stream."""
    for stream in streams:
        window = len(stream.text) if is_first else stream.at + _WINDOW
        at = stream.text.find(rest, stream.at, window)
        if at >= 0:
            return stream, at, len(rest)
    best: tuple[_Stream, int, int] | None = None
    for stream in streams:
        at, length = _longest_prefix(rest, stream)
        is_sure = length >= min(_MIN_FAR_CHARS, len(rest)) or (length > 0 and at == stream.at)
        if is_sure and (best is None or length > best[2]):
            best = stream, at, length
    return best


def _longest_prefix(rest: str, stream: _Stream) -> tuple[int, int]:
    """Return position and length of the longest prefix of ``rest`` in the stream's window, by bisection."""
    low, high, position = 0, len(rest), stream.at
    while low < high:
        middle = (low + high + 1) // 2
        at = stream.text.find(rest[:middle], stream.at, stream.at + _WINDOW + middle)
        if at >= 0:
            low, position = middle, at
        else:
            high = middle - 1
    return position, low

"""The rest of a page: its lines outside the article, each with a reason. Pure, linear."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crawler.extraction.characters import replace_look_alikes, without_invisible
from crawler.extraction.parsing import Element
from crawler.extraction.rest.article import ArticleIndex
from crawler.extraction.rest.text_lines import Source, TextLine
from crawler.extraction.result import storable_text
from storage.records import MAX_PLACE_CHARS, MAX_REST_PIECES, RestPiece, RestReason

_TEXTS = frozenset({"text", "frame", "shadow"})
_MIN_ONCE = 8  # minimum characters of a line that is kept only once if it repeats
_MAX_BRIDGE = 60  # maximum characters of the article between two outside lines that are kept with them
_MIN_PROSE = 20  # minimum characters of a line that has precedence over shorter lines
_MARKS = frozenset("，。！？；：…")
_REASONS: dict[Source, RestReason] = {
    "attribute": "attribute",
    "style": "style",
    "script": "script",
    "frame": "frame",
    "shadow": "silent",
    "markup": "markup",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The decisions of extraction that left text out of a page's article.

    Attributes:
        article: lines of the text.
        hidden: elements considered hidden, with all their descendants.
        removed: lines of the article's block before cleaning: slogans, adverts.
        repeated: sentences that the site repeats.
        comments: lines of readers' comments, quotes and signatures.
        replaced: lines of the block that was rejected for a text from the page's data.
    """

    article: Sequence[str]
    hidden: frozenset[Element] = frozenset()
    removed: Sequence[str] = ()
    repeated: Sequence[str] = ()
    comments: Sequence[str] = ()
    replaced: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of a page.

    Attributes:
        text: a line for each line of the page.
        pieces: its pieces, in order; adjacent lines from one place form a piece.
        cut_chars: characters beyond the limit.
    """

    text: str = ""
    pieces: tuple[RestPiece, ...] = ()
    cut_chars: int = 0


NO_REST = Rest()


def rest_of(
    page_lines: Sequence[TextLine], keys: Sequence[str], decisions: Decisions, *, max_chars: int
) -> Rest:
    """Return the lines that are not in the article.

    Args:
        page_lines: every line of the page, in document order.
        keys: the Chinese characters of each.
        decisions: decisions about the page.
        max_chars: of the rest; beyond it, labels are cut off first, then the last lines.
    """
    index = ArticleIndex(decisions.article)
    kept = _outside(page_lines, keys, index)
    reason_of = _Reasons(decisions).reason_of
    outside = [page_lines[number] for number in kept]
    texts = _cleaned([line.text for line in outside])
    lines, cut_chars = _within(list(zip(outside, texts, strict=True)), max_chars)
    return _joined(lines, reason_of, cut_chars)


def _clean(text: str) -> str:
    """Return a line without characters that have no width, and without look-alikes."""
    return replace_look_alikes(without_invisible(storable_text(text)))


def _cleaned(lines: Sequence[str]) -> list[str]:
    """Return the cleaned lines; together if the number of lines stays the same, otherwise one by one."""
    cleaned = _clean("\n".join(lines)).split("\n")
    return cleaned if len(cleaned) == len(lines) else list(map(_clean, lines))


def _outside(page_lines: Sequence[TextLine], keys: Sequence[str], index: ArticleIndex) -> list[int]:
    """Return the numbers of the lines outside the article; texts come first, long lines are kept once."""
    kept_keys: set[str] = set()
    kept = [False] * len(page_lines)
    texts = [number for number, line in enumerate(page_lines) if line[1] in _TEXTS]
    other_numbers = [number for number, line in enumerate(page_lines) if line[1] not in _TEXTS]
    for numbers, is_text in ((texts, True), (other_numbers, False)):
        waiting: list[int] = []  # lines after an outside line that are in the article or were already kept
        chars, follows = 0, False
        for number in numbers:
            key = keys[number]
            is_known = not key or (key in kept_keys and len(key) >= _MIN_ONCE)
            if is_known or index.contains(page_lines[number][0], key):
                waiting.append(number)
                chars += len(key)
                if chars > _MAX_BRIDGE:
                    waiting, chars, follows = [], 0, False
                continue
            if waiting:
                if follows and is_text:
                    for skipped in waiting:
                        kept[skipped] = True
                waiting, chars = [], 0
            follows = True
            kept[number] = True
            kept_keys.add(key)
    return [number for number, is_kept in enumerate(kept) if is_kept]


class _Reasons:
    """Decides why a line is not in the article."""

    def __init__(self, decisions: Decisions) -> None:
        self._hidden = decisions.hidden
        self._by_line: dict[str, RestReason] = {}
        causes: tuple[tuple[RestReason, Sequence[str]], ...] = (
            ("replaced", decisions.replaced),
            ("slogan", decisions.removed),
            ("comment", decisions.comments),
            ("repeated", decisions.repeated),
        )
        for reason, lines in causes:
            for line in lines:
                self._by_line["".join(line.split())] = reason

    def reason_of(self, line: TextLine) -> RestReason:
        text, source, node, inline, *_ = line
        if source != "text":
            return _REASONS[source]
        nodes = inline or (() if node is None else (node,))
        if self._hidden and not self._hidden.isdisjoint([inner[0] for inner in nodes]):
            return "hidden"
        for inner in nodes:
            if inner[1].is_silent:
                return "silent"
        return self._by_line.get("".join(text.split()), "outside") if self._by_line else "outside"


def _within(lines: list[tuple[TextLine, str]], max_chars: int) -> tuple[list[tuple[TextLine, str]], int]:
    """Return the lines for which a rest has room, and the number of characters of the others."""
    chars = sum(len(text) + 1 for _, text in lines)
    if chars <= max_chars:
        return lines, 0
    fitting: dict[int, str] = {}
    remaining_chars = max_chars
    for is_prose in (True, False):
        for number, (_, text) in enumerate(lines):
            if remaining_chars > 1 and _is_prose(text) is is_prose:
                fitting[number] = text[: remaining_chars - 1]
                remaining_chars -= len(fitting[number]) + 1
    cut = sum(len(text) for _, text in lines) - sum(map(len, fitting.values()))
    return [(lines[number][0], fitting[number]) for number in sorted(fitting)], cut


def _is_prose(text: str) -> bool:
    return len(text) >= _MIN_PROSE or not _MARKS.isdisjoint(text)


def _joined(
    lines: Sequence[tuple[TextLine, str]], reason_of: Callable[[TextLine], RestReason], cut_chars: int
) -> Rest:
    """Join the lines to a text; adjacent lines from one place with one reason form a piece."""
    pieces: list[RestPiece] = []
    start = end = 0
    last: tuple[RestReason, str] | None = None
    for line, text in lines:
        path = "" if (node := line[2]) is None else node.path(line[4])
        what = reason_of(line), path[-MAX_PLACE_CHARS:]
        if what != last and last is not None and len(pieces) < MAX_REST_PIECES - 1:
            pieces.append(RestPiece(start=start, end=end - 1, reason=last[0], place=last[1]))
            start, last = end, what
        last = last or what
        end += len(text) + 1
    if last is not None:
        pieces.append(RestPiece(start=start, end=end - 1, reason=last[0], place=last[1]))
    return Rest("\n".join(text for _, text in lines), tuple(pieces), cut_chars)

"""Show a page next to the works that it copies from: parts of the texts first, more on demand. Pure.

Each text is cut into parts: stretches and the gaps between them. Joining the parts gives the text. A stretch
may begin inside an earlier stretch of the same side, for example if a page copies a paragraph twice. Then its
part contains only the characters after the earlier stretch. A stretch that also ends there has no separate
part; its position is the part that contains it. The first view shows ``ROOM`` characters of stretches and the
ends of gaps; more are added on request. All texts are made visible (:mod:`analysis.words.visible`) and
returned as plain values for a browser.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from analysis.texts.excerpts import runs_of
from analysis.texts.marking import MarkedRun
from analysis.words.visible import visible
from storage.records import Match, Span, Verdict
from tracker.comparison import PassageMatch

ROOM = 6_000  # characters of stretches in the first view
FIRST = 1_500  # maximum characters of one stretch in the first view
MORE = 6_000  # number of characters that a request adds
ENDS = 160  # number of shown characters at either end of a gap
MAX_STRETCHES = 200  # maximum number of stretches, the longest ones
MAX_SHOWN = 300_000  # maximum number of shown characters over all parts

Standing = Literal["counted", "common", "dismissed"]
Side = Literal["page", "passage"]
Shown = dict[str, Any]


class TooMuchShown(ValueError):
    """The request would exceed the maximum of shown characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelStretch:
    """A span, and whether it counts.

    Attributes:
        standing: ``common``: unrelated works or background texts contain it too; ``dismissed``: a reason
            exists.
        reason: the reason of a dismissal.
    """

    span: Span
    standing: Standing = "counted"
    reason: str = ""

    @property
    def chars(self) -> int:
        """Characters of the page."""
        return self.span.page_end - self.span.page_start


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPassage:
    """A passage that a page is compared with.

    Attributes:
        name: name of the match, or another unique name.
        work_id: the book.
        title: title of the work, and of the passage if it has one.
        text: text of the passage.
        more: number of omitted stretches, which are shorter than the included ones.
    """

    name: str
    work_id: int
    title: str
    verdict: Verdict
    text: str
    stretches: tuple[ParallelStretch, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class TextRange:
    """Position of a part in a text: ``text[start:end]``.

    Attributes:
        stretch: number of its stretch; None for a gap.
    """

    start: int
    end: int
    stretch: int | None = None


def compared_passage(match: Match | PassageMatch, name: str, title: str, text: str) -> ComparedPassage:
    """Return the passage of a match with its longest stretches, in the order of the page.

    Args:
        match: a match.
        name: a unique name.
        title: title of its work and passage.
        text: text of the passage.
    """
    all_stretches = [
        *(ParallelStretch(span=span) for span in match.spans),
        *(ParallelStretch(span=span, standing="common") for span in match.common),
        *(
            ParallelStretch(span=suppression.span, standing="dismissed", reason=suppression.because)
            for suppression in match.suppressed
            if suppression.span not in match.spans
        ),
    ]
    longest = sorted(all_stretches, key=lambda stretch: -stretch.chars)[:MAX_STRETCHES]
    return ComparedPassage(
        name=name,
        work_id=match.work_id if isinstance(match, Match) else match.work.book_id,
        title=title,
        verdict=match.verdict,
        text=text,
        stretches=tuple(sorted(longest, key=lambda stretch: stretch.span.page_start)),
        more=len(all_stretches) - len(longest),
    )


def fits(page: str, other: ComparedPassage) -> bool:
    """Return whether all stretches fit both texts; if not, these are not the compared texts."""
    return all(
        stretch.span.page_end <= len(page) and stretch.span.passage_end <= len(other.text)
        for stretch in other.stretches
    )


def parts_of(length: int, bounds: Sequence[tuple[int, int]]) -> tuple[list[TextRange], list[int]]:
    """Cut a text into stretches and the gaps between them.

    Args:
        length: characters of the text.
        bounds: start and end of each stretch.

    Returns:
        The parts in order, and for each stretch the number of the part that contains its start.
    """
    parts: list[TextRange] = []
    places = [0] * len(bounds)
    at = 0
    for number in sorted(range(len(bounds)), key=lambda index: (bounds[index][0], -bounds[index][1])):
        start, end = bounds[number]
        if start > at:
            parts.append(TextRange(at, start))
            at = start
        if end > at:
            parts.append(TextRange(at, end, number))
            at = end
        places[number] = bisect_right(parts, start, key=lambda text_range: text_range.start) - 1
    if at < length:
        parts.append(TextRange(at, length))
    return parts, places


@dataclass(frozen=True, slots=True)
class _ShownSection:
    """A text and its parts."""

    text: str
    parts: list[TextRange]


class Parallel:
    """The shown parts of a page and of the passages next to it.

    Args:
        page: text of the page.
        passages: the passages, whose stretches fit the texts.
    """

    def __init__(self, page: str, passages: Sequence[ComparedPassage]) -> None:
        self._stretches = [
            (index, stretch) for index in range(len(passages)) for stretch in passages[index].stretches
        ]
        self._others = passages
        bounds = [(placed.span.page_start, placed.span.page_end) for _, placed in self._stretches]
        parts, places = parts_of(len(page), bounds)
        self._page = _ShownSection(page, parts)
        self._page_places = places
        self._passages: list[_ShownSection] = []
        self._passage_places: list[tuple[int, int]] = []
        self._firsts: list[int] = []
        for other in passages:
            self._add_passage(other)
        self._rooms = self._initial_lengths()
        # (number of the stretch, shown characters) → runs
        self._runs: dict[tuple[int, int], list[MarkedRun]] = {}
        # (section, with -1 for the page; part) → shown characters
        self._gaps: dict[tuple[int, int], int] = {}

    def _add_passage(self, other: ComparedPassage) -> None:
        bounds = [(stretch.span.passage_start, stretch.span.passage_end) for stretch in other.stretches]
        parts, places = parts_of(len(other.text), bounds)
        first, section = len(self._passage_places), len(self._passages)
        self._firsts.append(first)
        ranges = [TextRange(p.start, p.end, None if p.stretch is None else p.stretch + first) for p in parts]
        self._passages.append(_ShownSection(other.text, ranges))
        self._passage_places += [(section, index) for index in places]

    def _initial_lengths(self) -> list[int]:
        """Return the shown length of each stretch in the first view, in order until ``ROOM`` is used up."""
        rooms, room = [], ROOM
        for _, stretch in self._stretches:
            first_room = min(
                FIRST, room, max(stretch.chars, stretch.span.passage_end - stretch.span.passage_start)
            )
            rooms.append(first_room)
            room -= first_room
        return rooms

    @property
    def shown_chars(self) -> int:
        """Approximate number of shown characters."""
        return sum(self._rooms) + sum(self._gaps.values())

    def open_stretch(self, number: int) -> None:
        """Show more of a stretch.

        Raises:
            IndexError: there is no such stretch.
            TooMuchShown: the maximum of shown characters is reached.
        """
        if not 0 <= number < len(self._rooms):
            raise IndexError(number)
        self._require_capacity()
        self._rooms[number] += MORE

    def open_gap(self, section: int, gap: int) -> None:
        """Show more of a gap between two stretches.

        Args:
            section: number of the passage; -1: the page.
            gap: number of the part.

        Raises:
            IndexError: there is no such part.
            TooMuchShown: the maximum of shown characters is reached.
        """
        if not -1 <= section < len(self._passages):
            raise IndexError(section)
        shown_section = self._page if section == -1 else self._passages[section]
        if not 0 <= gap < len(shown_section.parts):
            raise IndexError(gap)
        self._require_capacity()
        self._gaps[section, gap] = self._gaps.get((section, gap), 0) + MORE

    def _require_capacity(self) -> None:
        if self.shown_chars > MAX_SHOWN:
            raise TooMuchShown

    def content(self) -> tuple[list[Shown], list[list[Shown]]]:
        """Return the shown parts of the page and of each passage."""
        page = list(self._show_parts(self._page, -1, "page"))
        return page, [
            list(self._show_parts(section, number, "passage"))
            for number, section in enumerate(self._passages)
        ]

    def stretches(self) -> list[Shown]:
        """Return number, length, standing and positions of each stretch."""
        return [
            {
                "other": other,
                "number": number - self._firsts[other] + 1,
                "chars": stretch.chars,
                "standing": stretch.standing,
                "page": self._page_places[number],
                "section": self._passage_places[number][0],
                "passage": self._passage_places[number][1],
            }
            for number, (other, stretch) in enumerate(self._stretches)
        ]

    def stretch(self, number: int) -> ParallelStretch:
        """Return a stretch by number."""
        return self._stretches[number][1]

    def _show_parts(self, section: _ShownSection, number: int, side: Side) -> Iterator[Shown]:
        for index, text_range in enumerate(section.parts):
            if text_range.stretch is None:
                yield self._show_gap(section.text, text_range, self._gaps.get((number, index), 0))
            else:
                yield self._show_stretch(text_range, text_range.stretch, side)

    def _show_gap(self, text: str, text_range: TextRange, opened: int) -> Shown:
        length, head = text_range.end - text_range.start, ENDS + opened
        if length <= head + ENDS:
            return {"head": visible(text[text_range.start : text_range.end]), "left": 0, "tail": ""}
        return {
            "head": visible(text[text_range.start : text_range.start + head]),
            "left": length - head - ENDS,
            "tail": visible(text[text_range.end - ENDS : text_range.end]),
        }

    def _show_stretch(self, text_range: TextRange, number: int, side: Side) -> Shown:
        span = self._stretches[number][1].span
        start = span.page_start if side == "page" else span.passage_start
        runs = self._runs_of(number)
        shown = sum(len(run.page if side == "page" else run.passage) for run in runs)
        shown_runs = list(pieces(runs, side, skip=text_range.start - start))
        return {
            "stretch": number,
            "runs": shown_runs,
            "left": max(0, text_range.end - max(text_range.start, start + shown)),
        }

    def _runs_of(self, number: int) -> list[MarkedRun]:
        key = (number, self._rooms[number])
        if key not in self._runs:
            other, stretch = self._stretches[number]
            text = self._others[other].text
            room = self._rooms[number]
            self._runs[key] = runs_of(stretch.span, self._page.text, text, room=room) if room else []
        return self._runs[key]


def pieces(runs: Iterable[MarkedRun], side: Side, *, skip: int = 0) -> Iterator[list[Any]]:
    """Yield one side of runs: kind, text, and for homophones the syllable of each character.

    Args:
        runs: runs of a stretch.
        side: page or passage.
        skip: leading characters to omit because they are shown elsewhere.
    """
    for run in runs:
        text = run.page if side == "page" else run.passage
        syllables = run.page_syllables if side == "page" else run.passage_syllables
        remaining, skip = text[skip:], max(0, skip - len(text))
        if not remaining:
            continue
        if syllables:
            yield [run.kind, list(map(visible, remaining)), list(syllables[len(text) - len(remaining) :])]
        else:
            yield [run.kind, visible(remaining)]

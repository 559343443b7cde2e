"""The blocks of a page's posts: adjacent, each with a stamp. Pure, linear.

A thread repeats one template for every post. So its posts are elements of the same kind in one parent, with
their stamps at the same position (mining data records by repetition, after Liu, Grossman and Zhai, KDD 2003,
anchored at the stamps). Old templates use several consecutive elements for a post, such as ``dt`` and ``dd``:
a post then reaches to the next stamp.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from crawler.extraction.outline import Outline
from crawler.extraction.stamps import is_day

# counted characters per post, so that two long boxes with a date do not outweigh many posts
_MAX_COUNTED_CHARS = 400
# minimum text in most elements with a stamp; with less, the text is in the elements next to them
_MIN_ALONE_CHARS = 10
_MIN_RECORDS = 2
_MAX_NAMES_CHARS = 500  # maximum characters of the class names of a block
_MAX_TAGS = 8  # maximum number of elements between a post and its stamp
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Record:
    """The location of a post.

    Attributes:
        block: number of its block, or of the first of several.
        start, end: numbers of its first line, and of the line after its last.
        stamp: number of the line with its date.
    """

    block: int
    start: int
    end: int
    stamp: int


@dataclass(frozen=True, slots=True)
class Records:
    """Posts in one parent."""

    parent: int
    records: tuple[Record, ...]

    @property
    def start(self) -> int:
        """Return the number of the first line."""
        return self.records[0].start

    @property
    def end(self) -> int:
        """Return the number after the last line."""
        return self.records[-1].end


class RecordPage:
    """A page that is searched for posts, with the sums that make the search linear.

    Attributes:
        lines: its lines and blocks.
        stamps: numbers of the lines that are stamps.
    """

    def __init__(self, page: Outline, stamps: Sequence[int]) -> None:
        self.outline = page
        self.stamps = stamps
        self._text = [0, *accumulate(line.chars - line.link_chars for line in page.lines)]

    def weight(self, group: Records) -> int:
        """Return the amount of text in a group's posts; each post counts up to a limit."""
        return sum(min(self._text_chars(record), _MAX_COUNTED_CHARS) for record in group.records)

    def groups(self) -> list[Records]:
        """Return every group of adjacent blocks of the same kind with a stamp each, in page order."""
        groups: dict[tuple[int, tuple[str, ...]], list[tuple[int, int]]] = {}
        for parent, child, stamp, shape in self._stamped():
            groups.setdefault((parent, shape), []).append((child, stamp))
        kinds: dict[tuple[int, str], list[list[tuple[int, int]]]] = {}
        for (parent, shape), members in groups.items():
            kinds.setdefault((parent, shape[-1]), []).append(members)
        return [
            Records(parent, self._records(parent, members))
            for (parent, _), shapes in kinds.items()
            for members in _with_related_siblings(self.outline, shapes)
            if len(members) >= _MIN_RECORDS
        ]

    def _stamped(self) -> Iterable[tuple[int, int, int, tuple[str, ...]]]:
        """Yield (parent, child, its first stamp, the tags between them) for every block with a stamp."""
        page = self.outline
        yielded: set[int] = set()
        for stamp in self.stamps:
            tags: list[str] = []
            for block in page.path(page.lines[stamp].block):
                if block == 0 or block in yielded:
                    break
                yielded.add(block)
                tags = [*tags[1 - _MAX_TAGS :], str(page.elements[block].tag)]
                yield page.parents[block], block, stamp, tuple(tags)

    def _records(self, parent: int, members: Sequence[tuple[int, int]]) -> tuple[Record, ...]:
        """Return the lines of each post: those of its block, or those up to the next post.

        Single days above paragraphs are a chronicle; its blocks stay without text.
        """
        records = [Record(block, *self.outline.spans[block], stamp) for block, stamp in members]
        alone = sum(self._text_chars(record) >= _MIN_ALONE_CHARS for record in records)
        days = sum(is_day(self.outline.lines[record.stamp]) for record in records)
        if 2 * alone >= len(records) or 2 * days > len(records):
            return tuple(records)
        starts = [record.start for record in records]
        gap = max((after - before for before, after in pairwise(starts)), default=0)
        ends = [*starts[1:], min(self.outline.spans[parent][1], starts[-1] + max(gap, 1))]
        extended = tuple(replace(record, end=end) for record, end in zip(records, ends, strict=True))
        return extended if any(record.end - record.start > 1 for record in extended) else tuple(records)

    def _text_chars(self, record: Record) -> int:
        """Return the characters of a post outside links and its stamp."""
        stamp = self.outline.lines[record.stamp]
        stamp_chars = stamp.chars - stamp.link_chars if record.start <= record.stamp < record.end else 0
        return self._text[record.end] - self._text[record.start] - stamp_chars


def _with_related_siblings(
    page: Outline, shapes: Sequence[list[tuple[int, int]]]
) -> Iterable[list[tuple[int, int]]]:
    """Yield groups of siblings; the largest group also gets siblings with a class name of most members.

    The stamp of the first post is often at another position than in the replies.
    """
    largest = max(shapes, key=len)
    counts = Counter(name for block, _ in largest for name in class_names(page, block))
    common = {name for name, count in counts.items() if 2 * count > len(largest)}
    rest: list[list[tuple[int, int]]] = []
    kin = list(largest)
    for members in shapes:
        if members is not largest:
            unrelated = [member for member in members if common.isdisjoint(class_names(page, member[0]))]
            kin += [member for member in members if not common.isdisjoint(class_names(page, member[0]))]
            rest.append(unrelated)
    yield sorted(kin)
    yield from rest


def class_names(page: Outline, block: int) -> list[str]:
    """Return the class names of a block without their numbers."""
    names = (page.elements[block].get("class") or "")[:_MAX_NAMES_CHARS].split()
    return [_NUMBER.sub("", name) for name in names]

"""The position of the text in a post, learnt from all posts of a page. Pure, linear.

The posts of a thread are aligned: blocks at the same position in their templates form a *slot*. Text that
many posts share (buttons, ranks of members) belongs to the template; text that differs belongs to the author.
The slot with the highest p · p / (p + n) contains the text: p counts characters that differ, n those of the
template, stamps and links. :mod:`crawler.extraction.block` scores blocks in the same way.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from crawler.extraction.outline import Outline
from crawler.extraction.threads.records import Record, class_names

_LABEL_SHARE = 0.5  # weight of a line without sentences as text
_LINE_COST = 4  # cost of each line of the template, regardless of its length
_MAX_REPEATED = 0.3  # maximum share of posts with the same text in a slot
_MIN_REPEATED = 2
_MAX_NAME_DEPTH = 40  # deeper slots count as a single slot


class Slots:
    """The slots of the posts of a page.

    Args:
        page: its lines and blocks.
        records: the posts.
        stamps: numbers of the lines that are stamps.
        skipped: numbers of lines of other posts, such as replies inside a post.
    """

    def __init__(
        self,
        page: Outline,
        records: Sequence[Record],
        *,
        stamps: Collection[int],
        skipped: Collection[int] = frozenset(),
    ) -> None:
        self._page = page
        self._records = records
        self._stamps = stamps
        self._skipped = skipped
        self._parents = [0]
        self._depths = [0]
        self._by_key: dict[tuple[int, str], int] = {}
        self._counts = self._token_counts()
        self._slot_of: list[dict[int, int]] = [self._slots_of(record) for record in records]
        self._text = self._text_slot()

    def own_lines(self, number: int) -> Iterator[int]:
        """Yield the numbers of a post's lines, without those of other posts inside it."""
        record = self._records[number]
        return (at for at in range(record.start, record.end) if at not in self._skipped)

    def text_lines(self, number: int) -> list[int]:
        """Return the numbers of a post's lines in the text's slot."""
        return [at for at in self.own_lines(number) if self._is_in_text(number, at)]

    def slot(self, number: int, line: int) -> int:
        """Return the slot of a line of a post."""
        return self._slot_of[number].get(self._page.lines[line].block, 0)

    def _is_in_text(self, number: int, line: int) -> bool:
        slot = self.slot(number, line)
        while slot > self._text:
            slot = self._parents[slot]
        return slot == self._text

    def _token_counts(self) -> Counter[str]:
        """Return how often each class name occurs on the blocks of all posts."""
        counts: Counter[str] = Counter()
        for record in self._records:
            for block in self._blocks(record):
                counts.update(class_names(self._page, block))
        return counts

    def _blocks(self, record: Record) -> list[int]:
        """Return the blocks of a post that have lines, and their ancestors inside it, in page order."""
        blocks: set[int] = set()
        for line in range(record.start, record.end):
            for block in self._page.path(self._page.lines[line].block):
                if block in blocks or self._page.parents[record.block] == block or block == 0:
                    break
                blocks.add(block)
        return sorted(blocks)

    def _slots_of(self, record: Record) -> dict[int, int]:
        slots: dict[int, int] = {}
        occurrences: Counter[tuple[int, str]] = Counter()
        for block in self._blocks(record):
            parent = slots.get(self._page.parents[block], 0)
            if block == record.block or self._depths[parent] >= _MAX_NAME_DEPTH:
                slots[block] = parent
                continue
            key = self._key(block)
            occurrences[parent, key] += 1
            if not class_names(self._page, block):
                key = f"{key} {occurrences[parent, key]}"
            slots[block] = self._slot(parent, key)
        return slots

    def _key(self, block: int) -> str:
        """Return the tag and the class name that most posts have in this position."""
        tokens = class_names(self._page, block)
        common = max(tokens, key=lambda token: (self._counts[token], token), default="")
        return f"{self._page.elements[block].tag}.{common}"

    def _slot(self, parent: int, key: str) -> int:
        slot = self._by_key.setdefault((parent, key), len(self._parents))
        if slot == len(self._parents):
            self._parents.append(parent)
            self._depths.append(self._depths[parent] + 1)
        return slot

    def _text_slot(self) -> int:
        repeated = self._repeated()
        text, other = [0.0] * len(self._parents), [0.0] * len(self._parents)
        for number in range(len(self._records)):
            for at in self.own_lines(number):
                line, slot = self._page.lines[at], self.slot(number, at)
                if at in self._stamps or line.is_link or (slot, line.text) in repeated or line.text.isdigit():
                    other[slot] += line.chars + _LINE_COST
                else:
                    text[slot] += (line.chars - line.link_chars) * (1.0 if line.is_prose else _LABEL_SHARE)
        for slot in range(len(self._parents) - 1, 0, -1):
            text[self._parents[slot]] += text[slot]
            other[self._parents[slot]] += other[slot]
        scores = [p * p / (p + n) if p else 0.0 for p, n in zip(text, other, strict=True)]
        return max(range(len(scores)), key=lambda slot: (scores[slot], slot))

    def _repeated(self) -> set[tuple[int, str]]:
        """Return the (slot, text) pairs that belong to the template, because many posts share them."""
        counts: Counter[tuple[int, str]] = Counter()
        for number in range(len(self._records)):
            counts.update(
                {(self.slot(number, at), self._page.lines[at].text) for at in self.own_lines(number)}
            )
        least = max(_MIN_REPEATED, _MAX_REPEATED * len(self._records))
        return {key for key, count in counts.items() if count >= least}

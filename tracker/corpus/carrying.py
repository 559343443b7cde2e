"""Transfer of decisions to a new version of a work, so an edited text keeps them.

A decision is about a stretch of a passage. When a work is stored again, changed passages are replaced. A
decision on a removed passage is copied to each of its sentences that occurs in a new passage, at the new
offsets. An edited sentence is open again, and so is a stretch of which hardly anything remains.

Cost: the lines of the removed passages with decisions and of the new passages, and one comparison of lines
for each pair that shares a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

from storage.collections.decisions import decision_id
from storage.collections.stores import Stores
from storage.records import Decision, Passage

MIN_PIECE = 20  # minimum number of equal characters in a row; a shorter stretch must be equal as a whole
_SENTENCE = re.compile(r"[^。！？!?…\n]*[。！？!?…\n]+[”’」』）)》〉]*|[^。！？!?…\n]+")


class _Sentences(NamedTuple):
    """A text cut into sentences, with their start offsets; the last offset is the end of the text."""

    texts: Sequence[str]
    starts: Sequence[int]


def carry_decisions(gone: Sequence[Passage], new: Sequence[Passage], stores: Stores) -> int:
    """Transfer the decisions on removed passages to the new passages; may be repeated.

    Args:
        gone: passages that the work no longer has, still stored.
        new: passages that the work did not have before.
        stores: the database.

    Returns:
        How many decisions were transferred.
    """
    texts = {passage.id: passage for passage in gone}
    decisions = stores.decisions.on_passages(sorted(texts))
    if not decisions or not new:
        return 0
    carried = {decision.id: list(_carry(decision, texts[decision.passage_id], new)) for decision in decisions}
    stores.decisions.save_many(moved for pieces in carried.values() for moved in pieces)
    replaced = [decision_id for decision_id, pieces in carried.items() if pieces]
    stores.decisions.delete_many(replaced)
    return len(replaced)


def _carry(decision: Decision, old: Passage, new: Iterable[Passage]) -> Iterator[Decision]:
    """Yield the decision for each new position of its stretch."""
    if decision.passage_sha256 != old.sha256:
        return
    stretch = old.text[decision.start : decision.end]
    for passage in new:
        for start, end in places_of(stretch, passage.text):
            yield replace(
                decision,
                id=decision_id(decision.site, passage.sha256, start, end),
                passage_id=passage.id,
                passage_sha256=passage.sha256,
                passage_title=passage.title,
                start=start,
                end=end,
            )


def places_of(stretch: str, text: str) -> list[tuple[int, int]]:
    """Return where a stretch occurs in another text, in pieces of whole sentences if it was edited.

    >>> places_of("春眠不觉晓。处处闻啼鸟。", "序。春眠不觉晓。处处闻啼鸟。")
    [(2, 14)]
    """
    start = text.find(stretch)
    if start >= 0:
        return [(start, start + len(stretch))]
    old, new = _sentences(stretch), _sentences(text)
    if not set(old.texts) & set(new.texts):
        return []
    blocks = SequenceMatcher(None, old.texts, new.texts, autojunk=False).get_matching_blocks()
    places = [(new.starts[block.b], new.starts[block.b + block.size]) for block in blocks if block.size]
    return [(start, end) for start, end in places if end - start >= MIN_PIECE]


def _sentences(text: str) -> _Sentences:
    matches = list(_SENTENCE.finditer(text))
    return _Sentences(
        [match.group() for match in matches], [*(match.start() for match in matches), len(text)]
    )

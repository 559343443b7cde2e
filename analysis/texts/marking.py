"""Align two stretches of text and mark every changed character.

The alignment is the Levenshtein path over the *folded* texts, so a traditional character equals its
simplified form. The original characters then decide the kind of each run:

``equal``      the same character;
``variant``    a traditional, simplified or variant form of the same character;
``homophone``  another character of the same syllable, with the syllables of both sides;
``near``       another character of a near syllable (z and zh, n and l …), with both syllables;
``latin``      Latin letters that write the same or a near syllable, or its initial;
``replaced``   another character;
``inserted``   only on the page;
``deleted``    only in the passage;
``layout``     differs only in white space, and is therefore not marked;
``reordered``  in another order than it is read, and therefore not marked either.

Joining the page sides of the runs gives the stretch of the page; joining the passage sides gives the stretch
of the passage. Latin letters that represent a character of the passage are one step of the path, together
with the blanks after them; the initials of both texts show which character it is. The path needs memory
proportional to the product of the lengths. So long stretches are aligned in pieces of ``_PIECE`` characters,
cut inside an equal run, and time and memory grow linearly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

import numpy as np
from rapidfuzz.distance import Levenshtein

from fingerprint.text.letters import code_points
from fingerprint.text.syllables import parse_reading
from fingerprint.text.variants import are_variants, fold, fold_points
from tracker.alignment.columns import columns_between
from tracker.alignment.degrees import Degree
from tracker.alignment.homophones import pair_in_context, read_pair
from tracker.alignment.text import ComparedText

ChangeKind = Literal[
    "equal",
    "variant",
    "homophone",
    "near",
    "latin",
    "replaced",
    "inserted",
    "deleted",
    "layout",
    "reordered",
]

_PIECE = 2000
_SAFE_RUN = 12  # an equal run of this length is no coincidence, so the alignment before it is final


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRun:
    """A run of characters with one kind of change, on both sides.

    Attributes:
        page_syllables, passage_syllables: the syllable of each homophone; else empty.
    """

    kind: ChangeKind
    page: str
    passage: str
    page_syllables: tuple[str, ...] = ()
    passage_syllables: tuple[str, ...] = ()

    def __len__(self) -> int:
        return max(len(self.page), len(self.passage))

    def head(self, length: int) -> "MarkedRun":
        """Return the first characters of the run, on both sides."""
        return MarkedRun(
            kind=self.kind,
            page=self.page[:length],
            passage=self.passage[:length],
            page_syllables=self.page_syllables[:length],
            passage_syllables=self.passage_syllables[:length],
        )


@dataclass(frozen=True, slots=True)
class _Block:
    """One step of the path: equal, replaced one by one, or only on one side.

    Attributes:
        page: its characters, or the Latin letters for one character, with the blanks after them.
    """

    tag: str
    page: Sequence[str]
    passage: str


def marked_runs(page: str, passage: str) -> Iterator[MarkedRun]:
    """Yield the runs of two stretches lazily, in reading order."""
    for kind, group in groupby(_unmerged_runs(page, passage), key=lambda run: run.kind):
        runs = list(group)
        yield MarkedRun(
            kind=kind,
            page="".join(run.page for run in runs),
            passage="".join(run.passage for run in runs),
            page_syllables=tuple(syllable for run in runs for syllable in run.page_syllables),
            passage_syllables=tuple(syllable for run in runs for syllable in run.passage_syllables),
        )


def reordered_run(page: str, passage: str) -> MarkedRun:
    """Return two stretches as one run without marks, because neighbouring characters do not correspond."""
    return MarkedRun(kind="reordered", page=page, passage=passage)


def _unmerged_runs(page: str, passage: str) -> Iterator[MarkedRun]:
    offset = 0
    for block in _blocks(page, passage):
        if block.tag in {"equal", "replace"}:
            for number, (original, right) in enumerate(zip(block.page, block.passage, strict=True)):
                kind = _kind_in_block(block, original, right)
                yield MarkedRun(
                    kind=kind,
                    page=original,
                    passage=right,
                    **_syllables(kind, original, passage, offset + number),
                )
        else:
            yield from _one_sided_runs(block)
        offset += len(block.passage)


def _kind_in_block(block: _Block, page: str, passage: str) -> ChangeKind:
    if block.tag == "equal" and page != passage and fold(page) != fold(passage):
        return "latin"
    return _kind_of_pair(page, passage) if len(page) == 1 else "replaced"


@lru_cache(maxsize=8192)
def _kind_of_pair(page: str, passage: str) -> ChangeKind:
    if page == passage:
        return "equal"
    if page.isspace() and passage.isspace():
        return "layout"
    folded = fold_points(code_points(page)), fold_points(code_points(passage))
    if folded[0] == folded[1] or are_variants(*folded):
        return "variant"
    degree = read_pair(page, passage).degree
    if degree == Degree.OTHER:
        return "replaced"
    return "near" if degree == Degree.NEAR else "homophone"


def _syllables(kind: ChangeKind, character: str, passage: str, offset: int) -> dict[str, tuple[str, ...]]:
    if kind not in {"homophone", "near"}:
        return {}
    sounds = pair_in_context(character, passage, offset)
    return {"page_syllables": (sounds.syllable,), "passage_syllables": (sounds.original,)}


def _one_sided_runs(block: _Block) -> Iterator[MarkedRun]:
    kind: ChangeKind = "inserted" if block.page else "deleted"
    for blank, group in groupby(block.page or block.passage, key=str.isspace):
        text = "".join(group)
        yield MarkedRun(
            kind="layout" if blank else kind,
            page=text if block.page else "",
            passage=text if block.passage else "",
        )


def _blocks(page: str, passage: str) -> Iterator[_Block]:
    """Yield the steps of the alignment, piece by piece."""
    at_page, at_passage = 0, 0
    while at_page < len(page) or at_passage < len(passage):
        last = max(len(page) - at_page, len(passage) - at_passage) <= _PIECE
        piece = _align(page[at_page : at_page + _PIECE], passage[at_passage : at_passage + _PIECE])
        for block in piece if last else _final_blocks(piece):
            at_page += sum(map(len, block.page))
            at_passage += len(block.passage)
            yield block


def _align(page: str, passage: str) -> list[_Block]:
    units, folded = _alignment_units(page, passage)
    path = Levenshtein.opcodes(folded, fold(passage))
    return [
        _Block(
            step.tag,
            units[step.src_start : step.src_end],
            passage[step.dest_start : step.dest_end],
        )
        for step in path
    ]


def _alignment_units(page: str, passage: str) -> tuple[Sequence[str], str]:
    """Return the steps of the page, and the folded character that each represents."""
    ours = ComparedText(page)
    if not ours.has_latin:
        return page, fold(page)
    folded, folded_passage = fold(page), fold(passage)
    units, keys, at = list[str](), list[str](), 0
    for start, end, offset in _respelled_spans(ours, ComparedText(passage)):
        behind = end + len(page[end:]) - len(page[end:].lstrip(" "))
        units += [*page[at:start], page[start:behind]]
        keys += [folded[at:start], folded_passage[offset]]
        at = behind
    return [*units, *page[at:]], "".join([*keys, folded[at:]])


def _respelled_spans(page: ComparedText, passage: ComparedText) -> Iterator[tuple[int, int, int]]:
    """Yield start and end of Latin letters on the page, and the offset of the character for each."""
    columns = columns_between(page, passage, (0, len(page.letters)), (0, len(passage.letters)))
    chosen = np.flatnonzero(columns.scores)
    chosen = chosen[page.latin[columns.page[chosen]] & ~passage.latin[columns.passage[chosen]]]
    sides = columns.page[chosen].tolist(), columns.passage[chosen].tolist(), columns.sound[chosen].tolist()
    for ours, theirs, is_sound in zip(*sides, strict=True):
        start, end = int(page.letters.offsets[ours]), int(page.ends[ours])
        if is_sound or not parse_reading(page.text[start:end]):
            yield start, end, int(passage.letters.offsets[theirs])


def _final_blocks(blocks: list[_Block]) -> list[_Block]:
    """Return the blocks up to the middle of the last long equal block; all of them if there is none.

    Text after that block may be aligned with the end of the piece instead of its true partner, so it is
    aligned again with the next piece.
    """
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.tag == "equal" and len(block.page) >= _SAFE_RUN:
            half = len(block.page) // 2
            return [*blocks[:index], _Block("equal", block.page[:half], block.passage[:half])]
    return blocks

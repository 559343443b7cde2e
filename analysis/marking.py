"""Two stretches of text, aligned and with every changed character marked.

The alignment is the Levenshtein path over the *folded* texts, so a traditional character meets its
simplified form as an equal; the original characters then decide the kind of each run:

``equal``      the same character;
``variant``    a traditional, simplified or variant form of the same character;
``homophone``  another character of the same syllable, with the syllables of both sides;
``near``       one of a near syllable (z and zh, n and l …), likewise;
``replaced``   another character;
``inserted``   only on the page;
``deleted``    only in the passage;
``layout``     differs in white space only, and is therefore not marked.

Joining the runs' page sides gives the page's stretch, joining the passage sides the passage's: nothing is
lost or added. The path needs memory in the product of the lengths, so long stretches are aligned in pieces
of ``_PIECE`` characters that are cut inside an equal run: time and memory grow linearly.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from rapidfuzz.distance import Levenshtein

from fingerprint.text.letters import code_points
from fingerprint.text.variants import are_variants, fold, fold_points
from tracker.alignment.agreement import Agreement
from tracker.alignment.homophones import pair_in_context, read_pair

ChangeKind = Literal["equal", "variant", "homophone", "near", "replaced", "inserted", "deleted", "layout"]

_PIECE = 2000
_SAFE_RUN = 12  # an equal run of this length is no accident, so the alignment before it is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of characters of one kind of change, on both sides.

    Attributes:
        page_syllables, passage_syllables: how each character of homophones is read; else nothing.
    """

    kind: ChangeKind
    page: str
    passage: str
    page_syllables: tuple[str, ...] = ()
    passage_syllables: tuple[str, ...] = ()

    def __len__(self) -> int:
        return max(len(self.page), len(self.passage))

    def head(self, length: int) -> "Run":
        """Return the first characters of the run, on both sides."""
        return Run(
            kind=self.kind,
            page=self.page[:length],
            passage=self.passage[:length],
            page_syllables=self.page_syllables[:length],
            passage_syllables=self.passage_syllables[:length],
        )


@dataclass(frozen=True, slots=True)
class _Block:
    """One step of the path: equal, replaced one by one, or only on one side."""

    tag: str
    page: str
    passage: str


def marked_runs(page: str, passage: str) -> Iterator[Run]:
    """Yield the runs of two stretches in reading order, lazily."""
    for kind, group in groupby(_small_runs(page, passage), key=lambda run: run.kind):
        runs = list(group)
        yield Run(
            kind=kind,
            page="".join(run.page for run in runs),
            passage="".join(run.passage for run in runs),
            page_syllables=tuple(syllable for run in runs for syllable in run.page_syllables),
            passage_syllables=tuple(syllable for run in runs for syllable in run.passage_syllables),
        )


def _small_runs(page: str, passage: str) -> Iterator[Run]:
    place = 0
    for block in _blocks(page, passage):
        if block.tag in {"equal", "replace"}:
            for number, (left, right) in enumerate(zip(block.page, block.passage, strict=True)):
                kind = _kind_of_pair(left, right)
                yield Run(
                    kind=kind, page=left, passage=right, **_syllables(kind, left, passage, place + number)
                )
        else:
            yield from _one_sided(block)
        place += len(block.passage)


@lru_cache(maxsize=8192)
def _kind_of_pair(page: str, passage: str) -> ChangeKind:
    if page == passage:
        return "equal"
    if page.isspace() and passage.isspace():
        return "layout"
    folded = fold_points(code_points(page)), fold_points(code_points(passage))
    if folded[0] == folded[1] or are_variants(*folded):
        return "variant"
    agreement = read_pair(page, passage).agreement
    if agreement == Agreement.OTHER:
        return "replaced"
    return "near" if agreement == Agreement.NEAR else "homophone"


def _syllables(kind: ChangeKind, character: str, passage: str, place: int) -> dict[str, tuple[str, ...]]:
    """Return the syllables of a run of one character."""
    if kind not in {"homophone", "near"}:
        return {}
    sounds = pair_in_context(character, passage, place)
    return {"page_syllables": (sounds.syllable,), "passage_syllables": (sounds.original,)}


def _one_sided(block: _Block) -> Iterator[Run]:
    kind: ChangeKind = "inserted" if block.page else "deleted"
    for blank, group in groupby(block.page or block.passage, key=str.isspace):
        text = "".join(group)
        yield Run(
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
        for block in piece if last else _settled_blocks(piece):
            at_page += len(block.page)
            at_passage += len(block.passage)
            yield block


def _align(page: str, passage: str) -> list[_Block]:
    path = Levenshtein.opcodes(fold(page), fold(passage))
    return [
        _Block(
            step.tag,
            page[step.src_start : step.src_end],
            passage[step.dest_start : step.dest_end],
        )
        for step in path
    ]


def _settled_blocks(blocks: list[_Block]) -> list[_Block]:
    """Return the blocks up to the middle of the last long equal one; all of them if there is none.

    What stands behind that run may be aligned with the piece's end instead of its true partner, and is
    therefore aligned again with the next piece.
    """
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.tag == "equal" and len(block.page) >= _SAFE_RUN:
            half = len(block.page) // 2
            return [*blocks[:index], _Block("equal", block.page[:half], block.passage[:half])]
    return blocks

"""Two stretches of text, aligned and with every changed character marked.

The alignment is the Levenshtein path over the *folded* texts, so a traditional character meets its
simplified form as an equal; the original characters then decide the kind of each run:

``equal``      the same character;
``variant``    a traditional, simplified or variant form of the same character;
``homophone``  another character with the same pinyin initial;
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
from itertools import groupby
from typing import Literal

from rapidfuzz.distance import Levenshtein

from fingerprint.text.letters import initial_of
from fingerprint.text.variants import fold

ChangeKind = Literal["equal", "variant", "homophone", "replaced", "inserted", "deleted", "layout"]

_PIECE = 2000
_SAFE_RUN = 12  # an equal run of this length is no accident, so the alignment before it is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of characters of one kind of change, on both sides."""

    kind: ChangeKind
    page: str
    passage: str

    def __len__(self) -> int:
        return max(len(self.page), len(self.passage))

    def head(self, length: int) -> "Run":
        """Return the first characters of the run, on both sides."""
        return Run(kind=self.kind, page=self.page[:length], passage=self.passage[:length])


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
        )


def _small_runs(page: str, passage: str) -> Iterator[Run]:
    for block in _blocks(page, passage):
        if block.tag in {"equal", "replace"}:
            for left, right in zip(block.page, block.passage, strict=True):
                yield Run(kind=_kind_of_pair(left, right), page=left, passage=right)
        else:
            yield from _one_sided(block)


def _kind_of_pair(page: str, passage: str) -> ChangeKind:
    if page == passage:
        return "equal"
    if page.isspace() and passage.isspace():
        return "layout"
    if fold(page) == fold(passage):
        return "variant"
    initial = initial_of(page)
    return "homophone" if initial and initial == initial_of(passage) else "replaced"


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

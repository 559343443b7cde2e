"""Charging: assign each stretch of a page to a work, if several works contain it. Pure.

The work that explains most of the page is charged first, with all its stretches; then the one that explains
most of the remaining text, and so on. So a page made from two works is charged to both, and a work that
shares phrases with a copied one keeps only its other stretches. A work with little beyond the stretches of
better ones is not charged: it is another edition or a reprint, or shares their phrases. If the page has most
of it, it is listed as also contained (:mod:`tracker.judgement.contained`). Text that is common to
many works explains nothing and is not charged.

Works with a complete passage on the page come first, unless another work has a longer piece of the page at
that position: a complete short article fits better than scattered pieces of a long one.

One kind of work keeps text that better ones took: an older work of another rights holder with a complete
passage on the page, such as a story in a copied anthology. Its holder has a separate right.

The value of an extent for a work is the number of agreeing characters and letters, in either script. Equal
works are ranked by identical characters (so the edition in the page's script comes first), then by longest
stretch, then by how little other text their passages have, then by age, then by id.

Complexity: the lazy greedy cover of Minoux (1978). The value of a work only falls, so only the next work is
recomputed until it stays first. Each charge costs one pass over the page.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from storage.records import Passage, Work
from tracker.alignment.align import Aligned

LONGER = 1.1  # a passage has precedence if its longest piece is this many times as long as those of others
MIN_SHARE = 0.1  # minimum share of a work's characters on the page that better works do not have

_Bools = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]
_Rank = tuple[float, float, int, int, datetime, int]

_NEVER = datetime.max.replace(tzinfo=UTC)


class ClaimedPlace(NamedTuple):
    """A stretch of the page that a work contains.

    Attributes:
        start, end: first and last + 1 character of the page.
        likeness: similarity of the texts, 0 to 1.
        sameness: share of identical characters, in one script.
    """

    start: int
    end: int
    likeness: float
    sameness: float


@dataclass(frozen=True)
class Claim:
    """The claim of one work on a page.

    Attributes:
        work: the work.
        stretches: by passage, without common ones.
    """

    work: Work
    stretches: Sequence[tuple[Passage, Sequence[Aligned]]]

    @cached_property
    def places(self) -> list[ClaimedPlace]:
        """Disjoint stretches of the page, in its order."""
        disjoint, reached = list[ClaimedPlace](), 0
        for extent in sorted(_place(aligned) for _, stretches in self.stretches for aligned in stretches):
            if extent.end > reached:
                disjoint.append(extent._replace(start=max(extent.start, reached)))
                reached = extent.end
        return disjoint


def _place(aligned: Aligned) -> ClaimedPlace:
    start, end = aligned.span.page_start, aligned.span.page_end
    return ClaimedPlace(start, end, _likeness(aligned), aligned.same_form / aligned.columns)


def _likeness(aligned: Aligned) -> float:
    return (aligned.same_sound + aligned.same_character) / (2 * aligned.columns)


def in_order_of_charge(
    claims: Sequence[Claim], length: int, *, whole: float
) -> Iterator[tuple[Claim, _Bools]]:
    """Yield the claims that are charged, each with the characters that better claims took.

    Args:
        claims: one of each work.
        length: characters of the page.
        whole: share of a passage that counts as complete.
    """
    taken = np.zeros(length, dtype=bool)
    charged: list[Claim] = []
    for claim in _best_first(claims, taken, _have_precedence(claims, length, whole)):
        is_owed = _keeps_its_share(claim, charged, whole)
        if is_owed or _reaches_beyond(claim, _free_before(taken)):
            yield claim, np.zeros_like(taken) if is_owed else taken.copy()
            charged.append(claim)
            for start, end, *_ in claim.places:
                taken[start:end] = True


def _have_precedence(claims: Sequence[Claim], length: int, whole: float) -> list[bool]:
    """Return the claims with a complete passage on the page, in longer pieces than others have there."""
    pieces = _ChargedPieces.of(claims, length)
    return [
        any(
            _taken_share(passage, stretches) >= whole and pieces.are_longest_of(number, stretches)
            for passage, stretches in claim.stretches
        )
        for number, claim in enumerate(claims)
    ]


@dataclass(frozen=True, slots=True)
class _ChargedPieces:
    """The longest piece of any claim at each character of the page; arrays of shape (characters,).

    Attributes:
        owner: the claim's number.
        longest: the piece's length.
        second: length of the longest piece of another claim.
    """

    owner: _Ints
    longest: _Ints
    second: _Ints

    @classmethod
    def of(cls, claims: Sequence[Claim], length: int) -> "_ChargedPieces":
        """Return the pieces of a page of so many characters."""
        owner, longest, second = (np.zeros(length, dtype=np.int64) for _ in range(3))
        for size, number, start, end in sorted(
            (end - start, number, start, end)
            for number, claim in enumerate(claims)
            for start, end, *_ in claim.places
        ):
            piece = slice(start, end)
            second[piece] = np.where(owner[piece] == number, second[piece], longest[piece])
            longest[piece], owner[piece] = size, number
        return cls(owner, longest, second)

    def are_longest_of(self, number: int, stretches: Sequence[Aligned]) -> bool:
        """Return whether a stretch of a claim is clearly longer than those of other claims there."""
        spans = [slice(aligned.span.page_start, aligned.span.page_end) for aligned in stretches]
        longest_elsewhere = max(
            int(np.where(self.owner[piece] == number, self.second[piece], self.longest[piece]).max())
            for piece in spans
        )
        return max(piece.stop - piece.start for piece in spans) >= LONGER * longest_elsewhere


def _best_first(claims: Sequence[Claim], taken: _Bools, first: Sequence[bool]) -> Iterator[Claim]:
    """Yield the claims, each time the one that explains most of the free text.

    Args:
        claims: one of each work.
        taken: the taken characters of the page; the caller updates it.
        first: which claims come before all others.
    """
    free = _free_before(taken)
    queue = [((not first[number], *_rank(claim, free)), number) for number, claim in enumerate(claims)]
    heapq.heapify(queue)
    while queue:
        _, number = heapq.heappop(queue)
        rank = (not first[number], *_rank(claims[number], free))
        if queue and (rank, number) > queue[0]:
            heapq.heappush(queue, (rank, number))
        else:
            yield claims[number]
            free = _free_before(taken)


def _free_before(taken: _Bools) -> _Ints:
    """Return how many free characters precede each position: shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(~taken)])


def _reaches_beyond(claim: Claim, free: _Ints) -> bool:
    """Return whether enough of a work's characters on the page are free."""
    total = sum(end - start for start, end, *_ in claim.places)
    remaining = sum(int(free[end] - free[start]) for start, end, *_ in claim.places)
    return remaining > 0 and remaining >= MIN_SHARE * total


def _rank(claim: Claim, free: _Ints) -> _Rank:
    """Return the sort key of claims: the smallest explains most of the free text."""
    remaining = [(int(free[extent.end] - free[extent.start]), extent) for extent in claim.places]
    worth = sum(characters * extent.likeness for characters, extent in remaining)
    same = sum(characters * extent.sameness for characters, extent in remaining)
    longest = max((characters for characters, _ in remaining), default=0)
    held = sum(len(passage.text) for passage, _ in claim.stretches)
    return -round(worth, 3), -round(same, 3), -longest, held, *_age(claim.work)


def _keeps_its_share(claim: Claim, charged: Sequence[Claim], whole: float) -> bool:
    """Return whether a work is complete, of another holder, and older than the works that took its text."""
    if not claim.work.holder or not charged:
        return False
    if not _has_whole_passage(claim, whole):
        return False
    return all(
        other.work.holder not in (None, "", claim.work.holder) and _is_older(claim.work, other.work)
        for other in charged
        if _overlap(claim, other)
    )


def _has_whole_passage(claim: Claim, whole: float) -> bool:
    """Return whether a passage of a work is practically complete on the page."""
    return any(_taken_share(passage, stretches) >= whole for passage, stretches in claim.stretches)


def _is_older(first: Work, second: Work) -> bool:
    """Return whether a work is older than another one, by date, else by registration."""
    return _age(first) < _age(second)


def _age(work: Work) -> tuple[datetime, int]:
    return work.published.at if work.published else _NEVER, work.id


def _overlap(first_claim: Claim, second: Claim) -> bool:
    return any(
        start < behind and first < end
        for start, end, *_ in first_claim.places
        for first, behind, *_ in second.places
    )


def _taken_share(passage: Passage, stretches: Sequence[Aligned]) -> float:
    """Return the share of a passage that is on the page."""
    return taken_chars(passage, stretches) / max(1, len(passage.text))


def taken_chars(passage: Passage, stretches: Sequence[Aligned]) -> int:
    """Return how many characters of a passage are on the page."""
    there = np.zeros(len(passage.text), dtype=bool)
    for aligned in stretches:
        there[aligned.span.passage_start : aligned.span.passage_end] = True
    return int(there.sum())

"""To which work each stretch of a page is charged, when several works hold it. Pure.

The work that explains most of the page is charged first, with all that it holds of it; then the one that
explains most of the rest; and so on. So a page that was made from two works is charged to both, and a work
that shares phrases with a copied one keeps only what the copied one does not hold. A work that holds little
more than better ones do keeps nothing: it is another edition, or a reprint, or shares their phrases. What is
common to many works explains nothing and is charged to none.

Works of which a passage stands whole on the page come before the others, unless these hold a longer piece of
the page there: a short article that is all there fits better than as many words of a long one in bits.

One work keeps what better ones took: the older one, of another rights holder, of which a passage stands whole
on the page, as a story does in a copied anthology. Its holder has a right of its own.

A place of the page is worth as much to a work as characters and letters agree there, in whatever script.
Works that explain equally much are ranked by how many characters are the very same (so the edition in the
page's script goes first), then by their longest stretch, then by how little else their passages hold, then by
age, then by id.

Complexity: the lazy greedy cover of Minoux (1978): what a work explains only falls, so that of the next one
is counted anew until it stays in front. Each charge costs one pass over the page.
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

LONGER = 1.1  # times as long as what others hold of it is the longest piece of a passage that comes first
MIN_SHARE = 0.1  # of a work's characters on the page that must lie beyond those of better works

_Bools = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]
_Rank = tuple[float, float, int, int, datetime, int]

_NEVER = datetime.max.replace(tzinfo=UTC)


class ClaimedPlace(NamedTuple):
    """A stretch of the page that a work holds.

    Attributes:
        start, end: first and last + 1 character of the page.
        likeness: how alike the texts are, 0 to 1.
        sameness: share of the characters that are the very same, in one script.
    """

    start: int
    end: int
    likeness: float
    sameness: float


@dataclass(frozen=True)
class Claim:
    """What one work holds of a page.

    Attributes:
        work: the work.
        stretches: by passage, those that are not common.
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
    """Yield the claims that are charged, each with the characters that are not: better ones took them.

    Args:
        claims: one of each work.
        length: characters of the page.
        whole: share of a passage that is as good as all of it.
    """
    taken = np.zeros(length, dtype=bool)
    charged: list[Claim] = []
    for claim in _best_first(claims, taken, _come_first(claims, length, whole)):
        is_owed = _keeps_its_share(claim, charged, whole)
        if is_owed or _reaches_beyond(claim, _free_before(taken)):
            yield claim, np.zeros_like(taken) if is_owed else taken.copy()
            charged.append(claim)
            for start, end, *_ in claim.places:
                taken[start:end] = True


def _come_first(claims: Sequence[Claim], length: int, whole: float) -> list[bool]:
    """Return which claims have a passage whole on the page, in longer pieces than the others hold there."""
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
    """The longest piece of the page that some claim holds at each character; arrays of shape (characters,).

    Attributes:
        owner: the claim's number.
        longest: the piece's length.
        second: of the longest piece of another claim.
    """

    owner: _Ints
    longest: _Ints
    second: _Ints

    @classmethod
    def of(cls, claims: Sequence[Claim], length: int) -> "_ChargedPieces":
        """Return them for a page of so many characters."""
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
        """Return whether some of a claim's stretches is clearly longer than what others hold there."""
        spans = [slice(aligned.span.page_start, aligned.span.page_end) for aligned in stretches]
        longest_elsewhere = max(
            int(np.where(self.owner[piece] == number, self.second[piece], self.longest[piece]).max())
            for piece in spans
        )
        return max(piece.stop - piece.start for piece in spans) >= LONGER * longest_elsewhere


def _best_first(claims: Sequence[Claim], taken: _Bools, first: Sequence[bool]) -> Iterator[Claim]:
    """Yield the claims, each time the one that explains most of what is not taken by then.

    Args:
        claims: one of each work.
        taken: which characters of the page are taken; the caller goes on with it.
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
    """Return how many free characters stand before each place: shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(~taken)])


def _reaches_beyond(claim: Claim, free: _Ints) -> bool:
    """Return whether enough of a work's characters on the page are free."""
    total = sum(end - start for start, end, *_ in claim.places)
    remaining = sum(int(free[end] - free[start]) for start, end, *_ in claim.places)
    return remaining > 0 and remaining >= MIN_SHARE * total


def _rank(claim: Claim, free: _Ints) -> _Rank:
    """Return what claims are sorted by: the smallest explains most of what is free."""
    remaining = [(int(free[extent.end] - free[extent.start]), extent) for extent in claim.places]
    worth = sum(characters * extent.likeness for characters, extent in remaining)
    same = sum(characters * extent.sameness for characters, extent in remaining)
    longest = max((characters for characters, _ in remaining), default=0)
    held = sum(len(passage.text) for passage, _ in claim.stretches)
    return -round(worth, 3), -round(same, 3), -longest, held, *_age(claim.work)


def _keeps_its_share(claim: Claim, charged: Sequence[Claim], whole: float) -> bool:
    """Return whether a work is there whole, of another holder and older than those that took its places."""
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
    """Return whether a passage of a work is on the page, as good as all of it."""
    return any(_taken_share(passage, stretches) >= whole for passage, stretches in claim.stretches)


def _is_older(first: Work, second: Work) -> bool:
    """Return whether a work is older than another one, by their dates, else by what was registered first."""
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
    there = np.zeros(len(passage.text), dtype=bool)
    for aligned in stretches:
        there[aligned.span.passage_start : aligned.span.passage_end] = True
    return float(there.mean()) if len(there) else 0.0

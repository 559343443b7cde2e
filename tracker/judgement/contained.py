"""Works that a page also contains: it has most of their text, but better works are charged with it. Pure.

A page that reprints a long article also has all of the short article inside it. The long article is charged,
so without this list the holder of the short one would see no find.

A work is also contained if the page has at least ``contained_share`` of its characters and better works are
charged with at least half of them. Its text must also fit the page almost as well as theirs: a work that
shares only a form or official wording does not. Editions of a charged book and other works of the same
holder are not listed, because their holder sees the find already: if they are charged with half of the text.

Complexity: one pass over the stretches of each work, and one over the page.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from storage.records import Work, WorkKind
from tracker.judgement.charging import Claim, taken_chars
from tracker.judgement.profiles import Profile

MAX_CONTAINED = 10  # most works that are listed, those with the largest share on the page first
KEPT_SHARE = 0.5  # a work that keeps this share of its text on the page is charged like any other
MIN_FIT = 0.9  # minimum likeness of the work to the page, relative to that of the charged works
_MIN_PAID = 0.1  # a charged work with a smaller share of the text is not listed as charged with it

_Bools = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]


def contained_works(
    claims: Sequence[Claim],
    charged: Sequence[Claim],
    length: int,
    profiles: Mapping[WorkKind, Profile],
) -> dict[int, tuple[int, ...]]:
    """Return the works that a page also contains: id → ids of the books that are charged with their text.

    Args:
        claims: one of each work on the page.
        charged: the claims that are charged, in the order of :func:`.charging.in_order_of_charge`.
        length: characters of the page.
        profiles: by the kind of work.
    """
    order = {claim.work.id: number for number, claim in enumerate(charged)}
    contained = list[tuple[float, int, tuple[int, ...]]]()
    for claim in claims:
        least = profiles[claim.work.kind].contained_share if claim.work.is_owned else 0.0
        share = _share_on_page(claim)
        if not least or share < least:
            continue
        better = charged[: order.get(claim.work.id, len(charged))]
        books = _charged_books(claim, better, length)
        if books:
            contained.append((-share, claim.work.id, books))
    return {work_id: books for _, work_id, books in sorted(contained)[:MAX_CONTAINED]}


def _share_on_page(claim: Claim) -> float:
    """Return the share of a work's characters that are on the page."""
    taken = sum(taken_chars(passage, stretches) for passage, stretches in claim.stretches)
    return taken / max(1, claim.work.characters, *(len(passage.text) for passage, _ in claim.stretches))


def _charged_books(claim: Claim, better: Sequence[Claim], length: int) -> tuple[int, ...]:
    """Return the books that are charged with a work's text, most first; empty if it is not to be listed."""
    mine, theirs = _likeness_of([claim], length), _likeness_of(better, length)
    shared = (mine > 0) & (theirs > 0)
    chars = int((mine > 0).sum())
    if not shared.any() or shared.sum() < (1 - KEPT_SHARE) * chars:
        return ()
    if mine[shared].sum() < MIN_FIT * theirs[shared].sum():
        return ()
    related = [other for other in better if _is_known_by_holder(claim.work, other.work)]
    if ((mine > 0) & (_likeness_of(related, length) > 0)).sum() >= (1 - KEPT_SHARE) * chars:
        return ()
    paid = sorted(((_overlap(other, mine > 0), other.work) for other in better), key=_most_paid_key)
    paying = [work for overlap, work in paid if overlap >= _MIN_PAID * chars] or [paid[0][1]]
    return tuple(dict.fromkeys(work.book_id for work in paying))


def _most_paid_key(paid: tuple[int, Work]) -> tuple[int, int]:
    return -paid[0], paid[1].id


def _is_known_by_holder(work: Work, charged: Work) -> bool:
    """Return whether the holder of a work sees the find already, because a related work is charged."""
    if work.book_id == charged.book_id or charged.role == "earlier":
        return True
    return bool(work.holder) and work.holder == charged.holder


def _likeness_of(claims: Sequence[Claim], length: int) -> _Floats:
    """Return the greatest likeness of any claim at each character of the page; 0 where there is none."""
    likeness = np.zeros(length)
    for claim in claims:
        for start, end, like, _ in claim.places:
            likeness[start:end] = np.maximum(likeness[start:end], like)
    return likeness


def _overlap(claim: Claim, mine: _Bools) -> int:
    return sum(int(mine[start:end].sum()) for start, end, *_ in claim.places)

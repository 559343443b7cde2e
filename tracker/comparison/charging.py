"""Charging: assign each stretch of a page to the best work, and remove it from other alignments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from storage.records import WorkKind
from tracker.alignment.align import Aligned
from tracker.alignment.cutting import without
from tracker.alignment.text import ComparedText
from tracker.judgement.alignments import PassageAlignment, Sharing
from tracker.judgement.charging import Claim, in_order_of_charge
from tracker.judgement.contained import contained_works
from tracker.judgement.profiles import Profile


def charge(
    page: ComparedText,
    alignments: Sequence[PassageAlignment],
    sharing: Sharing,
    profiles: Mapping[WorkKind, Profile],
) -> list[PassageAlignment]:
    """Return the alignments with the stretches charged to each work; alignments without any are dropped.

    Works that the page also contains keep all their stretches and list the books that are charged instead.

    Args:
        page: the page.
        alignments: what alignment confirmed.
        sharing: which extents of the page are common; common stretches stay with each work.
        profiles: by the kind of work.
    """
    if len({alignment.work.id for alignment in alignments}) <= 1:
        return list(alignments)
    parts = {
        alignment.passage.id: _Parts(*sharing.unshared_and_common(alignment, profiles[alignment.work.kind]))
        for alignment in alignments
    }
    remaining: dict[int, list[Aligned]] = {passage_id: [] for passage_id in parts}
    share = max(profile.copy_passage_coverage for profile in profiles.values())
    claims = _claims(alignments, parts)
    charged = list(in_order_of_charge(claims, len(page.text), whole=share))
    contained = contained_works(claims, [claim for claim, _ in charged], len(page.text), profiles)
    for claim, taken in charged:
        if claim.work.id in contained:
            continue
        for passage, stretches in claim.stretches:
            text = ComparedText(passage.text)
            remaining[passage.id] = [
                piece for aligned in stretches for piece in without(page, text, aligned, taken)
            ]
    rests = [
        replace(alignment, charged_to=contained[alignment.work.id])
        if alignment.work.id in contained
        else replace(alignment, aligned=_in_page_order(parts[passage_id].common, remaining[passage_id]))
        for alignment, passage_id in zip(alignments, parts, strict=True)
    ]
    return [rest for rest in rests if rest.aligned or rest.background]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Stretches of a passage that may be charged, and common ones."""

    unshared: Sequence[Aligned]
    common: Sequence[Aligned]


def _claims(alignments: Sequence[PassageAlignment], parts: Mapping[int, _Parts]) -> list[Claim]:
    """Return the claim of each work on the page, without common stretches."""
    by_work: dict[int, list[PassageAlignment]] = {}
    for alignment in alignments:
        by_work.setdefault(alignment.work.id, []).append(alignment)
    return [
        Claim(
            alignments_of_work[0].work,
            [(alignment.passage, parts[alignment.passage.id].unshared) for alignment in alignments_of_work],
        )
        for alignments_of_work in by_work.values()
    ]


def _in_page_order(*parts: Sequence[Aligned]) -> list[Aligned]:
    return sorted(
        (aligned for stretches in parts for aligned in stretches), key=lambda stretch: stretch.span.page_start
    )

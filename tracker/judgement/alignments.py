"""Confirmed alignments of a passage, and which of their stretches are common to many works. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storage.records import Passage, Work
from tracker.alignment.align import Aligned
from tracker.judgement.profiles import Profile
from tracker.judgement.related import Depth


@dataclass(frozen=True, slots=True)
class PassageAlignment:
    """A candidate that alignment confirmed.

    Attributes:
        aligned: its stretches in page order, without those in background texts.
        background: its stretches that are also in background texts.
        charged_to: ids of the books that are charged with these stretches instead of its work, see
            :mod:`tracker.judgement.contained`; empty if its work is charged.
    """

    work: Work
    passage: Passage
    aligned: Sequence[Aligned]
    anchors: Mapping[str, int]
    background: Sequence[Aligned] = ()
    charged_to: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sharing:
    """The common extents of a page.

    Attributes:
        depth: how many unrelated texts share each letter of the page.
        whole: ids of passages that are practically complete on the page; none of their text is common.
    """

    depth: Depth
    whole: frozenset[int] = frozenset()

    def unshared_and_common(
        self, alignment: PassageAlignment, profile: Profile
    ) -> tuple[list[Aligned], list[Aligned]]:
        """Split a passage's stretches into unshared ones and those common to many works."""
        unshared, common = list[Aligned](), list[Aligned]()
        for aligned in alignment.aligned:
            is_shared = alignment.passage.id not in self.whole and is_common(aligned, self.depth, profile)
            (common if is_shared else unshared).append(aligned)
        return unshared, common


def is_common(aligned: Aligned, depth: Depth, profile: Profile) -> bool:
    """Return whether a stretch is short and shared by too many unrelated works."""
    if aligned.columns >= profile.common_chars:
        return False
    return float(np.median(depth[slice(*aligned.letters)])) >= profile.common_works

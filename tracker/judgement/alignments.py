"""What alignment confirmed of a passage, and which of it is common to many works. Pure."""

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
        aligned: its stretches, in page order, without …
        background: … those that stand in background texts, which are nobody's.
    """

    work: Work
    passage: Passage
    aligned: Sequence[Aligned]
    anchors: Mapping[str, int]
    background: Sequence[Aligned] = ()


@dataclass(frozen=True, slots=True)
class Sharing:
    """Which places of a page are common.

    Attributes:
        depth: how many unrelated texts share each letter of the page.
        whole: ids of passages that are as good as whole on the page, of which nothing is common.
    """

    depth: Depth
    whole: frozenset[int] = frozenset()

    def unshared_and_common(
        self, alignment: PassageAlignment, profile: Profile
    ) -> tuple[list[Aligned], list[Aligned]]:
        """Return the stretches that are a passage's own, and those that are common to many works."""
        unshared, common = list[Aligned](), list[Aligned]()
        for aligned in alignment.aligned:
            is_shared = alignment.passage.id not in self.whole and is_common(aligned, self.depth, profile)
            (common if is_shared else unshared).append(aligned)
        return unshared, common


def is_common(aligned: Aligned, depth: Depth, profile: Profile) -> bool:
    """Return whether a short stretch is shared by too many unrelated works to be one work's own."""
    if aligned.columns >= profile.common_chars:
        return False
    return float(np.median(depth[slice(*aligned.letters)])) >= profile.common_works

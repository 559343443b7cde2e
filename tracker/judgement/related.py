"""Which works are related, and which stretches of a page belong to nobody because unrelated works share them.

Works are related when they have an author or a rights holder in common, or are editions of one title. An
agency's formula in a hundred of its own articles is the agency's; a proverb in four novels of four authors is
nobody's.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from fingerprint.text.variants import fold
from storage.records import Work

_EDITION = re.compile(r"[（(【\[《〈「『].*?[）)】\]》〉」』]|[\W_]+")

Depth = npt.NDArray[np.int32]


def families(works: Iterable[Work]) -> dict[int, int]:
    """Return the family of each work: work id → the smallest id of a work that it is related to.

    Relation is passed on: two works that are each related to a third belong together.
    """
    parents: dict[int, int] = {}

    def root(work_id: int) -> int:
        while parents[work_id] != work_id:
            work_id = parents[work_id]
        return work_id

    first: dict[tuple[str, str], int] = {}
    for work in sorted(works, key=lambda work: work.id):
        parents[work.id] = work.id
        for name in _names(work):
            one, other = sorted((root(first.setdefault(name, work.id)), root(work.id)))
            parents[other] = one
    return {work_id: root(work_id) for work_id in parents}


def _names(work: Work) -> list[tuple[str, str]]:
    """Return what a work shares with those that it is related to."""
    named = [("author", work.author), ("holder", work.holder)]
    if work.kind == "novel":  # two articles may well have the same headline
        named.append(("title", _EDITION.sub("", fold(work.title))))
    return [(kind, fold(name).strip()) for kind, name in named if name and name.strip()]


def depth(letters: int, shared: Iterable[tuple[int, tuple[int, int]]], family: Mapping[int, int]) -> Depth:
    """Return how many unrelated works share each letter of a page.

    Args:
        letters: of the page.
        shared: work id and stretch (first and last + 1 letter) of everything found.
        family: from :func:`families`.
    """
    stretches: dict[int, list[tuple[int, int]]] = {}
    for work_id, stretch in shared:
        stretches.setdefault(family[work_id], []).append(stretch)
    total = np.zeros(letters, dtype=np.int32)
    for own in stretches.values():
        mask = np.zeros(letters, dtype=bool)
        for stretch in own:
            mask[slice(*stretch)] = True
        total += mask
    return total

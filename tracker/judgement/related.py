"""Related works, which are the same text, and the number of unrelated texts that share a stretch of a page.

Works are related if they are editions of one book or title, or if their passages with matches on a page are
mostly the same: reprints, versions of a report. Author and owner are irrelevant: if a hundred articles of one
agency share a formula, nothing shows which of them was copied, if any.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import mix64
from fingerprint.shingle import packed_shingles
from fingerprint.text.letters import to_letters
from fingerprint.text.variants import fold
from storage.records import Work

_EDITION = re.compile(r"[（(【\[《〈「『].*?[）)】\]》〉」』]|[\W_]+")
_SHINGLE = 9  # number of letters per shingle
_SAMPLE = 8  # every eighth shingle, chosen by its hash
_MOSTLY = 0.5  # minimum share of the longer text that the other text also contains

Depth = npt.NDArray[np.int32]


def families(works: Iterable[Work], *, same: Iterable[tuple[int, int]] = ()) -> dict[int, int]:
    """Return the family of each work: work id → the smallest id among related works.

    The relation is transitive: two works that each contain the text of a third are related.

    Args:
        works: the works.
        same: ids of works that are known to be the same text.
    """
    parents: dict[int, int] = {}

    def root(work_id: int) -> int:
        while parents[work_id] != work_id:
            work_id = parents[work_id]
        return work_id

    def join(first: int, second: int) -> None:
        smaller, larger = sorted((root(first), root(second)))
        parents[larger] = smaller

    first: dict[str | int, int] = {}
    for work in sorted(works, key=lambda work: work.id):
        parents[work.id] = work.id
        join(first.setdefault(work.book_id, work.id), work.id)
        if title := _edition_title(work):
            join(first.setdefault(title, work.id), work.id)
    for first_text, second in same:
        join(first_text, second)
    return {work_id: root(work_id) for work_id in parents}


def _edition_title(work: Work) -> str:
    """Return the title that editions of a novel share; empty for articles, which may share a headline."""
    return _EDITION.sub("", fold(work.title)) if work.kind == "novel" else ""


def same_texts(texts: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    """Return the pairs of works whose texts are mostly the same.

    Complexity: one sort of each text's shingles, one product of a matrix of texts by shared shingles.

    Args:
        texts: work ids and texts.
    """
    samples = [_sample(text) for _, text in texts]
    if not samples:
        return []
    hashes, counts = np.unique(np.concatenate(samples), return_counts=True)
    shared = hashes[counts > 1]
    has = np.array([np.isin(shared, sample, assume_unique=True) for sample in samples], dtype=np.int32)
    sizes = np.array([len(sample) for sample in samples])
    mostly = np.argwhere(has @ has.T > _MOSTLY * np.maximum(sizes[:, None], sizes[None, :]))
    pairs = {(texts[first][0], texts[second][0]) for first, second in mostly.tolist()}
    return sorted((first, second) for first, second in pairs if first < second)


def _sample(text: str) -> npt.NDArray[np.uint64]:
    """Return a selection of a text's shingles; equal passages give equal shingles."""
    hashes = mix64(packed_shingles(to_letters(text).codes, _SHINGLE))
    return np.unique(hashes[hashes % np.uint64(_SAMPLE) == 0])


def depth(letters: int, shared: Iterable[tuple[int, tuple[int, int]]], family: Mapping[int, int]) -> Depth:
    """Return how many unrelated texts share each letter of a page.

    Args:
        letters: of the page.
        shared: work id and stretch (first and last + 1 letter) of each hit.
        family: from :func:`families`.
    """
    stretches: dict[int, list[tuple[int, int]]] = {}
    for work_id, stretch in shared:
        stretches.setdefault(family[work_id], []).append(stretch)
    total = np.zeros(letters, dtype=np.int32)
    for stretches_of_family in stretches.values():
        mask = np.zeros(letters, dtype=bool)
        for stretch in stretches_of_family:
            mask[slice(*stretch)] = True
        total += mask
    return total

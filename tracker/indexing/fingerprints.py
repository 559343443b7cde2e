"""Fingerprints of passages: computed, stored with the texts, and loaded.

Stored fingerprints make it possible to verify the index and to rebuild it unchanged, even if a later version
of pindna computes different ones.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import to_letters
from storage.collections.stores import Stores
from storage.index.interface import PassageFingerprints
from storage.records import FingerprintSet, Passage
from tracker.indexing.params import IndexParams


def fingerprints_of(passages: Iterable[Passage], params: IndexParams) -> list[PassageFingerprints]:
    """Return the fingerprints of passages."""
    return [
        PassageFingerprints(passage.id, params.of_passage(to_letters(passage.text))) for passage in passages
    ]


def save_fingerprints(fingerprints: Iterable[PassageFingerprints], stores: Stores) -> None:
    """Store fingerprints; existing ones of the same passages and parameters are replaced."""
    stores.fingerprints.save_many(
        FingerprintSet(
            passage_id=passage.passage_id,
            params_id=params_id,
            hashes=prints.hashes.astype("<u8").tobytes(),
            positions=prints.positions.astype("<u4").tobytes(),
        )
        for passage in fingerprints
        for params_id, prints in passage.sets.items()
    )


def stored_fingerprints(
    ids: Sequence[int], stores: Stores, params: IndexParams
) -> dict[int, PassageFingerprints]:
    """Return the fingerprints of passages that have them stored for every method."""
    by_params = {params_id: stores.fingerprints.get_many(ids, params_id) for params_id in params.params_ids}
    complete = set(ids).intersection(*(sets.keys() for sets in by_params.values()))
    return {
        passage_id: PassageFingerprints(
            passage_id, {params_id: _unpack_stored(sets[passage_id]) for params_id, sets in by_params.items()}
        )
        for passage_id in sorted(complete)
    }


def known_fingerprints(ids: Sequence[int], stores: Stores, params: IndexParams) -> list[PassageFingerprints]:
    """Return the stored fingerprints of passages; missing ones are computed from the text."""
    stored = stored_fingerprints(ids, stores, params)
    passages = stores.passages.get_many(passage_id for passage_id in ids if passage_id not in stored)
    return [*stored.values(), *fingerprints_of(passages.values(), params)]


def _unpack_stored(stored: FingerprintSet) -> Fingerprints:
    return Fingerprints(
        np.frombuffer(stored.hashes, dtype="<u8"), np.frombuffer(stored.positions, dtype="<u4")
    )

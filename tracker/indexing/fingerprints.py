"""The fingerprints of passages: computed, stored beside the texts, and read back.

They are stored so that what was indexed can be proved and rebuilt as it was, whatever a later version of
pindna computes.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import to_letters
from storage.collections.stores import Stores
from storage.index.interface import PassageFingerprints
from storage.records import FingerprintSet, Passage
from tracker.indexing.params import IndexParams


def made(passages: Iterable[Passage], params: IndexParams) -> list[PassageFingerprints]:
    """Return the fingerprints of passages."""
    return [PassageFingerprints(each.id, params.of_passage(to_letters(each.text))) for each in passages]


def save_fingerprints(found: Iterable[PassageFingerprints], stores: Stores) -> None:
    """Store fingerprints, over those that are stored for the same passages and parameters.

    Raises:
        ServiceDown: MongoDB does not answer; the call may be repeated.
    """
    stores.fingerprints.save_many(
        FingerprintSet(
            passage_id=each.passage_id,
            params_id=params_id,
            hashes=prints.hashes.astype("<u8").tobytes(),
            positions=prints.positions.astype("<u4").tobytes(),
        )
        for each in found
        for params_id, prints in each.sets.items()
    )


def stored_fingerprints(
    ids: Sequence[int], stores: Stores, params: IndexParams
) -> dict[int, PassageFingerprints]:
    """Return the fingerprints of those passages that have them stored for every method.

    Raises:
        ServiceDown: MongoDB does not answer.
    """
    by_params = {each: stores.fingerprints.get_many(ids, each) for each in params.params_ids}
    complete = set(ids).intersection(*(found.keys() for found in by_params.values()))
    return {
        each: PassageFingerprints(
            each, {params_id: _unpacked(found[each]) for params_id, found in by_params.items()}
        )
        for each in sorted(complete)
    }


def _unpacked(stored: FingerprintSet) -> Fingerprints:
    return Fingerprints(
        np.frombuffer(stored.hashes, dtype="<u8"), np.frombuffer(stored.positions, dtype="<u4")
    )

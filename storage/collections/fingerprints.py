"""Collection ``fingerprints``: the selected hashes of every passage, to rebuild the index."""

from collections.abc import Iterable

from storage.collections.checked import CheckedDatabase
from storage.records import FingerprintSet

_BATCH = 400  # sets in one insertion; a set has about 200,000 bytes at most


class FingerprintStore:
    """Fingerprint sets by (passage, parameters). Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._fingerprints = database["fingerprints"]

    def save_many(self, sets: Iterable[FingerprintSet]) -> None:
        """Insert or replace fingerprint sets."""
        documents = [
            {
                "_id": _set_id(fingerprints.passage_id, fingerprints.params_id),
                "hashes": fingerprints.hashes,
                "positions": fingerprints.positions,
            }
            for fingerprints in sets
        ]
        for start in range(0, len(documents), _BATCH):
            self._fingerprints.insert_or_replace(documents[start : start + _BATCH])

    def get_many(self, passage_ids: Iterable[int], params_id: str) -> dict[int, FingerprintSet]:
        """Return the stored fingerprint sets of passages for one set of parameters."""
        keys = {_set_id(passage_id, params_id): passage_id for passage_id in passage_ids}
        rows = list(self._fingerprints.find_among("_id", list(keys)))
        return {
            keys[row["_id"]]: FingerprintSet(
                passage_id=keys[row["_id"]],
                params_id=params_id,
                hashes=row["hashes"],
                positions=row["positions"],
            )
            for row in rows
        }

    def with_fingerprints(self, passage_ids: Iterable[int], params_ids: Iterable[str]) -> set[int]:
        """Return the passages that have a set for each of these parameters."""
        ids, params = list(passage_ids), list(params_ids)
        keys = [_set_id(passage_id, params_id) for passage_id in ids for params_id in params]
        stored = {row["_id"] for row in self._fingerprints.find_among("_id", keys, {"_id": 1})}
        return {number for number in ids if all(_set_id(number, params_id) in stored for params_id in params)}

    def delete_many(self, passage_ids: Iterable[int], params_ids: Iterable[str]) -> None:
        """Delete the sets of passages."""
        params = list(params_ids)
        keys = [_set_id(passage_id, params_id) for passage_id in passage_ids for params_id in params]
        self._fingerprints.delete_many({"_id": {"$in": keys}})

    def keep_only(self, params_ids: Iterable[str]) -> int:
        """Delete all sets except those of the given parameters, which an index needs; returns the number."""
        kept = set(params_ids)
        ids = [row["_id"] for row in self._fingerprints.find({}, {"_id": 1})]
        gone = [key for key in ids if key.partition(":")[2] not in kept]
        for start in range(0, len(gone), _BATCH):
            self._fingerprints.delete_many({"_id": {"$in": gone[start : start + _BATCH]}})
        return len(gone)


def _set_id(passage_id: int, params_id: str) -> str:
    return f"{passage_id}:{params_id}"

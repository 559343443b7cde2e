"""Encode records for the evidence log: canonical content, its digest, and the bytes of the leaf.

The content is UTF-8 JSON with sorted keys and no spaces. It contains every stored field except the log's
mark. Times are in ISO 8601, UTC, with milliseconds; bytes become ``{"sha256": …}``. The log contains digests
only.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from storage.collections.evidence_log import UNLOGGED
from storage.records.evidence_log import Leaf


def content_of(document: Mapping[str, Any]) -> bytes:
    """Return the canonical content of a stored record.

    >>> content_of({"_id": "a", "warc": b"", "unlogged": True}).decode()
    '{"id":"a","warc":{"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}'
    """
    fields = {name: value for name, value in document.items() if name not in {"_id", UNLOGGED}}
    return canonical({**fields, "id": document["_id"]})


def canonical(value: object) -> bytes:
    """Return a value in the canonical form that is hashed and signed."""
    spelt = json.dumps(value, default=_json_value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return spelt.encode("utf-8", "surrogatepass")


def _json_value(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    if isinstance(value, bytes):
        return {"sha256": hashlib.sha256(value).hexdigest()}
    return {type(value).__name__: str(value)}  # pindna stores no such type: the row was edited by hand


def digest_of(content: bytes, salt: bytes) -> str:
    """Return SHA-256(salt ‖ content), hexadecimal."""
    return hashlib.sha256(salt + content).hexdigest()


def leaf_bytes(leaf: Leaf) -> bytes:
    """Return the bytes of a leaf as the tree hashes them."""
    return canonical({"at": leaf.at, "digest": leaf.digest, "kind": leaf.kind, "record": leaf.record})

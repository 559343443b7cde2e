"""Digests that identify a known work: one for each passage, and one for the whole work."""

import hashlib
from collections.abc import Sequence

from tracker.corpus.reading import RawWork


def passage_hashes(raw: RawWork) -> list[str]:
    """Return the SHA-256 of each section with its title."""
    sections = (f"{section.title}\0{section.text}" for section in raw.sections)
    return [hashlib.sha256(section.encode("utf-8", "replace")).hexdigest() for section in sections]


def joint_hash(shas: Sequence[str]) -> str:
    """Return the digest of a work, computed from the digests of its passages in order."""
    return hashlib.sha256("".join(shas).encode()).hexdigest()

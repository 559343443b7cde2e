"""Statements explain deletions and erasures of logged records, to distinguish them from tampering.

Statements of workers (pruning, removing) are not signed: they only delete, and the log contains what and
when. An erasure changes records, so it is signed: write access to the database is not enough to forge one.
"""

from dataclasses import replace

from analysis.evidence.leaves import canonical
from analysis.evidence.public_keys import is_signed
from storage.records.evidence_log import Statement

_SIGNED = frozenset({"erased"})


def signed_bytes(statement: Statement) -> bytes:
    """Return the bytes that the signature of a statement covers."""
    fields = {
        "at": statement.at,
        "because": statement.because,
        "by": statement.by,
        "id": statement.id,
        "kind": statement.kind,
        "records": [list(record) for record in statement.records],
        "salt": statement.salt.hex(),
    }
    return b"pindna statement\n" + canonical(fields)


def is_valid(statement: Statement, publics: list[bytes]) -> bool:
    """Return whether a statement has the required signature of one of the installation's keys."""
    if statement.kind not in _SIGNED:
        return True
    unsigned = signed_bytes(replace(statement, signature=b""))
    return any(is_signed(unsigned, statement.signature, public) for public in publics)

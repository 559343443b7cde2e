"""Statements: what was done to logged records, so that a deletion or erasure is told from tampering.

What workers do by themselves (pruning, removing) is stated unsigned: it deletes, and the log says what and
when. An erasure changes records, and so is signed: who can only write to the database cannot make one.
"""

from dataclasses import replace

from analysis.evidence.leaves import canonical
from analysis.evidence.public_keys import is_signed
from storage.records.evidence_log import Statement

_SIGNED = frozenset({"erased"})


def signed_bytes(statement: Statement) -> bytes:
    """Return what the signature of a statement is over."""
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
    """Return whether a statement is signed by one of the installation's keys, if it has to be."""
    if statement.kind not in _SIGNED:
        return True
    unsigned = signed_bytes(replace(statement, signature=b""))
    return any(is_signed(unsigned, statement.signature, public) for public in publics)

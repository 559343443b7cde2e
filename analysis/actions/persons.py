"""Erase the personal data of a person on request."""

from dataclasses import replace

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.evidence import erasing
from analysis.evidence.erasing import Erasure
from storage.collections.persons import pattern_of
from storage.records import utc_now
from tracker.runtime import Runtime


def erase(identity: Identity, runtime: Runtime, name: str, *, reason: str) -> Erasure:
    """Replace a person's name by a pseudonym everywhere. The audit log contains only the pseudonym.

    Raises:
        NotPermitted: the user may not change accounts.
        NameTooShort, LastAdministrator, NotLoggedYet …: see :func:`analysis.evidence.erasing.erase`.
    """
    identity.require("accounts:write")
    stores, now = runtime.stores, utc_now()
    erasure = erasing.erase(name, stores, runtime.settings, by=identity.name, reason=reason, now=now)
    if erasure.changed:
        by = pattern_of(name.strip()).sub(erasure.pseudonym, identity.account.name)
        actor = replace(identity, account=replace(identity.account, name=by))
        rows = {"records": str(erasure.changed.total())}
        record_action(actor, runtime, "erase", f"person {erasure.pseudonym}", detail=rows, at=now)
    return erasure

"""The key that signs evidence, changed by administrators."""

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.evidence.keys import SigningKey, rotate
from analysis.evidence.log import append_pending
from storage.records import utc_now
from tracker.runtime import Runtime


def rotate_key(identity: Identity, runtime: Runtime, *, is_lost: bool = False) -> SigningKey:
    """Make a new key that signs evidence from now on, and log that.

    Args:
        identity: an administrator.
        runtime: the open services.
        is_lost: the file of the earlier key is lost, so it endorses nothing.

    Raises:
        NotPermitted: this one may not.
        KeyUnusable …: see :func:`analysis.evidence.keys.rotate`.
    """
    identity.require("accounts:write")
    stores, settings = runtime.stores, runtime.settings
    key = rotate(settings, stores.evidence_keys, by=identity.name, now=utc_now(), is_lost=is_lost)
    append_pending(stores, settings)
    note_act(identity, runtime, "rotate", "evidence key", after={"fingerprint": key.fingerprint})
    return key

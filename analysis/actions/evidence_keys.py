"""Read and rotate the key that signs evidence."""

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.evidence.keys import SigningKey, rotate, signing_key
from analysis.evidence.log import append_pending
from storage.records import utc_now
from storage.records.evidence_log import InstallationKey
from tracker.runtime import Runtime


def installation_keys(identity: Identity, runtime: Runtime) -> tuple[SigningKey, list[InstallationKey]]:
    """Return the current signing key, which is made if there is none, and all keys, the oldest first.

    Raises:
        NotPermitted: the user may not read evidence.
        KeyElsewhere, KeyUnusable: see :func:`analysis.evidence.keys.signing_key`.
    """
    identity.require("evidence:read")
    store = runtime.stores.evidence_keys
    return signing_key(runtime.settings, store, now=utc_now()), store.all()


def rotate_key(identity: Identity, runtime: Runtime, *, is_lost: bool = False) -> SigningKey:
    """Make a new key that signs evidence from now on, and record the rotation in the evidence log.

    Args:
        identity: an administrator.
        runtime: the open services.
        is_lost: the file of the earlier key is lost, so this key cannot endorse the new one.

    Raises:
        NotPermitted: the user lacks the permission.
        KeyUnusable …: see :func:`analysis.evidence.keys.rotate`.
    """
    identity.require("accounts:write")
    stores, settings = runtime.stores, runtime.settings
    key = rotate(settings, stores.evidence_keys, by=identity.name, now=utc_now(), is_lost=is_lost)
    append_pending(stores, settings)
    record_action(identity, runtime, "rotate", "evidence key", after={"fingerprint": key.fingerprint})
    return key

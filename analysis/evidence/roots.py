"""Sign the root of each day, store it, and have it timestamped by the configured authorities.

If an authority does not answer, each later run asks it again, for the newest roots first. Other timestamps
are stored at once. A kill leaves the root without the timestamps that were not stored yet.
"""

from datetime import datetime

from analysis.evidence.checkpoints import Checkpoint, sign_checkpoint
from analysis.evidence.keys import signing_key
from analysis.evidence.log import checked_tree
from analysis.evidence.timestamps import AuthorityFailed, timestamps
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.records.evidence_log import SignedRoot, StoredToken
from storage.settings import Settings

_ASKED_AGAIN = 5  # maximum number of roots in one run for which timestamps are requested again


def sign_daily_root(stores: Stores, settings: Settings, *, now: datetime | None = None) -> SignedRoot | None:
    """Sign the root of a UTC day. Return None if the day has one or the log has not grown.

    Raises:
        LogBroken: the log was altered.
        KeyElsewhere, KeyUnusable: this machine cannot sign.
        ServiceDown, StorageFailed: the database refused.
    """
    at = now or utc_now()
    log = stores.evidence_log
    last = log.last_root()
    if last is not None and last.at.date() >= at.date():
        return None
    head = checked_tree(stores, settings).head
    if not head.size or (last is not None and head.size <= last.id):
        return None
    key = signing_key(settings, stores.evidence_keys, now=at)
    note = sign_checkpoint(Checkpoint(head.origin, head.size, head.root, at), key)
    waiting = tuple(authority.url for authority in settings.analysis.evidence.authorities)
    witnesses = tuple(witness.name for witness in settings.analysis.evidence.witnesses)
    root = SignedRoot(id=head.size, note=note, at=at, waiting=waiting, undeposited=witnesses)
    return root if log.add_root(root) else None


def stamp_roots(stores: Stores, settings: Settings) -> list[AuthorityFailed]:
    """Request the missing timestamps of roots. Return the errors for the last root that was tried.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    evidence = settings.analysis.evidence
    failed: list[AuthorityFailed] = []
    barred: set[str] = set()  # authorities that failed in this run and are skipped for the rest of it
    for root in stores.evidence_log.waiting_roots(_ASKED_AGAIN):
        authorities = [
            authority
            for authority in evidence.authorities
            if authority.url in root.waiting and authority.url not in barred
        ]
        stamps, errors = timestamps(root.note.encode(), authorities, timeout_s=evidence.authority_timeout_s)
        tokens = [
            StoredToken(authority=stamp.authority, token=stamp.token, root=stamp.root) for stamp in stamps
        ]
        stores.evidence_log.record_tokens(root.id, tokens)
        failed += errors
        barred |= {str(error.data["authority"]) for error in errors}
    return failed

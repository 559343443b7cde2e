"""Check the installation as a whole: the index and the evidence log."""

from collections.abc import Mapping
from functools import partial

from analysis.alerts.context import Check
from analysis.alerts.outcomes import message_of
from analysis.evidence.log import LogBroken, checked_tree
from analysis.words.i18n import N_
from storage.collections.evidence_log import DamagedRow
from storage.records import OccasionKind
from system.errors import IndexUnusable, ServiceDown
from system.messages import Message
from tracker.indexing.guard import verify
from tracker.runtime import Runtime


def checks_of(runtime: Runtime) -> Mapping[OccasionKind, Check]:
    """Return the checks of an installation.

    Each raises ``ServiceDown`` if MongoDB does not answer. A missing signing key is not an error of the log.
    """
    return {"index-unhealthy": partial(_check_index, runtime), "log-broken": partial(_check_log, runtime)}


def _check_index(runtime: Runtime) -> Message | None:
    if not runtime.stores.works.count("indexed"):
        return None
    try:
        missing = verify(runtime.stores, runtime.redis, runtime.params)
    except (IndexUnusable, ServiceDown) as error:
        return message_of(error)
    return Message(N_("{count} passages are missing"), {"count": missing}) if missing else None


def _check_log(runtime: Runtime) -> Message | None:
    try:
        checked_tree(runtime.stores, runtime.settings)
    except (LogBroken, DamagedRow) as error:
        return message_of(error)
    return None

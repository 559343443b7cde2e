"""Send alerts on request: a test message to an addressee, and the messages that failed.

Both actions need the permission to run scans, because alerts report results of scans.
"""

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.alerts.overview import send_test
from storage.records import utc_now
from tracker.runtime import Runtime


def try_addressee(identity: Identity, runtime: Runtime, name: str) -> str:
    """Send a test message to an addressee now, and return the response.

    Raises:
        NotPermitted: the user lacks the permission.
        UnknownRecord: there is no such addressee.
        MissingSecret: a secret that the addressee needs is not set here.
        NotDelivered: the message was not delivered.
    """
    identity.require("scans:run")
    record_action(identity, runtime, "try-addressee", f"addressee {name}")
    return send_test(runtime.settings, name, now=utc_now())


def send_again(identity: Identity, runtime: Runtime) -> int:
    """Retry the mailings that failed, and return their number.

    Raises:
        NotPermitted: the user lacks the permission.
    """
    identity.require("scans:run")
    count = runtime.stores.outbox.retry_failed(now=utc_now())
    record_action(identity, runtime, "send-again", "outbox", detail={"mailings": str(count)})
    return count

"""Alerts that people have sent: a test to an addressee, and again what was given up.

It takes the permission to run scans, because alerts are about scans.
"""

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from analysis.alerts.overview import send_test
from storage.records import utc_now
from tracker.runtime import Runtime


def try_addressee(identity: Identity, runtime: Runtime, name: str) -> str:
    """Send a test to an addressee now; returns what came back.

    Raises:
        NotPermitted: this one may not.
        UnknownRecord: there is no such addressee.
        MissingSecret: a variable that it names is not set here.
        NotDelivered: it was not taken.
    """
    identity.require("scans:run")
    note_act(identity, runtime, "try-addressee", f"addressee {name}")
    return send_test(runtime.settings, name, now=utc_now())


def send_again(identity: Identity, runtime: Runtime) -> int:
    """Try again what was given up; returns how many mailings.

    Raises:
        NotPermitted: this one may not.
    """
    identity.require("scans:run")
    count = runtime.stores.outbox.retry_failed(now=utc_now())
    note_act(identity, runtime, "send-again", "outbox", detail={"mailings": str(count)})
    return count

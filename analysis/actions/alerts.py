"""Send alerts on request, and add or remove addressees.

Sending needs the permission to run scans, because alerts report results of scans.
"""

from collections.abc import Mapping

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import record_action
from analysis.actions.settings import save_settings
from analysis.alerts.overview import addressee_of, send_test
from analysis.queries.settings import settings_overview
from storage.records import utc_now
from storage.running.live_settings import SettingsState
from tracker.runtime import Runtime

_ADDRESSEES, _GROUPS, _RULES = (f"analysis.alerts.{name}" for name in ("addressees", "groups", "rules"))


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


def add_addressee(
    identity: Identity,
    runtime: Runtime,
    name: str,
    addressee: Mapping[str, object],
    rule: Mapping[str, object] | None = None,
) -> SettingsState:
    """Add an addressee of alerts, or replace it, with a rule that sends to it.

    Args:
        identity: the user or program.
        runtime: settings and stores.
        name: of the addressee.
        addressee: its fields as the settings have them; a new secret is ``{"secret": "…"}``.
        rule: further fields of the rule; None: no rule is added.

    Raises:
        PindnaError: as :func:`analysis.actions.settings.save_settings`.
    """
    overview = settings_overview(identity, runtime)
    values = {view.name: view.value for view in overview.settings}
    changes: dict[str, object] = {_ADDRESSEES: {**values[_ADDRESSEES], name: addressee}}
    if rule is not None:
        changes[_RULES] = [*values[_RULES], {**rule, "to": [name]}]
    return save_settings(identity, runtime, changes, revision_read=overview.revision)


def remove_addressee(identity: Identity, runtime: Runtime, name: str) -> SettingsState:
    """Remove an addressee of alerts, also from groups and rules; a rule that sends to no one else is deleted.

    Raises:
        UnknownRecord: there is no such addressee.
        PindnaError: as :func:`analysis.actions.settings.save_settings`.
    """
    overview = settings_overview(identity, runtime)
    values = {view.name: view.value for view in overview.settings}
    addressee_of(runtime.settings.analysis.alerts, name)
    groups = {
        group: [member for member in members if member != name] for group, members in values[_GROUPS].items()
    }
    groups = {group: members for group, members in groups.items() if members}
    targets = groups.keys() | values[_ADDRESSEES].keys() - {name}
    rules = [{**rule, "to": [to for to in rule["to"] if to in targets]} for rule in values[_RULES]]
    changes: dict[str, object] = {
        _ADDRESSEES: {key: value for key, value in values[_ADDRESSEES].items() if key != name},
        _GROUPS: groups,
        _RULES: [rule for rule in rules if rule["to"]],
    }
    changed = {key: value for key, value in changes.items() if value != values[key]}
    return save_settings(identity, runtime, changed, revision_read=overview.revision)

"""Health of the services that pindna uses, for operators."""

from analysis.accounts.permissions import Identity
from analysis.health.machine import browser_finding, disk_finding
from analysis.health.services import (
    ORDER,
    Finding,
    Workers,
    agreement_findings,
    alert_findings,
    beat_findings,
    index_finding,
    missing_works,
    service_findings,
    setting_findings,
    whole_index_finding,
    worker_findings,
    works_findings,
)
from analysis.words.i18n import Translator
from storage.settings import shown_settings
from tracker.runtime import Runtime


def service_health(
    identity: Identity, runtime: Runtime, workers: Workers, texts: Translator
) -> list[Finding]:
    """Return the findings: errors first, then alerts, then the rest. This may take two seconds.

    Args:
        identity: the user or program that asks.
        runtime: the open services.
        workers: the workers.
        texts: translations into the user's language.

    Raises:
        NotPermitted: the user may not read sources and services.
        ServiceDown: MongoDB stopped.
    """
    identity.require("sources:read")
    settings, stores = runtime.settings, runtime.stores
    findings = service_findings(stores, settings, texts)
    if all(finding.state == "good" for finding in findings):
        findings += [
            index_finding(runtime, texts),
            *works_findings(missing_works(stores), texts),
            *worker_findings(workers, texts),
            *agreement_findings(stores, workers, settings, texts),
            *beat_findings(settings, texts),
            *alert_findings(stores, settings, texts),
            *setting_findings(runtime.live_settings, texts),
        ]
    return _by_gravity(findings)


def thorough_health(identity: Identity, runtime: Runtime, texts: Translator) -> list[Finding]:
    """Return the findings of slower checks: the disk, the browser, and each passage in the index.

    Raises:
        NotPermitted: the user may not examine the installation.
    """
    identity.require("settings:read")
    settings = runtime.settings
    return _by_gravity(
        [
            disk_finding(settings.storage.data_dir, texts),
            browser_finding(settings.crawler, texts),
            whole_index_finding(runtime, texts),
        ]
    )


def settings_in_force(identity: Identity, runtime: Runtime) -> list[tuple[str, str]]:
    """Return (name, value) of every setting, with secrets masked.

    Raises:
        NotPermitted: the user may not read settings.
    """
    identity.require("settings:read")
    return list(shown_settings(runtime.settings))


def _by_gravity(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: ORDER.index(finding.state))

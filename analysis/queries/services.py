"""Whether the services that pindna works on are well, for those who look after them."""

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
    """Return what is wrong, then what a person should look at, then the rest; this may take two seconds.

    Args:
        identity: asks.
        runtime: the open services.
        workers: that answer.
        texts: the language.

    Raises:
        NotPermitted: sources, and what works on them, are not this one's to read.
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
        ]
    return _by_gravity(findings)


def thorough_health(identity: Identity, runtime: Runtime, texts: Translator) -> list[Finding]:
    """Return what takes longer to know: of the disk, the browser, and each passage in the index.

    Raises:
        NotPermitted: the installation is not this one's to examine.
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
    """Return the name and the value of every setting; secrets are masked.

    Raises:
        NotPermitted: settings are not this one's to read.
    """
    identity.require("settings:read")
    return list(shown_settings(runtime.settings))


def _by_gravity(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: ORDER.index(finding.state))

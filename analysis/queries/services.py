"""Whether the services that pindna works on are well, for those who look after them."""

from analysis.accounts.permissions import Identity
from analysis.health import (
    ORDER,
    Finding,
    Workers,
    alert_findings,
    beat_findings,
    index_finding,
    missing_works,
    service_findings,
    worker_findings,
    works_findings,
)
from analysis.i18n import Translator
from tracker.runtime import Runtime


def service_health(who: Identity, runtime: Runtime, workers: Workers, texts: Translator) -> list[Finding]:
    """Return what is wrong, then what a person should look at, then the rest; this may take two seconds.

    Args:
        who: asks.
        runtime: the open services.
        workers: that answer.
        texts: the language.

    Raises:
        NotPermitted: sources, and what works on them, are not this one's to read.
        ServiceDown: MongoDB stopped meanwhile.
    """
    who.require("sources:read")
    settings, stores = runtime.settings, runtime.stores
    findings = service_findings(stores, settings, texts)
    if all(finding.state == "good" for finding in findings):
        findings += [
            index_finding(runtime, texts),
            *works_findings(missing_works(stores), texts),
            *worker_findings(workers, texts),
            *beat_findings(settings, texts),
            *alert_findings(stores, settings, texts),
        ]
    return sorted(findings, key=lambda finding: ORDER.index(finding.state))

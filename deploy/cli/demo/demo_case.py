"""The second half of ``pindna demo``: a case from discovery to removal, as with commands."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from analysis.cases.actions import decide_open
from analysis.evidence.package import Package, export_package
from analysis.evidence.verifying import verify_package
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import make_notices
from analysis.notices.sending import resolve
from analysis.watch.enrolling import enrol_case
from analysis.watch.rounds import run_rounds, take
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from analysis.words.labels import CASE_STATES, RECOMPUTED
from deploy.cli.console import print_progress, print_result
from deploy.cli.labels import word_of
from deploy.demo.rights import HOLDER, keep_rights
from deploy.demo.sites import RunningSites
from storage.records import VERDICTS, Case, gravest, utc_now
from tracker.runtime import Runtime

_BY = "demo"
_LOOKS = 4  # two looks make a page gone; under load a look may reach no other page
_SITES = frozenset({"blog", "portal", "novels"})


def show_case(runtime: Runtime, sites: RunningSites, folder: Path) -> bool:
    """Confirm a case, export and verify its evidence, make a notice, remove its pages, and check them.

    Args:
        runtime: after a scan of the sample sites.
        sites: as they are served.
        folder: where package and notice go.

    Returns:
        Whether the package verifies and the case ends as removed.
    """
    stores = runtime.stores
    case = next(_cases(runtime, sites), None)
    if case is None:
        print_progress(_("There is no case to show."))
        return True
    print_progress(_("One case, from the finding to the removal:"))
    keep_rights(stores, site=case.site)
    _confirm(case, runtime)
    package = export_package(stores.matches.of_case(case.work_id, case.site), runtime, path=folder, by=_BY)
    is_same = _verified(package)
    _notify(case, runtime)
    urls = [match.url for match in stores.matches.of_case(case.work_id, case.site)]
    sites.take_down(urls)
    _look(case, runtime)
    state = stores.cases.get(case.name).state
    print_result(
        _("{name}, {work}: {state}").format(
            name=case.name, work=case.work_title, state=word_of(CASE_STATES, state)
        )
    )
    return is_same and state == "removed"


def _cases(runtime: Runtime, sites: RunningSites) -> Iterator[Case]:
    """Yield cases of copies on the sample sites, those with the fewest pages first."""
    hosts = {urlsplit(url).netloc for name, url in sites.base_urls.items() if name in _SITES}
    copies = [
        case
        for case in runtime.stores.cases.listed()
        if case.site in hosts and case.verdict == gravest(VERDICTS) and case.pages
    ]
    yield from sorted(copies, key=lambda case: (case.pages, case.number))


def _confirm(case: Case, runtime: Runtime) -> None:
    """Confirm a case like ``pindna case confirm``; a case that an earlier demo confirmed stays confirmed."""
    stores = runtime.stores
    is_open = any(True for _match in stores.matches.listed(work_id=case.work_id, site=case.site, review=""))
    if is_open or case.state not in {"new", "confirmed"}:
        decide_open(case, stores, state="confirmed", by=_BY, reason="", at=utc_now())
    enrol_case(stores.cases.get(case.name), stores, runtime.settings.analysis.watch, now=utc_now())


def _verified(package: Package) -> bool:
    """Verify a package like ``pindna evidence verify``, and print the result."""
    verification = verify_package(package.path, keys=frozenset({package.fingerprint}))
    result = verification.result or "different"
    print_result(
        ngettext(
            "{path}: sealed evidence of {count} match; verified: {result}",
            "{path}: sealed evidence of {count} matches; verified: {result}",
            package.matches,
        ).format(path=package.path, count=package.matches, result=word_of(RECOMPUTED, result))
    )
    return verification.is_intact and result == "same"


def _notify(case: Case, runtime: Runtime) -> None:
    """Make a notice and record that it was posted, like ``pindna notice make`` and ``notice resolve``."""
    settings = runtime.settings.analysis.notices
    request = NoticeRequest(kind="infringement", holder=HOLDER)
    case = runtime.stores.cases.get(case.name)
    notice = make_notices([case], request, runtime, by=_BY, now=utc_now()).notice
    resolve(notice, "sent", runtime.stores, settings, by=_BY, reason="", now=utc_now())
    print_result(_("{path}: the notice to the site").format(path=Path(notice.files["docx"].path).parent))


def _look(case: Case, runtime: Runtime) -> None:
    """Check the case's addresses until the watch is certain, every few seconds instead of every hour."""
    stores, settings = runtime.stores, runtime.settings
    rules = settings.analysis.watch
    print_progress(_("The site removes the pages; the watch looks twice, seconds instead of an hour apart."))
    for _attempt in range(_LOOKS):
        watches = stores.watches.of_case(case.number)
        for watch in watches:
            stores.watches.bring_forward(watch, utc_now())
        rounds = take(stores.watches.of_case(case.number), stores, rules, now=utc_now())
        run_rounds(rounds, stores, settings.analysis, processes=settings.crawler.processes)
        if stores.cases.get(case.name).state == "removed":
            return
        time.sleep(rules.confirm_s)

"""Pictures of the pages of matches, taken now; each is a capture like any other."""

from collections import defaultdict
from collections.abc import Iterable

from analysis.evidence.contents import PackageProblem
from crawler.sources.pictures import take_pictures
from storage.records import Match, Source
from system.errors import UnknownRecord
from tracker.runtime import Runtime


def take_screenshots(matches: Iterable[Match], runtime: Runtime) -> tuple[PackageProblem, ...]:
    """Take a picture of each page of some matches; return which could not be taken, and why.

    A page is asked for as its source asks, with its login and at its pace.

    Raises:
        BrowserMissing: there is no browser.
    """
    urls: dict[str, dict[str, None]] = defaultdict(dict)
    for page in runtime.stores.pages.without_texts([match.page_id for match in matches]):
        urls[page.source][page.url] = None
    problems: list[PackageProblem] = []
    for name, addresses in urls.items():
        missing = take_pictures(_source(name, runtime), addresses, runtime.settings.crawler)
        problems += [
            PackageProblem(kind="no-screenshot", subject=url, detail=reason)
            for url, reason in missing.items()
        ]
    return tuple(problems)


def _source(name: str, runtime: Runtime) -> Source:
    try:
        return runtime.stores.sources.get(name)
    except UnknownRecord:  # it was removed; its pages are asked for like anybody's
        return Source(name="evidence", kind="urls")

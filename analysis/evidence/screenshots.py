"""Take screenshots of the pages of matches. Each screenshot is stored as a capture."""

from collections import defaultdict
from collections.abc import Iterable

from analysis.evidence.contents import PackageProblem
from crawler.sources.pictures import take_pictures
from storage.records import Match, Source
from system.errors import UnknownRecord
from tracker.runtime import Runtime


def take_screenshots(matches: Iterable[Match], runtime: Runtime) -> tuple[PackageProblem, ...]:
    """Take a screenshot of each page of the matches. Return the pages that failed, with reasons.

    A page is requested with the login and the pace of its source.

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
    except UnknownRecord:  # the source was removed; use the default settings
        return Source(name="evidence", kind="urls")

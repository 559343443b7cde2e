"""One crawl of one source: what it was asked to do and what came of it so far.

The job is handed to the spider as an argument; pipelines, middlewares and extensions reach it through the
spider. Stores block, so every call to them goes through :meth:`Job.store`, which runs it in a thread.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from storage.errors import PindnaError
from storage.records import Source
from storage.settings import CrawlerSettings
from storage.stores import Stores

P = ParamSpec("P")
R = TypeVar("R")


class SourceUnreadable(PindnaError):
    """No start address could be fetched. Data: ``source``, ``url``, ``problem``, ``advice``."""

    template = "Source {source} could not be read: {url} ({problem}). {advice}"
    exit_status = 1


@dataclass(slots=True)
class Job:
    """A crawl under way.

    Attributes:
        counts: ``pages`` (new ones), ``unchanged``, ``failed``.
        reached: start addresses that answered.
        problems: (start address, reason) of those that did not.
        fatal: the error of ours that ends the crawl, e.g. a database that went away.
        promised: pages asked for so far; never more than the source's ``max_pages``.
    """

    source: Source
    scan_id: str
    crawl_id: str
    stores: Stores
    settings: CrawlerSettings
    counts: Counter[str] = field(default_factory=Counter)
    reached: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    fatal: PindnaError | None = None
    promised: int = 0

    async def store(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a blocking store method in a thread.

        Raises:
            PindnaError: as the method does; the first one is kept and ends the crawl.
        """
        try:
            return await asyncio.to_thread(call, *args, **kwargs)
        except PindnaError as error:
            self.fatal = self.fatal or error
            raise

    def promise_page(self) -> bool:
        """Reserve room for one more page; False when the source's limit is reached."""
        if self.promised >= self.source.max_pages:
            return False
        self.promised += 1
        return True

    def outcome(self) -> PindnaError | None:
        """Return the error that the crawl ends with, None when it did its work."""
        if self.fatal is not None or self.reached or not self.problems:
            return self.fatal
        url, reason = self.problems[0]
        return SourceUnreadable(source=self.source.name, url=url, problem=reason, advice=advice_on(reason))


def advice_on(reason: str) -> str:
    """Return what the user can do about a failed download."""
    if reason == "robots":
        return "Its robots.txt forbids the crawl; ask the site, or remove the source."
    if reason == "inner-address":
        return "Inner addresses are refused; add its network to crawler.allow_inner if you mean it."
    if reason.startswith("http-4"):
        return "Correct the address of the source."
    return "Check the address and the network, then crawl again."

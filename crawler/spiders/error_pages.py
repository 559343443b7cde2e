"""Recognises soft 404s: error pages with status 200.

A page that says in words that it does not exist is a soft 404. Short pages, and pages at several addresses,
are compared with the site's answer for an address that cannot exist (Bar-Yossef et al., *Sic transit gloria
telae*, 2004). A page that still shows the copies found at its address is never a soft 404.
"""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit, urlunsplit

from crawler.job import Job
from crawler.pages.looks import is_notice, is_same_page
from crawler.pages.outcomes import Text
from crawler.pages.page_records import text_hash
from crawler.pages.storing import is_still_held
from fingerprint.text.han import has_han
from storage.records import PageKind, Visit
from system.sites import host_of

_READABLE: frozenset[PageKind] = frozenset({"article", "chapter", "thread", "list", "empty"})
_MAX_SHORT = 250  # maximum Han characters of an article that is compared with the error page
_MAX_REPEATED = 400  # maximum Han characters of an article at several addresses that is compared
_MAX_PROBES = 5  # maximum number of requests to a host for nonexistent addresses
_MAX_DIGESTS = 10_000
_NUMBERS = re.compile(r"[0-9]+")
_DIGITS = re.compile(r"[0-9]+(?!.*[0-9])", re.DOTALL)  # the last digits of an address

# Requests an address; returns the page for status 200, None for any other answer.
Answer = Callable[[str], Awaitable[Text | None]]


class ErrorPages:
    """The soft 404s of one crawl.

    Args:
        job: the crawl.
        answer_of: requests an address.
    """

    def __init__(self, job: Job, answer_of: Answer) -> None:
        self._job = job
        self._answer_of = answer_of
        self._missing: dict[str, Text | None] = {}  # folder → answer for a nonexistent address in it
        self._probes: Counter[str] = Counter()  # host → number of requests for nonexistent addresses
        self._turn = asyncio.Lock()
        self._addresses: dict[str, str] = {}  # digest of a page → its first address

    async def is_error_page(self, outcome: Text) -> bool:
        """Return whether a page is a soft 404.

        Raises:
            ServiceDown, StorageFailed: the database refused.
        """
        page = outcome.record.page
        if page.kind not in _READABLE:
            return False
        if not is_notice(page) and not await self._is_error_answer(outcome):
            return False
        return not await self._has_copies(outcome)

    async def _is_error_answer(self, outcome: Text) -> bool:
        return self._is_suspicious(outcome) and await self.is_answered_for_all(outcome)

    async def is_answered_for_all(self, outcome: Text) -> bool:
        """Return whether the site answers a nonexistent address with the same page."""
        url = nonexistent_address(outcome.requested_url)
        folder, host = url.rpartition("/")[0], host_of(url)
        async with self._turn:  # concurrent pages share one request
            if folder not in self._missing:
                if self._probes[host] >= _MAX_PROBES:
                    return False
                self._probes[host] += 1
                self._missing[folder] = await self._answer_of(url)
        answer = self._missing[folder]
        return answer is not None and is_same_page(outcome.record.page, answer.record.page)

    def _is_suspicious(self, outcome: Text) -> bool:
        """Return whether a page is short, or equals the page of another address."""
        text = outcome.record.page.text
        if not outcome.is_compared and outcome.requested_url not in self._job.expected_versions:
            return False  # a page without words is not a text anyway
        if has_han(text, _MAX_REPEATED + 1):
            return False
        digest = text_hash(outcome.record.page)
        if len(self._addresses) < _MAX_DIGESTS:
            self._addresses.setdefault(digest, outcome.requested_url)
        is_repeated = self._addresses.get(digest, outcome.requested_url) != outcome.requested_url
        return is_repeated or not has_han(text, _MAX_SHORT + 1)

    async def _has_copies(self, outcome: Text) -> bool:
        """Return whether a page still has the copies found at its address."""
        job = self._job
        if not job.database:  # a trial has no database
            return False
        page_id = job.expected_versions.get(outcome.requested_url, "")
        visit: Visit | None = Visit(url=outcome.requested_url, source=job.source.name, page_id=page_id)
        if not page_id:
            visit = await job.store(job.stores.visits.get, outcome.requested_url)
        if visit is None or not visit.page_id:
            return False
        if outcome.page_id == visit.page_id:
            return bool(await job.store(job.stores.matches.pages_with_matches, [visit.page_id]))
        return bool(await job.store(is_still_held, job, outcome, visit))


def nonexistent_address(url: str) -> str:
    """Return an address of the same form in the same folder that cannot exist.

    >>> nonexistent_address("http://x.example/b/12.html")[:20], nonexistent_address("http://x.example/b/12.html")[-5:]
    ('http://x.example/b/9', '.html')
    >>> nonexistent_address("http://x.example/b?id=1&r=2").count("=9")
    2
    """
    parts = urlsplit(url)
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
    number = f"9{int(digest[:12], 16) % 10**10:010}"
    # replace all numbers, because any of them may identify the text
    query = _NUMBERS.sub(number, parts.query)
    folder, _, name = parts.path.rpartition("/")
    if _DIGITS.search(name):
        name = _DIGITS.sub(number, name)
    elif query == parts.query:
        name = f"{digest[:12]}{name}"
    return urlunsplit(parts._replace(path=f"{folder}/{name}", query=query, fragment=""))

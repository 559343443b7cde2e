"""Recognises several addresses of one page, by ``rel=canonical`` or by an irrelevant parameter.

A canonical address is accepted only if it has the same text, because many sites name their front page or the
first chapter for every page. A few requests for each pair of address shapes verify it; then the pair is
trusted or ignored. A parameter is irrelevant if addresses that differ only in its value had the same text,
for three different texts and without an exception. Each crawl learns this again.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from html import unescape
from urllib.parse import urlsplit, urlunsplit

from crawler.addresses import absolute_url, canonical, without_tracking
from crawler.job import Job
from crawler.lists.traps import shape_of
from crawler.pages.outcomes import Text, UnchangedText
from crawler.pages.page_records import TEXTS, text_hash
from fingerprint.text.han import has_han
from storage.collections.pages import page_id
from storage.records import Page
from system.sites import host_of, site_of

_HEAD_BYTES = 64 * 1024
_LINK = re.compile(rb"<link\b[^<>]{0,1000}>", re.IGNORECASE)
_CANONICAL = re.compile(r"""\brel\s*=\s*["']?\s*canonical\b""", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_MIN_TEXT = 100  # minimum Han characters of a text that two pages do not share by chance
_MIN_LINE = 10  # minimum characters of a compared line
_MIN_TEXTS = 3  # minimum number of texts that were equal for different values of a parameter
_MIN_TRUSTED = 3  # minimum number of address pairs with the same text before their shapes are trusted
_MAX_PROBES = 20  # maximum number of requests to a host that verify canonical addresses
_MAX_PARAMETERS = 8
_MAX_ADDRESSES = 50_000

# Requests an address; returns the page for status 200, None for any other answer.
Answer = Callable[[str], Awaitable[Text | None]]


class PageAliases:
    """The aliases of one crawl.

    Args:
        job: the crawl.
        answer_of: requests an address.
    """

    def __init__(self, job: Job, answer_of: Answer) -> None:
        self._job = job
        self._answer_of = answer_of
        self._texts: dict[str, str] = {}  # address → digest
        # (rest of the address, parameter) → (address, digest)
        self._variants: dict[tuple[str, str], tuple[str, str]] = {}
        self._idle: defaultdict[tuple[str, str], set[str]] = defaultdict(set)  # (host, parameter) → digests
        self._significant: set[tuple[str, str]] = set()  # (host, parameter) with different texts
        self._pairs: Counter[tuple[str, str]] = Counter()  # pair of shapes → number of equal texts
        self._refuted: set[tuple[str, str]] = set()
        self._probes: Counter[str] = Counter()  # host → number of requests

    async def join(self, outcome: Text, body: bytes) -> Text | UnchangedText:
        """Return an outcome under the canonical address of its page.

        A page with the beginning of the text at its canonical address counts as that page, too.

        Args:
            outcome: of an address.
            body: of the response, which may name its canonical address.

        Raises:
            ServiceDown, StorageFailed: the database refused.
        """
        page, url = outcome.record.page, outcome.response_url
        if not has_han(page.text, _MIN_TEXT) or page.kind not in {*TEXTS, "incomplete"}:
            return outcome
        if page.kind == "incomplete":
            target = canonical_address(body, url=url)
            return await self._whole_of(outcome, target) if target not in {"", url} else outcome
        self._learn(url, page.content_hash)
        for target in dict.fromkeys((canonical_address(body, url=url), canonical(self.shorten(url)))):
            if target and target != url and await self._is_same(url, target, page.content_hash):
                return await self._at(outcome, target)
        return outcome

    def shorten(self, url: str) -> str:
        """Return an address without the parameters that are irrelevant on its site."""
        parts = urlsplit(url)
        if not parts.query or not self._idle:
            return url
        host = host_of(url)
        pairs = parts.query.split("&")
        kept = [pair for pair in pairs if not self._is_idle(host, pair.partition("=")[0])]
        return url if kept == pairs else urlunsplit(parts._replace(query="&".join(kept)))

    def _is_idle(self, host: str, name: str) -> bool:
        key = (host, name)
        return key not in self._significant and len(self._idle.get(key, ())) >= _MIN_TEXTS

    def _learn(self, url: str, digest: str) -> None:
        """Compare a text with the texts of addresses that differ in one parameter."""
        if len(self._texts) < _MAX_ADDRESSES:
            self._texts[url] = digest
        parts, host = urlsplit(url), host_of(url)
        pairs = [pair for pair in parts.query.split("&") if pair]
        for pair in pairs[:_MAX_PARAMETERS]:
            name = pair.partition("=")[0]
            rest = urlunsplit(parts._replace(query="&".join(other for other in pairs if other != pair)))
            other, other_digest = self._variants.get((rest, name), ("", ""))
            if not other and rest in self._texts:
                other, other_digest = rest, self._texts[rest]
            if other and other != url:
                self._compare((host, name), digest, other_digest)
            elif len(self._variants) < _MAX_ADDRESSES:
                self._variants[rest, name] = url, digest

    def _compare(self, parameter: tuple[str, str], digest: str, other_digest: str) -> None:
        if digest == other_digest:
            self._idle[parameter].add(digest)
        else:
            self._significant.add(parameter)

    async def _is_same(self, url: str, target: str, digest: str) -> bool:
        """Return whether another address has the same text; request it if needed."""
        pair = shape_of(url), shape_of(target)
        target_digest = await self._known_digest(target)
        if target_digest is None:
            if pair in self._refuted:
                return False
            if self._pairs[pair] >= _MIN_TRUSTED:
                self._texts[target] = digest  # so that no other text is joined to this address
                return True
            target_digest = await self._ask(target)
        if target_digest is None:
            return False
        if target_digest == digest:
            self._pairs[pair] += 1
        else:
            self._refuted.add(pair)
        return target_digest == digest

    async def _whole_of(self, outcome: Text, target: str) -> Text | UnchangedText:
        """Return the outcome of the canonical address if it has the whole text of a partial page."""
        job, visit, whole = self._job, None, None
        if job.database:
            visit = await job.store(job.stores.visits.get, target)
        if visit is not None and visit.page_id and visit.state == "there" and job.database:
            whole = await job.store(job.stores.pages.get, visit.page_id)
        if visit is not None and whole is not None:
            is_part = _is_part(outcome.record.page, whole)
            return (
                UnchangedText(visit, outcome.requested_url, outcome.fetched, not_modified=False)
                if is_part
                else outcome
            )
        answer = await self._answer(target)
        if answer is None or not _is_part(outcome.record.page, answer.record.page):
            return outcome
        return replace(answer, requested_url=outcome.requested_url)

    async def _known_digest(self, url: str) -> str | None:
        """Return the digest of an address's text from this crawl or an earlier one, or None."""
        if url in self._texts:
            return self._texts[url]
        if not self._job.database:  # a trial has no database
            return None
        visit = await self._job.store(self._job.stores.visits.get, url)
        is_there = visit is not None and visit.state == "there"
        return visit.content_hash or None if visit is not None and is_there else None

    async def _ask(self, url: str) -> str | None:
        answer = await self._answer(url)
        return None if answer is None else text_hash(answer.record.page)

    async def _answer(self, url: str) -> Text | None:
        """Request an address; None if it redirects, or if the site's request limit is used up."""
        host = host_of(url)
        if self._probes[host] >= _MAX_PROBES:
            return None
        self._probes[host] += 1
        answer = await self._answer_of(url)
        return answer if answer is not None and answer.response_url == url else None

    async def _at(self, outcome: Text, target: str) -> Text:
        """Return an outcome under another address, unless its own address has stored versions."""
        if self._job.database:
            visit = await self._job.store(self._job.stores.visits.get, outcome.response_url)
            if visit is not None and visit.page_id and visit.state != "moved":
                return outcome
        page = outcome.record.page
        digest = text_hash(page)
        page = replace(page, id=page_id(target, digest), url=target, host=host_of(target))
        return replace(outcome, record=replace(outcome.record, page=page))


def _is_part(page: Page, whole: Page) -> bool:
    """Return whether all lines of a page are lines of another, complete page."""
    lines = {line for line in page.text.split("\n") if len(line) >= _MIN_LINE}
    return whole.kind in TEXTS and bool(lines) and lines <= set(whole.text.split("\n"))


def canonical_address(body: bytes, *, url: str) -> str:
    """Return the canonical address of a page if it is on the same site; empty without one."""
    for tag in _LINK.findall(body[:_HEAD_BYTES]):
        text = tag.decode("utf-8", "replace")
        href = _HREF.search(text)
        if href is None or not _CANONICAL.search(text):
            continue
        try:
            target = canonical(
                without_tracking(absolute_url(url, unescape(next(filter(None, href.groups()), ""))))
            )
            return target if site_of(target) == site_of(url) else ""
        except ValueError:
            return ""
    return ""

"""The addresses in the answers of search engines, and in files of their results. Pure.

An answer that reports a problem is no search: SearXNG answers with status 200 and an empty list when the
engines behind it block it, and names them in ``unresponsive_engines``. Other engines answer with an error
object. Such an answer raises :class:`EngineRefuses`, so a search never looks like one without results.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from crawler.addresses import canonical
from crawler.lists.link_list import Link, LinkList, NotAList, absolute_links, within_bounds
from storage.records import SearchAnswer, SearchForm

PARTIAL = "search-partial"  # key of the engines behind SearXNG that did not answer
_BRAVE = SearchAnswer(results="web.results", url="url", problem="error")
_SEARXNG = SearchAnswer()
_ADDRESS = re.compile(r"https?://[^\s\"'<>,;|\\^`{}，。；、）》”]+", re.IGNORECASE)
_MAX_LINE = 100_000  # maximum characters of a line in which addresses are looked for


class NotASearch(NotAList):
    """A body is not the answer of a search engine."""

    reason = "not-a-search"


class EngineRefuses(NotAList):
    """A search engine answered that it did not search."""

    reason = "engine-refuses"


def read_search_answer(data: bytes, *, form: SearchForm, answer: SearchAnswer) -> LinkList:
    """Return the addresses in an answer, or in a file of results.

    Args:
        data: the body.
        form: of the engine.
        answer: positions in the answer, for the form ``json``, and for a file in JSON.

    Raises:
        NotASearch: the body has another form.
        EngineRefuses: the engine reports that it did not search.
    """
    if form == "file":
        return _read_file(data, answer)
    document = _parsed(data)
    refused: Counter[str] = Counter()
    positions = {"brave": _BRAVE, "searxng": _SEARXNG}.get(form, answer)
    if positions.problem and value_at(document, positions.problem):
        raise EngineRefuses("the engine reports a problem")
    if form == "brave" and isinstance(document, dict) and document.get("type") == "search":
        document = {"web": {"results": []}} | document  # without results, the answer has no ``web``
    urls = list(_urls_of(document, positions))
    if form == "searxng" and (silent := document.get("unresponsive_engines")):
        if not urls:
            raise EngineRefuses("no engine behind it answered")
        refused[PARTIAL] = len(silent) if isinstance(silent, list) else 1
    return _links(urls, refused)


def value_at(document: Any, path: str) -> Any:
    """Return the value at a position such as ``data.0.items``; None if there is none."""
    for step in path.split(".") if path else ():
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and step.isascii() and step.isdigit() and len(step) < 10:  # noqa: PLR2004
            document = document[int(step)] if int(step) < len(document) else None
        else:
            return None
    return document


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotASearch("not what a search engine answers") from error


def _urls_of(document: Any, positions: SearchAnswer) -> Iterator[str]:
    results = value_at(document, positions.results)
    if not isinstance(results, list):
        raise NotASearch("not what a search engine answers")
    addresses = [value_at(result, positions.url) for result in results]
    if results and not any(isinstance(url, str) for url in addresses):
        raise NotASearch("no result has an address")
    yield from (url for url in addresses if isinstance(url, str))


def _read_file(data: bytes, answer: SearchAnswer) -> LinkList:
    """Read a file of results: JSON of that form, JSON lines, or any text with addresses, such as CSV."""
    text = _decoded(data)
    try:
        document = json.loads(text)
        urls = list(_urls_of(document, answer if isinstance(document, dict) else SearchAnswer(results="")))
    except (ValueError, RecursionError):  # includes NotASearch
        urls = [url for line in text.splitlines() for url in _ADDRESS.findall(line[:_MAX_LINE])]
    if not urls:
        raise NotASearch("the file has no addresses")
    return _links(urls, Counter())


def _decoded(data: bytes) -> str:
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _links(urls: list[str], refused: Counter[str]) -> LinkList:
    absolute = absolute_links("", map(Link, urls), refused)
    return LinkList(within_bounds((Link(canonical(link.url)) for link in absolute), refused), refused=refused)

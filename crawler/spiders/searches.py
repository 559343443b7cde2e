"""Addresses of searches, in the form of each engine. Pure.

Brave Web Search takes ``q``, ``count`` (at most 20) and ``offset`` (pages, at most 9). Its key is in the
header ``X-Subscription-Token``. SearXNG takes ``q``, ``format`` and ``pageno``. Other engines are described
by the parameters of their source.
"""

from collections.abc import Iterator
from urllib.parse import urlencode

from storage.records import Discovery

BRAVE = "https://api.search.brave.com/res/v1/web/search"
MAX_BRAVE_PAGES = 10
_MAX_BRAVE_COUNT = 20
_BRAVE: dict[str, str] = {
    "q": "{query}",
    "count": "{count}",
    "offset": "{page0}",
    "result_filter": "web",
    "spellcheck": "false",
}
_SEARXNG: dict[str, str] = {"q": "{query}", "format": "json"}
PLACEHOLDERS = ("query", "count", "page", "page0", "offset")


def search_addresses(sentence: str, discovery: Discovery) -> Iterator[str]:
    """Yield the addresses of the pages of a search for a sentence, in quotation marks."""
    for page in range(1, discovery.pages + 1):
        yield _address_of(sentence, page, discovery)


def _address_of(sentence: str, page: int, discovery: Discovery) -> str:
    count = min(discovery.results, _MAX_BRAVE_COUNT) if discovery.form == "brave" else discovery.results
    values = {
        "query": f'"{sentence}"',
        "count": str(count),
        "page": str(page),
        "page0": str(page - 1),
        "offset": str((page - 1) * count),
    }
    parameters = {name: _filled(text, values) for name, text in _parameters_of(discovery, page).items()}
    separator = "&" if "?" in discovery.engine else "?"
    return f"{discovery.engine}{separator}{urlencode(parameters)}"


def _parameters_of(discovery: Discovery, page: int) -> dict[str, str]:
    if discovery.form == "brave":
        return _BRAVE | discovery.parameters
    if discovery.form == "searxng":
        paging = {"pageno": "{page}"} if page > 1 else {}
        return _SEARXNG | paging | discovery.parameters
    return discovery.parameters


def _filled(text: str, values: dict[str, str]) -> str:
    for name in PLACEHOLDERS:
        if text == f"{{{name}}}":
            return values[name]
    # the query comes last: a sentence may contain a placeholder
    for name in reversed(PLACEHOLDERS):
        text = text.replace(f"{{{name}}}", values[name])
    return text

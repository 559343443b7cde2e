"""The source that a candidate becomes."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote, urlsplit

from crawler.sources.definition import source_from
from storage.collections.stores import Stores
from storage.records import Candidate, Source, SourceKind
from system.errors import PindnaError

MAX_SEARCHED = 500  # titles that one source searches for on the site


class KindWithoutSearch(PindnaError):
    """A candidate cannot become a source that asks a search engine.

    Attributes:
        site: the candidate.
    """

    code = "kind-of-candidate"
    template = "Candidate {site} cannot become a source of kind discovery. Choose another kind."


def source_of(
    candidate: Candidate, *, name: str = "", kind: SourceKind | None = None, titles: Sequence[str] = ()
) -> Source:
    """Return the source that a candidate becomes, with the usual pace, limits and robots.txt.

    Args:
        candidate: the candidate.
        name: of the source; empty: the site.
        kind: of the source; None: the kind that suits the addresses.
        titles: of protected works, which are searched on the site if its search is known.

    Raises:
        BadSource: the addresses cannot be those of a source.
        KindWithoutSearch: the kind is ``discovery``.
    """
    kind = kind or candidate.kind
    if kind == "discovery":
        raise KindWithoutSearch(site=candidate.id)
    has_lists = kind in {"news", "site"}
    searches = _searches(candidate, titles) if kind in {"site", "news"} else ()
    urls = (*(candidate.urls or _front_pages(candidate)), *searches)
    values: dict[str, Any] = {
        "name": name or candidate.id,
        "kind": kind,
        "urls": tuple(dict.fromkeys(urls)),
        "sitemaps": candidate.sitemaps if has_lists else (),
        "feeds": candidate.feeds if has_lists else (),
        "rules": {key: value for key, value in asdict(candidate.rules).items() if value},
    }
    return source_from(values, where=candidate.id)


def protected_titles(stores: Stores) -> list[str]:
    """Return the titles of the protected works that a source of a candidate searches for."""
    titles = (work.title for work in stores.works.iter_all() if work.role == "protected")
    return list(dict.fromkeys(titles))[:MAX_SEARCHED]


def _searches(candidate: Candidate, titles: Sequence[str]) -> Iterator[str]:
    """Yield the addresses at which the site searches for the titles."""
    if candidate.search:
        for title in titles[:MAX_SEARCHED]:
            key = quote(title.encode(candidate.search_charset, "ignore"), safe="")
            if key:
                yield candidate.search.replace("{key}", key)


def _front_pages(candidate: Candidate) -> tuple[str, ...]:
    """Return the front pages of a candidate that has only lists."""
    parts = [urlsplit(url) for url in (*candidate.feeds, *candidate.sitemaps, candidate.search) if url]
    return tuple(dict.fromkeys(f"{split_url.scheme}://{split_url.netloc}/" for split_url in parts))

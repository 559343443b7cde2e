"""What the template of a site is worth: pages read with what the others of their host taught, and without.

Hosts are told by the page's canonical address, else by the host that it links to most. Of those with four
pages or more each page is left out once: its template is learnt from the others alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.extraction import StoredPage, score
from crawler.extraction import NO_CONTEXT, ExtractedPage, PageContext, extract
from crawler.extraction.parsing import decode_page
from crawler.extraction.template import MIN_PAGES, PageForm, Template, learn_containers, learn_frame
from system.sites import host_of

_CANONICAL = re.compile(
    r"<link\b[^>]*\brel=[\"']?canonical\b[^>]*?\bhref=[\"']?(https?://[^\"'\s>]+)"
    r"|<meta\b[^>]*\bog:url\b[^>]*?\bcontent=[\"']?(https?://[^\"'\s>]+)",
    re.IGNORECASE,
)
_NAME_SPACE = "w3.org"
_ADDRESS = re.compile(r"https?:(?:\\?/){2}[\w.-]+")


@dataclass(frozen=True, slots=True)
class HostQuality:
    """What a host's template is worth.

    Attributes:
        host: of the pages.
        pages: how many.
        taught: how many of them have a place that the others taught.
        alone: mean F1 without a template.
        with_template: mean F1 with one.
        changed: pages whose text is another with it.
        alone_sure: mean confidence without a template.
        sure: mean confidence with one.
    """

    host: str
    pages: int
    taught: int
    alone: float
    with_template: float
    changed: int
    alone_sure: float
    sure: float


def hosts(stored: Iterable[StoredPage]) -> dict[str, list[StoredPage]]:
    """Return the pages with a text, by host, of which there are enough to leave one out."""
    by_host: dict[str, list[StoredPage]] = {}
    for page in stored:
        if page.gold is not None and not page.is_garbled:
            by_host.setdefault(_host(page), []).append(page)
    return {host: pages for host, pages in by_host.items() if host and len(pages) > MIN_PAGES}


def _host(page: StoredPage) -> str:
    html = decode_page(page.data, declared=page.declared).text
    canonical = _CANONICAL.search(html)
    if canonical:
        return host_of(canonical[1] or canonical[2])
    linked = Counter(host_of(address.replace("\\", "")) for address in _ADDRESS.findall(html))
    del linked[_NAME_SPACE]
    return max(linked, key=lambda host: (linked[host], host), default="")


def measure(host: str, pages: Sequence[StoredPage]) -> HostQuality:
    """Read each page of a host with what the others taught, and without."""
    alone = [extract(page.data, declared=page.declared) for page in pages]
    taught: list[ExtractedPage] = []
    known = 0
    for left_out, page in enumerate(pages):
        template = _template(one.form for number, one in enumerate(alone) if number != left_out)
        known += bool(template.containers)
        knowledge = PageContext(template=template) if template.containers else NO_CONTEXT
        taught.append(extract(page.data, declared=page.declared, context=knowledge))
    return HostQuality(
        host=host,
        pages=len(pages),
        taught=known,
        alone=_f1(pages, alone),
        with_template=_f1(pages, taught),
        changed=sum(one.text != other.text for one, other in zip(alone, taught, strict=True)),
        alone_sure=fmean(one.confidence for one in alone),
        sure=fmean(one.confidence for one in taught),
    )


def _template(forms: Iterable[PageForm | None]) -> Template:
    learnt = [form for form in forms if form is not None]
    return Template(
        frozenset(learn_containers(form.paths for form in learnt)),
        frozenset(learn_frame(form.outside for form in learnt)),
    )


def _f1(pages: Sequence[StoredPage], results: Sequence[ExtractedPage]) -> float:
    return fmean(score(result.text, page.gold or "")[2] for page, result in zip(pages, results, strict=True))

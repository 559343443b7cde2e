"""Finds the links to articles on section pages, and to chapters in catalogues, in order. Pure.

Links with too long addresses are counted by reason in ``refused``.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

import regex

from crawler.addresses import LongAddress, absolute_url, canonical, without_tracking
from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import Element, Tree, XPath
from crawler.lists.link_list import LONG_ADDRESS, LONG_ELSEWHERE
from crawler.lists.pages import names_a_page
from fingerprint.text.han import CHAPTER_LABEL
from system.sites import host_of, site_of

_MATCH_TIMEOUT_S = 1.0
_ARTICLE_PATH = re.compile(
    r"\d{3,}|/\d+(?:[/.]|$)|\.s?html?$|[?&](?:id|aid|newsid|articleid)=\w+"
    r"|/(?=[a-z_-]*\d)(?=[\d_-]*[a-z])[\w-]{8,}/?(?:\?|$)",  # a name of mixed letters and digits
    re.IGNORECASE,
)
_NO_ARTICLE = re.compile(
    r"(?:^|/)(?:index|default|list|page|about|contact|login|register|search|tags?|user|help|sitemap|copyright|rss|channel"
    r"|category|categories)(?:us)?(?:[_-]?\d+)?(?:\.\w{2,5})?/?$",
    re.IGNORECASE,
)
_MEDIA = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|css|js|json|xml|pdf|docx?|xlsx?|pptx?|zip|rar|7z|gz|apk|exe|mp[34]|avi|txt|epub)$",
    re.IGNORECASE,
)
_FEEDS = frozenset({"application/rss+xml", "application/atom+xml"})
_MAX_FEEDS = 5
_MAX_LINK_ELEMENTS = 500
_MIN_GROUP = 3  # minimum size of a group without chapter labels
_HEAD_CHARS = 300  # number of first characters of an address; these include the host
_MAX_LABEL_CHARS = 200
_MAX_LABEL_PIECES = 50  # maximum pieces of text in a label; nested links would take quadratic time
_PAGE_LABEL = re.compile(r"^\d{1,3}$")
_ADDRESS_ATTRIBUTES = ("data-href", "data-url", "data-link")
# One step, because a union of steps takes quadratic time.
_LINKING_ELEMENTS = XPath(
    "//*[self::a or self::area[@href] or self::option[@value] or self::form[@action] or @onclick or "
    + " or ".join(f"@{name}" for name in _ADDRESS_ATTRIBUTES)
    + "]"
)
_NO_ADDRESS = re.compile(r"#|javascript:", re.IGNORECASE)
_LIKE_ADDRESS = re.compile(
    r"(?:https?:/)?\.{0,2}/[^\s/]|[\w/-]{1,100}\.(?:s?html?|php|aspx?|jsp)\b", re.IGNORECASE
)
# A script that opens a literal address.
_OPENED = re.compile(
    r"""(?:location(?:\.href)?\s*=|location\.(?:assign|replace)\(|\bopen\()\s*["']([^"'\s<>+]{1,500})["']\s*[;),}]?\s*(?:$|[;),}])"""
)
_MAX_SCRIPT_CHARS = 2_000
_ASKS = "confirm("  # a script that asks the reader before it opens the address
# Addresses that log out, delete or vote: a crawler never requests them.
_ACTION = re.compile(
    r"(?:(?:^|[/=_-])(?:log[-_]?(?:out|off)|sign[-_]?out)"
    r"|(?:^|[/=])(?:delete|remove|add_?(?:bookcase|bookmark|favou?rites?|cart)|user_?vote))(?:\.\w{2,5})?(?=[?&]|/?$)",
    re.IGNORECASE,
)
_PAGER = re.compile(
    r"^[<>«»\s]*(?:首页|首頁|末页|尾页|上一?[页頁]|下一?[页頁]|更多|登录|注册"
    r"|返回(?:.{0,8}(?:[页頁层層]|目[录錄]|列表|书[架库目]|書[架庫目]|[顶頂]部|[上前]一?[级級步]|[栏欄]目|[频頻]道|站))?)[<>«»\s]*$"
)
_NEIGHBOUR = re.compile(r"[<>«»‹›←→\s\[(]*[上下前后後]一?[章节節回话話篇](?:[:：].{0,30})?[<>«»‹›←→\s\])]*")


@dataclass(frozen=True, slots=True)
class _Anchor:
    """An absolute http(s) address without fragment, and the text of the link."""

    url: str
    label: str


def article_links(
    tree: Tree, *, url: str, follow: str = "", refused: Counter[str] | None = None
) -> list[str]:
    """Return the distinct addresses of articles, in page order.

    Args:
        tree: a section page.
        url: its address.
        follow: regular expression that must match in an address. Empty: addresses on the same host with
            digits, a date, ``.html`` or a long name of letters and digits in the path.
        refused: reason → number of links; updated.

    Raises:
        TimeoutError: ``follow`` takes too long on an address.
    """
    links = _other_links(tree, url=url, media=bool(follow), refused=refused)
    if follow:
        return list(dict.fromkeys(link.url for link in links if matches(follow, link.url)))
    return list(dict.fromkeys(link.url for link in links if _is_article(link, url)))


def chapter_links(
    tree: Tree, *, url: str, follow: str = "", refused: Counter[str] | None = None
) -> list[str]:
    """Return the distinct addresses of chapters, in reading order.

    Catalogues often show the newest chapters above the full list, so the last position of a repeated address
    counts. Without ``follow``, chapters are recognised by labels and by the shapes of addresses (without
    digits). Raises as :func:`article_links` does.
    """
    links = _other_links(tree, url=url, media=bool(follow), refused=refused)
    chosen = (
        [link.url for link in links if matches(follow, link.url)] if follow else _chapter_like(links, url)
    )
    return list(reversed(dict.fromkeys(reversed(chosen))))


def labels_of(tree: Tree, *, url: str) -> list[tuple[str, str]]:
    """Return (address, label) of the links to other pages, in page order."""
    return [(link.url, link.label) for link in _other_links(tree, url=url, media=False, refused=None)]


def neighbour_links(
    tree: Tree, *, url: str, follow: str = "", refused: Counter[str] | None = None
) -> list[str]:
    """Return the addresses of the chapters before and after one; arguments as of :func:`article_links`."""
    links = _other_links(tree, url=url, media=False, refused=refused)
    targets = [
        link.url
        for link in links
        if _NEIGHBOUR.fullmatch(link.label)
        and host_of(link.url) == host_of(url)
        and _is_below_no(link.url, url)
    ]
    return [target for target in dict.fromkeys(targets) if not follow or matches(follow, target)]


def _is_below_no(target: str, url: str) -> bool:
    """Return whether a target is not a folder above the chapter's own address."""
    return not (target.endswith("/") and url.startswith(target))


def site_links(tree: Tree, *, url: str, refused: Counter[str] | None = None) -> list[str]:
    """Return the distinct addresses on the same host that a page links to, in page order."""
    site = host_of(url)
    links = [link.url for link in _other_links(tree, url=url, media=False, refused=refused)]
    return [target for target in dict.fromkeys(links) if host_of(target) == site]


def feed_links(tree: Tree, *, url: str) -> list[str]:
    """Return the addresses of the feeds that a page names, without those of comments."""
    base = base_url(tree, url)
    feeds: dict[str, None] = {}
    for link in islice(tree.iterfind(".//link[@href]"), _MAX_LINK_ELEMENTS):
        kinds = {(link.get("rel") or "").lower(), (link.get("type") or "").partition(";")[0].strip().lower()}
        if "alternate" in kinds and kinds & _FEEDS:
            with suppress(ValueError):
                feeds[canonical(absolute_url(base, link.get("href") or ""))] = None
    return [target for target in feeds if "comment" not in target.lower()][:_MAX_FEEDS]


def matches(follow: str, url: str) -> bool:
    """Return whether a source's expression matches somewhere in an address.

    Raises:
        TimeoutError: the expression takes too long on this address because it backtracks.
        regex.error: it is not a regular expression.
    """
    return regex.search(follow, url, timeout=_MATCH_TIMEOUT_S) is not None


def _chapter_like(links: list[_Anchor], url: str) -> list[str]:
    """Return the addresses that look like chapters, in page order.

    Addresses are grouped by shape. Chosen are shapes with at least half of their labels those of chapters, on
    any host of the site; shapes below the catalogue; and the shape with most such labels. Each chapter may
    have its own shape, and paid chapters often have a different one.
    """
    groups = _shapes_of_site(links, url)
    labels = {
        shape: sum(bool(CHAPTER_LABEL.search(link.label)) for link in group)
        for shape, group in groups.items()
    }
    host_shapes = [shape for shape, group in groups.items() if host_of(group[0].url) == host_of(url)]
    numbered = {shape for shape in host_shapes if "#" in shape and len(groups[shape]) >= _MIN_GROUP}
    best = max(host_shapes, key=lambda shape: (labels[shape], "#" in shape, len(groups[shape])), default="")
    chosen = {shape for shape, group in groups.items() if len(group) <= 2 * labels[shape]}
    chosen |= {shape for shape in numbered - {_address_shape(url)} if _are_below(groups[shape], url)}
    chosen |= {shape for shape in [best] if shape in numbered or labels.get(shape)}
    kept = {link for shape in chosen for link in groups[shape]}
    return [link.url for link in links if link in kept] if chosen else _articles_below(links, url)


def _shapes_of_site(links: list[_Anchor], url: str) -> dict[str, list[_Anchor]]:
    """Return the links to the page's own site by shape, without links for turning pages."""
    host, site = host_of(url), site_of(url)
    groups: dict[str, list[_Anchor]] = defaultdict(list)
    for link in links:
        is_own = host_of(link.url) == host or site_of(link.url) == site
        if is_own and not _PAGER.match(link.label):
            groups[_address_shape(link.url)].append(link)
    return dict(groups)


def _are_below(links: list[_Anchor], url: str) -> bool:
    """Return whether all links are in the catalogue's folder and look like articles."""
    return len(_articles_below(links, url)) == len(links)


def _articles_below(links: list[_Anchor], url: str) -> list[str]:
    """Return the article-like addresses below the catalogue's folder, of any shape."""
    folder = url.rpartition("/")[0] + "/"
    return [link.url for link in links if link.url.startswith(folder) and _is_article(link, url)]


def _is_article(link: _Anchor, url: str) -> bool:
    parts = urlsplit(link.url)
    where = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return (
        host_of(link.url) == host_of(url)
        and _ARTICLE_PATH.search(where) is not None
        and not _NO_ARTICLE.search(parts.path)
        and not _PAGER.match(link.label)
        and not _PAGE_LABEL.match(link.label)
    )


def _other_links(tree: Tree, *, url: str, media: bool, refused: Counter[str] | None) -> list[_Anchor]:
    """Return the links to other pages."""
    page_url = canonical(without_tracking(url))
    refused = Counter() if refused is None else refused
    return [link for link in _page_links(tree, url=url, media=media, refused=refused) if link.url != page_url]


def _page_links(tree: Tree, *, url: str, media: bool, refused: Counter[str]) -> Iterator[_Anchor]:
    """Yield the links of a page; links to pictures, archives and similar files only with ``media``."""
    base = base_url(tree, url)
    for element in _LINKING_ELEMENTS(tree):
        address = address_in(element)
        try:
            target = absolute_url(base, address) if address else ""
        except LongAddress:
            refused[LONG_ADDRESS if _is_own(address, base) else LONG_ELSEWHERE] += 1
            continue
        except ValueError:  # for example a script, a mail address, or a bracket in the host
            continue
        if target and _may_be_page(target, media=media):
            yield _Anchor(canonical(without_tracking(target)), _anchor_label(element))


def _may_be_page(url: str, *, media: bool) -> bool:
    parts = urlsplit(url)
    is_action = _ACTION.search(parts.path) or _ACTION.search(parts.query)
    return not is_action and (media or not _MEDIA.search(parts.path))


def address_in(element: Element) -> str:
    r"""Return the address that an element leads to, as written; empty if it leads nowhere.

    >>> from lxml.html import fragment_fromstring
    >>> address_in(fragment_fromstring("<li onclick=\"location.href='/c/1.html'\">第一章</li>"))
    '/c/1.html'
    """
    address = (element.get("href") or element.get("xlink:href") or "").strip()
    if element.tag == "option":
        value = element.get("value") or ""
        is_chapter = _LIKE_ADDRESS.match(value) and not names_a_page(_anchor_label(element), value)
        return value if is_chapter else ""
    if element.tag == "form":
        return element.get("action") or "" if _is_button(element) else ""
    if address and not _NO_ADDRESS.match(address):
        return address
    for name in _ADDRESS_ATTRIBUTES:
        if _LIKE_ADDRESS.match(element.get(name) or ""):
            return element.get(name) or ""
    script = f"{address[:_MAX_SCRIPT_CHARS]};{(element.get('onclick') or '')[:_MAX_SCRIPT_CHARS]}"
    match = None if _ASKS in script else _OPENED.search(script)
    return match[1] if match else ""


def _is_button(form: Element) -> bool:
    """Return whether a form only opens its address: it sends no field."""
    is_get = (form.get("method") or "get").lower() == "get"
    return is_get and not any(field.get("name") for field in form.iter("input", "select", "textarea"))


def _is_own(target: str, base: str) -> bool:
    """Return whether an address of any length is on the page's own host."""
    host = urlsplit(target.strip()[:_HEAD_CHARS].replace("[", "")).netloc
    return host in {"", urlsplit(base[:_HEAD_CHARS].replace("[", "")).netloc}


def _anchor_label(anchor: Element) -> str:
    return " ".join("".join(islice(anchor.itertext(), _MAX_LABEL_PIECES)).split())[:_MAX_LABEL_CHARS]


def _address_shape(url: str) -> str:
    parts = urlsplit(url)
    return re.sub(r"\d+", "#", f"{parts.netloc}{parts.path}?{parts.query}")

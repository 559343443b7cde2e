"""Where a page goes on: the next page of the same text, and the next chapter, never one for the other. Pure.

Of 27 real chapters 18 said 下一页 in an anchor and 8 in a script variable (``next_page``, ``url_next``);
twice it meant the next chapter. So a candidate counts as the next page only when its address is that of the
same text with a page number, or when nothing is known that speaks against it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import parse_qsl, urljoin, urlsplit

from crawler.addresses import MAX_ADDRESS_CHARS
from crawler.extraction.parsing import Tree, label_of
from fingerprint.text.han import CHAPTER_UNITS

_NEXT_PAGE = re.compile(
    r"[>»→\[(]*(?:点击|點擊|阅读|閱讀)?(?:下一?[页頁]|后一?[页頁]|後一?頁)(?:继续阅读|繼續閱讀|阅读)?(?:\(?\d+/\d+\)?)?[>»→\])]*"
)
_NEXT_CHAPTER = re.compile(rf"[>»→\[(]*下一?[{CHAPTER_UNITS}篇][>»→\])]*")
_BACK = re.compile(r"(?:返回)?(?:章节)?(?:目录|目錄|书页|書頁|列表|书目)(?:页|列表)?")
_SCRIPT = re.compile(
    r"\b(next_?page|url_?next|nextpage_?url|next_?url)\b[\"']?\s*[:=]\s*[\"']([^\"'\s<>]{1,500})[\"']",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"^(?P<stem>.+?)(?:(?P<mark>[_\-/])(?:p|page)?(?P<page>\d{1,3}))?$", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$|/$", re.IGNORECASE)
_CATALOGUE = re.compile(r"/(?:catalog|index|list|mulu|dir|last)[^/]*/?$", re.IGNORECASE)
_MAX_PAGES = 100
_MAX_LINKS = 500  # of a page that say where it goes on
_CONTROL = re.compile("[\x00-\x20\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PAGE_KEYS = frozenset({"p", "page", "pn", "pageno", "page_no", "curpage"})


@dataclass(frozen=True, slots=True)
class NextLinks:
    """Absolute addresses when the page's own was given, else as the page has them."""

    page: str | None
    chapter: str | None


NO_LINKS = NextLinks(None, None)


@dataclass(frozen=True, slots=True)
class _Numbered:
    stem: str
    mark: str
    page: int


def next_links(tree: Tree, *, url: str = "", rule: str = "", turns_page: bool = False) -> NextLinks:
    """Return where the text goes on and where the next chapter begins.

    Args:
        tree: the page.
        url: its address; without it, the one that the page gives as its own.
        rule: the next page's address as the source's own rules name it; believed unless it is this page.
        turns_page: the text says that it goes on; then a link to its second page may have any label.
    """
    base = base_url(tree, url)
    own = url or _own_url(tree)
    chapters: list[str] = []
    pages: list[str] = [target] if rule and (target := _join(base, rule)) and target != url else []
    is_ruled = bool(pages)
    for label, target in islice(_labelled(tree, base), _MAX_LINKS):
        (chapters if _NEXT_CHAPTER.fullmatch(label) else pages).append(target)
    pages += islice(chain(_from_scripts(tree, base), _from_pager(tree, base, own)), _MAX_LINKS)
    if turns_page:
        pages += [target for target in chapters if _numbered(urlsplit(target).path) is not None]
    said = {_name(each) for each in chapters} if not turns_page else set()
    candidates = (each for each in pages if _name(each) not in said and is_same_text(own, each))
    page = pages[0] if is_ruled else next(candidates, None)
    catalogues = _catalogues(tree, base)
    others = [
        each
        for each in (*chapters, *pages)
        if each != page and each not in catalogues and _is_chapter(own, each)
    ]
    return NextLinks(page, others[0] if others else None)


def _catalogues(tree: Tree, base: str) -> set[str | None]:
    """Return where links back to the catalogue lead: the last chapter's next one leads there too."""
    anchors = (
        anchor
        for anchor in tree.iterfind(".//a[@href]")
        if len(anchor) == 0 and _BACK.fullmatch(_label(anchor.text or ""))
    )
    return {_join(base, anchor.get("href") or "") for anchor in islice(anchors, _MAX_LINKS)}


def _from_pager(tree: Tree, base: str, own: str) -> Iterator[str]:
    """Yield the link under the number that follows this page's own, where pages are numbered 1 2 3."""
    here = _numbered(urlsplit(own).path)
    number = here.page + 1 if here is not None and here.page < _MAX_PAGES else 2
    for anchor in tree.iterfind(".//a[@href]"):
        if _label(anchor.text or "").strip("[]()") == str(number):
            target = _join(base, anchor.get("href") or "")
            found = _numbered(urlsplit(target).path) if target else None
            is_further = found is not None and found.page == number and found.mark in {"_", "-"}
            if target and is_further and is_same_text(own, target):
                yield target


def _own_url(tree: Tree) -> str:
    """Return the address that the page gives as its own, empty when it gives none."""
    for path in ("//link[@rel='canonical']/@href", "//meta[@property='og:url']/@content"):
        for found in tree.xpath(path):
            address = _join("", found)
            if address and urlsplit(address).netloc:
                return address
    return ""


def _name(target: str) -> str:
    """Return the last part of an address: pages name the same one with and without what stands before."""
    parts = urlsplit(target)
    return parts.path.rstrip("/").rpartition("/")[2] + parts.query


def _is_chapter(url: str, other: str) -> bool:
    """Return whether an address can be the next chapter: not a page of this one, nor the catalogue."""
    path = urlsplit(other).path
    is_above = bool(url) and path.endswith("/") and urlsplit(url).path.startswith(path)
    return not is_above and not _CATALOGUE.search(path) and not (url and _is_page_of(url, other))


def next_list_page(tree: Tree, *, url: str) -> str | None:
    """Return where a list of links goes on; any address under the label will do."""
    base = base_url(tree, url)
    for label, target in _labelled(tree, base):
        if _NEXT_PAGE.fullmatch(label) and target != url:
            return target
    return None


def base_url(tree: Tree, url: str) -> str:
    """Return what relative addresses on the page are relative to, however long that is.

    What hangs on a base that is too long is too long too; on the page's own address it would be another one.
    """
    element = tree.find(".//base[@href]")
    href = "" if element is None else (element.get("href") or "").strip()
    return href if len(href) > MAX_ADDRESS_CHARS else _join(url, href) or url


def is_same_text(url: str, other: str) -> bool:
    """Return whether ``other`` can be a further page of the text at ``url``.

    Without a URL of our own the address itself must look like a further page: a chapter called 下一页 is the
    more common thing.
    """
    if url:
        return other != url and _is_page_of(url, other)
    parts = urlsplit(other)
    numbered = _numbered(parts.path)
    by_query = any(key.lower() in _PAGE_KEYS for key, _ in parse_qsl(parts.query))
    return by_query or (numbered is not None and numbered.mark != "/" and 1 < numbered.page < _MAX_PAGES)


def continues(first: str, other: str, *, number: int) -> bool:
    """Return whether ``other`` is the ``number``-th page (from 1) of the text that begins at ``first``.

    Sites count further pages from the first or from the second, so one less is as good.
    """
    ours, theirs = urlsplit(first), urlsplit(other)
    numbered = _numbered(theirs.path)
    same_host = not ours.netloc or not theirs.netloc or ours.netloc == theirs.netloc
    return (
        same_host
        and numbered is not None
        and numbered.stem == _bare(ours.path)
        and numbered.page in {number - 1, number}
    )


def _is_page_of(url: str, other: str) -> bool:
    ours, theirs = urlsplit(url), urlsplit(other)
    if ours.netloc and theirs.netloc and ours.netloc != theirs.netloc:
        return False
    if ours.path == theirs.path:
        return ours.query != theirs.query and _query_rest(ours.query) == _query_rest(theirs.query)
    if continues(url, other, number=2):
        return True
    our, their = _numbered(ours.path), _numbered(theirs.path)
    # /b/7/100 → /b/7/101 are two chapters: a slash numbers pages only behind the text's own address.
    if our is None or their is None or "/" in {our.mark, their.mark}:
        return False
    return their.stem == our.stem and their.page == our.page + 1


def _bare(path: str) -> str:
    return _ENDING.sub("", path)


def _numbered(path: str) -> _Numbered | None:
    """Split ``/b/100_2.html`` into ``/b/100``, ``_`` and 2; None without a number."""
    found = _PAGE_NUMBER.fullmatch(_bare(path))
    if found is None or found["page"] is None:
        return None
    return _Numbered(found["stem"], found["mark"], int(found["page"]))


def _query_rest(query: str) -> list[tuple[str, str]]:
    return sorted(pair for pair in parse_qsl(query) if pair[0].lower() not in _PAGE_KEYS)


def _labelled(tree: Tree, base: str) -> Iterator[tuple[str, str]]:
    """Yield (label, target) of every link that says next page or next chapter, best label first."""
    marked = []
    for anchor in tree.iterfind(".//a[@href]"):
        label = _label(label_of(anchor))
        is_named = _NEXT_PAGE.fullmatch(label) or _NEXT_CHAPTER.fullmatch(label)
        if not is_named and "next" not in (anchor.get("rel") or "").lower().split():
            continue  # before its address is joined, which costs more than all the rest
        target = _join(base, anchor.get("href") or "")
        if target is None:
            continue
        if is_named:
            yield label, target
        else:
            marked.append((label, target))
    yield from marked
    for link in tree.iterfind(".//link[@rel='next'][@href]"):
        target = _join(base, link.get("href") or "")
        if target is not None:
            yield "", target


def _from_scripts(tree: Tree, base: str) -> Iterator[str]:
    for script in tree.iterfind(".//script"):
        for found in _SCRIPT.finditer(script.text or ""):
            target = _join(base, found[2].replace("\\/", "/"))
            if target is not None:
                yield target


def _label(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text[:60]).split())


def _join(base: str, href: str) -> str | None:
    """Return an absolute http(s) address, or a relative one when there is no base; None for anything else.

    An address of more than 2,000 characters, or with one that no address has, is nothing else than that.
    """
    hangs_on = "" if href.lstrip().lower().startswith(("http://", "https://")) else base
    if max(len(hangs_on), len(href)) > MAX_ADDRESS_CHARS:
        return None
    try:
        joined = urljoin(hangs_on, href.strip())
        scheme = urlsplit(joined).scheme
    except ValueError:  # a bracket in the host
        return None
    good = scheme in {"http", "https"} or (not base and not scheme)
    good = good and len(joined) <= MAX_ADDRESS_CHARS and not _CONTROL.search(joined)
    return joined if good and href.strip() and not href.strip().startswith("#") else None

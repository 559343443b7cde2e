"""The links to the next page of the same text and to the next chapter, kept apart. Pure.

下一页 may be a link or a script variable (``next_page``, ``url_next``), and it may mean the next chapter. So
a candidate is the next page only if its address is that of the same text with another page number. If the
page's address is unknown, the candidate must look like a numbered page.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import parse_qsl, urlsplit

from crawler.addresses import MAX_ADDRESS_CHARS, join_url
from crawler.extraction.anchors import Anchor, anchors_of
from crawler.extraction.page_buttons import buttons_of
from crawler.extraction.page_menus import options_after, page_number
from crawler.extraction.parsing import Tree
from fingerprint.text.han import CHAPTER_UNITS

_NEXT_PAGE = re.compile(
    r"[>»→\[(]*(?:点击|點擊|阅读|閱讀)?(?:下[一壹1]?[页頁]|后一?[页頁]|後一?頁|next(?:page)?)"
    r"(?:继续阅读|繼續閱讀|阅读)?(?:\(?\d+/\d+\)?)?[>»→\])]*",
    re.IGNORECASE,
)
# Labels of links that lead to the rest of the text if they lead to another page of it.
_CONTINUES = re.compile(
    r"[>»→\[(]*(?:点击|點擊)?(?:(?:余下|剩余|阅读|查看)(?:全文|内容|部分)|(?:餘下|剩餘|閱讀)(?:全文|內容|部分)"
    r"|(?:继续|繼續|接着|未完)(?:阅读|閱讀|看|待续)|下一?部分)[>»→\])]*"
)
_NEXT_CHAPTER = re.compile(rf"[>»→\[(]*下一?[{CHAPTER_UNITS}篇][>»→\])]*")
_COMMENTS = re.compile(r"comment|cpage|repl(?:y|ies)|pinglun", re.IGNORECASE)
_SERIAL_LABEL = re.compile(rf"[页頁{CHAPTER_UNITS}]")
_BACK = re.compile(r"(?:返回)?(?:章节)?(?:目录|目錄|书页|書頁|列表|书目)(?:页|列表)?")
# The part before or after a word below, as in next_page, nextpage_url, next_url and url_next.
_SCRIPT = re.compile(
    r"(?i:(?<!\w)next(?:_?page|page_?url|_?url)|(?<=url_)(?<!\wurl_)next|(?<=url)(?<!\wurl)next)\b"
    r"[\"']?\s*[:=]\s*[\"']([^\"'\s<>]{1,500})[\"']"
)
_NEXT_WORDS = ("next", "Next", "NEXT")  # most scripts contain few of these words, and some scripts are long
_PAGE_NUMBER = re.compile(
    r"^(?P<stem>.+?)(?:(?P<mark>/page[-/]?|[_\-/](?:p|page)?)(?P<page>\d{1,3}))?$", re.IGNORECASE
)
# Addresses of threads in Discuz!: number of the thread, its page, and the page of the list before it.
_THREAD_PATH = re.compile(r"^(?P<stem>.*thread-\d+)-(?P<page>\d{1,4})-\d+(?:\.html)?$", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$|/$", re.IGNORECASE)
_CATALOGUE = re.compile(r"/(?:catalog|index|list|mulu|dir|last)[^/]*/?$", re.IGNORECASE)
_MAX_PAGES = 100
_MAX_DIGITS = 4
_PAGER_MARKS = frozenset({"_", "-", "/page", "/page/", "/page-"})
_MAX_LINKS = 500  # maximum number of links of a page with a label for the next page or chapter
_CONTROL = re.compile("[\x00-\x20\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PAGE_KEYS = frozenset({"p", "page", "pn", "pageno", "page_no", "curpage", "start"})
_IDLE_KEYS = frozenset({"extra", "sid"})  # parameters that only record from which page the reader came


@dataclass(frozen=True, slots=True)
class NextLinks:
    """The next page and chapter: absolute if the page's address is given, else as written."""

    page: str | None
    chapter: str | None


NO_LINKS = NextLinks(None, None)


@dataclass(frozen=True, slots=True)
class _NumberedPath:
    """A path such as ``/b/100_2``: stem ``/b/100``, mark ``_``, page 2; in ``/page/2`` the mark is a word."""

    stem: str
    mark: str
    page: int


def next_links(
    tree: Tree,
    anchors: Sequence[Anchor],
    *,
    url: str = "",
    rule: str = "",
    turns_page: bool = False,
    is_serial: bool = True,
    is_thread: bool = False,
) -> NextLinks:
    """Return the addresses of the text's next page and of the next chapter.

    Args:
        tree: the page.
        anchors: its links.
        url: its address; if empty, the page's canonical address is used.
        rule: the next page's address by the source's rules; trusted unless it is this page.
        turns_page: the text says that it continues, so a link to its second page may have any label.
        is_serial: the page is a chapter; otherwise 下一篇 and links without a label lead to another article.
        is_thread: the page is a thread, so a page of replies is another page of it.
    """
    base = base_url(tree, url)
    page_url = url or canonical_url(tree)
    buttons = [
        Anchor(label, label, address, "", is_plain=True)
        for label, address in islice(buttons_of(tree), _MAX_LINKS)
    ]
    turning = (button for button in buttons if _NEXT_CHAPTER.fullmatch(button.label))
    links = list(islice(_next_anchors(tree, chain(anchors, turning), base), _MAX_LINKS))
    chapters = [target for label, target in links if _NEXT_CHAPTER.fullmatch(label)]
    neighbours = {target for label, target in links if not is_serial and not _SERIAL_LABEL.search(label)}
    ruled = [target] if rule and (target := _join(base, rule)) and target != url else []
    unlabelled_pages = chain(
        _from_scripts(tree, base),
        _from_pager((*anchors, *buttons), base, page_url, by_query=is_thread),
        _from_menus(tree, base, page_url),
        _from_buttons(anchors, buttons, base, page_url),
    )
    pages = [
        *ruled,
        *(target for label, target in links if not _NEXT_CHAPTER.fullmatch(label)),
        *islice(unlabelled_pages, _MAX_LINKS),
    ]
    if turns_page:
        pages += [target for target in chapters if _split_number(urlsplit(target).path) is not None]
    chapter_names = {_name(url) for url in chapters} if not turns_page else set()
    candidates = (
        url
        for url in pages
        if _name(url) not in chapter_names
        and is_same_text(page_url, url)
        and (is_thread or not _turns_comments(page_url, url))
    )
    page = ruled[0] if ruled else next(candidates, None)
    catalogues = _catalogues(anchors, base)
    unlabelled = [
        target
        for target in (*chapters, *pages)
        if target != page
        and target not in catalogues
        and target not in neighbours
        and not _turns_comments(page_url, target)
        and _is_chapter(page_url, target)
    ]
    return NextLinks(page, unlabelled[0] if unlabelled else None)


def _catalogues(anchors: Iterable[Anchor], base: str) -> set[str | None]:
    """Return the targets of links back to the catalogue; the last chapter's next link has the same target."""
    back = (anchor.href for anchor in anchors if anchor.is_plain and _BACK.fullmatch(anchor.label))
    return {_join(base, href) for href in islice(filter(None, back), _MAX_LINKS)}


def _from_pager(anchors: Iterable[Anchor], base: str, page_url: str, *, by_query: bool) -> Iterator[str]:
    """Yield the link with the number after this page's number, if pages are numbered 1 2 3.

    With ``by_query``, a number in the query also counts; below an article it may belong to comments.
    """
    current = _page_of(page_url, by_query=by_query)
    number = current + 1 if current is not None and current < _MAX_PAGES else 2
    for anchor in anchors:
        if page_number(anchor.number) == number:
            target = _join(base, anchor.href)
            if target and _page_of(target, by_query=by_query) == number and is_same_text(page_url, target):
                yield target


def _from_menus(tree: Tree, base: str, page_url: str) -> Iterator[str]:
    for address in options_after(tree, page_url):
        target = _join(base, address)
        if target is not None and is_same_text(page_url, target):
            yield target


def _from_buttons(
    anchors: Iterable[Anchor], buttons: Iterable[Anchor], base: str, page_url: str
) -> Iterator[str]:
    """Yield the other pages of this text to which buttons lead, or links with a label such as 余下全文."""
    labelled = chain(
        (anchor for anchor in anchors if _CONTINUES.fullmatch(anchor.label)),
        (
            button
            for button in buttons
            if _NEXT_PAGE.fullmatch(button.label) or _CONTINUES.fullmatch(button.label)
        ),
    )
    for anchor in labelled:
        target = _join(base, anchor.href)
        if target is not None and is_same_text(page_url, target):
            yield target


def _page_of(url: str, *, by_query: bool) -> int | None:
    """Return the page number in an address; None without one."""
    parts = urlsplit(url)
    if by_query:
        numbers = [value for key, value in parse_qsl(parts.query) if key.lower() in _PAGE_KEYS]
        if numbers and numbers[0].isdecimal() and len(numbers[0]) <= _MAX_DIGITS:
            return int(numbers[0])
    numbered = _split_number(parts.path)
    return numbered.page if numbered is not None and numbered.mark in _PAGER_MARKS else None


def canonical_url(tree: Tree) -> str:
    """Return the canonical address that the page names; empty without one."""
    links = (link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical")
    metas = (meta.get("content") for meta in tree.iter("meta") if meta.get("property") == "og:url")
    addresses = (_join("", address) for address in chain(links, metas) if address)
    return next((address for address in addresses if address and urlsplit(address).netloc), "")


def _name(target: str) -> str:
    """Return the last segment and the query, because a page may write the rest of a target or omit it."""
    parts = urlsplit(target)
    return parts.path.rstrip("/").rpartition("/")[2] + parts.query


def _is_chapter(url: str, other: str) -> bool:
    """Return whether an address can be the next chapter: not a page of this chapter, not the catalogue."""
    path = urlsplit(other).path
    is_above = bool(url) and path.endswith("/") and urlsplit(url).path.startswith(path)
    return not is_above and not _CATALOGUE.search(path) and not (url and _is_page_of(url, other))


def next_list_page(tree: Tree, *, url: str) -> str | None:
    """Return the address of a list's next page; any address under the label counts."""
    base = base_url(tree, url)
    for label, target in _next_anchors(tree, anchors_of(tree), base):
        if _NEXT_PAGE.fullmatch(label) and target != url:
            return target
    return None


def base_url(tree: Tree, url: str) -> str:
    """Return the base of the page's relative addresses, however long it is.

    A relative address on an overlong base is overlong too. Resolving it against the page's address instead
    would give a wrong address.
    """
    bases = (element.get("href") for element in tree.iter("base"))
    href = next((href.strip() for href in bases if href is not None), "")
    return href if len(href) > MAX_ADDRESS_CHARS else _join(url, href) or url


def is_same_text(url: str, other: str) -> bool:
    """Return whether ``other`` can be another page of the text at ``url``.

    If ``url`` is empty, ``other`` must look like a numbered page, because 下一页 more often links to a
    chapter.
    """
    if url:
        return other != url and _is_page_of(url, other)
    parts = urlsplit(other)
    numbered = _split_number(parts.path)
    by_query = any(key.lower() in _PAGE_KEYS for key, _ in parse_qsl(parts.query))
    return by_query or (numbered is not None and numbered.mark != "/" and 1 < numbered.page < _MAX_PAGES)


def continues(first: str, other: str, *, number: int) -> bool:
    """Return whether ``other`` is the ``number``-th page (from 1) of the text that begins at ``first``.

    Some sites number the second page 1, so ``number - 1`` also counts.
    """
    ours, theirs = urlsplit(first), urlsplit(other)
    numbered = _split_number(theirs.path)
    same_host = not ours.netloc or not theirs.netloc or ours.netloc == theirs.netloc
    return (
        same_host
        and numbered is not None
        and numbered.stem == _bare(ours.path)
        and numbered.page in {number - 1, number}
    )


def _turns_comments(url: str, other: str) -> bool:
    """Return whether ``other`` is another page of the comments below a text, not of the text."""
    return _COMMENTS.search(_tail(other)) is not None and _COMMENTS.search(_tail(url)) is None


def _tail(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}#{parts.fragment}"


def _is_page_of(url: str, other: str) -> bool:
    ours, theirs = urlsplit(url), urlsplit(other)
    if ours.netloc and theirs.netloc and ours.netloc != theirs.netloc:
        return False
    if ours.path == theirs.path:
        return ours.query != theirs.query and _query_rest(ours.query) == _query_rest(theirs.query)
    if continues(url, other, number=2):
        return True
    our, their = _split_number(ours.path), _split_number(theirs.path)
    # /b/7/100 and /b/7/101 are two chapters: after a slash, a number is a page number only if the address of
    # the text precedes the slash.
    if our is None or their is None or "/" in {our.mark, their.mark}:
        return False
    return their.stem == our.stem and their.page == our.page + 1


def _bare(path: str) -> str:
    return _ENDING.sub("", path)


def _split_number(path: str) -> _NumberedPath | None:
    """Split ``/b/100_2.html`` into ``/b/100``, ``_`` and 2; None without a number."""
    thread = _THREAD_PATH.fullmatch(path)
    if thread is not None:
        return _NumberedPath(thread["stem"], "-", int(thread["page"]))
    match = _PAGE_NUMBER.fullmatch(_bare(path))
    if match is None or match["page"] is None:
        return None
    mark = match["mark"].lower()  # _2, _p2 and _page2 all become _
    mark = mark if mark.startswith("/page") else mark[0]
    return _NumberedPath(match["stem"], mark, int(match["page"]))


def _query_rest(query: str) -> list[tuple[str, str]]:
    idle = _PAGE_KEYS | _IDLE_KEYS
    return sorted(pair for pair in parse_qsl(query) if pair[0].lower() not in idle)


def _next_anchors(tree: Tree, anchors: Iterable[Anchor], base: str) -> Iterator[tuple[str, str]]:
    """Yield (label, target) of every link to a next page or chapter; links with a label come first."""
    unlabelled = []
    for anchor in anchors:
        is_named = _NEXT_PAGE.fullmatch(anchor.label) or _NEXT_CHAPTER.fullmatch(anchor.label)
        if not is_named and "next" not in anchor.relation.lower().split():
            continue  # skip before the address is joined, which is the slowest step
        target = _join(base, anchor.href)
        if target is None:
            continue
        if is_named:
            yield anchor.label, target
        else:
            unlabelled.append((anchor.label, target))
    yield from unlabelled
    for link in tree.iter("link"):
        href = link.get("href") if link.get("rel") == "next" else None
        target = None if href is None else _join(base, href)
        if target is not None:
            yield "", target


def _from_scripts(tree: Tree, base: str) -> Iterator[str]:
    for script in tree.iter("script"):
        text = script.text or ""
        for at in sorted(at for word in _NEXT_WORDS for at in _word_offsets(text, word)):
            variable = _SCRIPT.match(text, at)
            target = _join(base, variable[1].replace("\\/", "/")) if variable else None
            if target is not None:
                yield target


def _word_offsets(text: str, word: str) -> Iterator[int]:
    """Yield the offsets of a word in a text; faster than a regular expression for rare words."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _join(base: str, href: str) -> str | None:
    """Return an absolute http(s) address, or a relative one without a base; None for anything else.

    Addresses that are too long or contain control characters also give None.
    """
    used_base = "" if href.lstrip().lower().startswith(("http://", "https://")) else base
    if max(len(used_base), len(href)) > MAX_ADDRESS_CHARS:
        return None
    url = join_url(used_base, href)
    if not url:
        return None
    scheme = urlsplit(url).scheme
    is_address = scheme in {"http", "https"} or (not base and not scheme)
    is_address = is_address and len(url) <= MAX_ADDRESS_CHARS and not _CONTROL.search(url)
    return url if is_address and href.strip() and not href.strip().startswith("#") else None

"""Finds hints of unlisted chapters in a catalogue: their number, a button, a list in JSON. Pure.

A page of a catalogue may show the first fifty chapters and load the rest with a script, as pages of JSON. If
their address is plain and has a page number, it is returned as a further list.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any
from urllib.parse import urlsplit

from crawler.addresses import absolute_url, canonical, without_tracking
from crawler.exchange import HIDDEN_MARK
from crawler.extraction.chapters import chapter_heading
from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import Element, Tree, parse
from crawler.lists.link_list import CatalogueClues, Link, LinkList, within_bounds
from crawler.lists.links import address_in, chapter_links, labels_of
from fingerprint.text.han import CHAPTER_LABEL
from system.sites import host_of, site_of

_TOTAL = re.compile(
    r"(?:共|全书|总计|合计|已更新?)\s*(?:有|至)?\s*(\d{2,5})\s*[章回节](?!节?[^，。,）)\s]{0,2}第)"
)
_MORE = re.compile(
    r"(?:点击|點擊)?(?:加载|載入|查看|显示|顯示|展开|展開|浏览|阅读)(?:更多|全部|所有|完整|剩余|其余|其他)?(?:的)?"
    r"(?:章节|章節|目录|目錄|列表|内容)?(?:列表|目录)?[\s.…>»↓﹀▼]*"
)
_FULL = re.compile(r"(?:完整|全部|所有|更多)(?:章节|章節)?(?:目录|目錄|列表|章节|章節)[\s.…>»]*")
_RANGE = re.compile(
    r"^第?\s*\d{1,5}\s*[章回节節]?\s*[-–—~～至到]{1,2}\s*第?\s*(\d{1,5})\s*[章回节節]$", re.MULTILINE
)
_HEADING = re.compile(r"(?:完整|全部|所有)(?:章节|章節)?(?:目录|目錄|列表|章节|章節)")
_LIKE_BUTTON = re.compile(r"more|btn|button|expand|unfold", re.IGNORECASE)
_LAST_PAGE = re.compile(r"共\s?1\s?[页頁]|(?<![\d/])(\d{1,4})\s?/\s?\1\s?[页頁]")
_NEXT = re.compile(r"下一?[页頁]|后一?页|後一?頁")
_DISABLED = re.compile(r"disabled?|\b(?:off|end|last|no-?next)\b", re.IGNORECASE)
_NOT_DISPLAYED = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_MIN_MORE_CHARS = 4
_BUTTONS = ("button", "a", "span", "div", "p", "input")
_PLAIN = frozenset({"span", "div", "p"})
_MAX_LABEL_CHARS = 20
_MAX_LABEL_PIECES = 9
_MAX_ELEMENTS = 20_000
_MAX_LINK_LEVELS = 2  # number of elements around a button that may be its link
_MAX_ANCESTORS = 5  # number of elements around a label that may contain its address
_MAX_TEXT_CHARS = 1_000
_NO_LABELS = frozenset({"script", "style", "title", "h1"})
_PAGE_KEY = r"(?:page|p|pn|pageno|page_no|pageindex|page_index|pagenum|page_num|curpage|cur_page)"
# An address in a script that contains a page number or a placeholder, or to which a number is appended.
_PAGED = re.compile(
    rf"""["'`]((?:https?:)?/[^"'`\s<>]{{0,300}}?[?&]{_PAGE_KEY}=)(?:\d{{1,4}}|\$?\{{[^{{}}]{{1,40}}\}})?"""
    r"((?:&[^\"'`\s<>]{0,100})?)[\"'`]",
    re.IGNORECASE,
)
_OF_CHAPTERS = re.compile(
    r"catalog|chapter|mulu|menu|section|volume|juan|toc|dir|list|more|zhangjie", re.IGNORECASE
)
_OF_ELSE = re.compile(
    r"comment|review|repl(?:y|ies)|search|recommend|hot|rank|related|login|user|ad[sv]?[/_]", re.IGNORECASE
)
_PAGE_VALUE = re.compile(rf"([?&]{_PAGE_KEY}=)(\d{{1,4}})", re.IGNORECASE)
_MAX_SCRIPT_CHARS = 500_000
_MAX_PAGED = 3  # maximum number of JSON lists from one page
_MAX_PAGE = 500
_URL_KEY = re.compile(r"url|href|link|path", re.IGNORECASE)
_ID_KEY = re.compile(r"(?:chapter|c|article|section|n)?_?id$", re.IGNORECASE)
_TOTAL_KEY = re.compile(r"total(?:_?count)?$|(?:chapter|total)_?(?:count|num|total)$", re.IGNORECASE)
_MORE_KEY = re.compile(r"(?:has|is)_?(?:more|next)", re.IGNORECASE)
_MAX_NAME_CHARS = 100  # maximum characters of a chapter's name
_MAX_NODES = 200_000
_CALLBACK = re.compile(r"^\s*[\w.$]{1,60}\s*\((?=\s*[{\[])")
_ENDS_LIKE_PAGE = re.compile(r"\.(?:s?html?|php|aspx?|jsp)(?:\?|$)|^https?://|^/", re.IGNORECASE)


def clues_of(tree: Tree, *, url: str, texts: list[str]) -> CatalogueClues:
    """Return the hints of a catalogue page about chapters that it does not list.

    Args:
        tree: the page.
        url: its address.
        texts: addresses of the listed chapters.
    """
    listed = set(texts)
    labels = (link for link in labels_of(tree, url=url) if link[0] in listed)
    numbers = {(target, number) for target, label in labels if (number := chapter_heading(label).number)}
    head = _head_text(tree)
    stated = max((int(match[1]) for match in (*_TOTAL.finditer(head), *_RANGE.finditer(head))), default=0)
    unlinked = _unlinked_numbers(tree) - {number for _, number in numbers}
    total = max(stated, len(texts) + len(unlinked) if unlinked else 0)
    buttons = list(_more_buttons(tree))
    return CatalogueClues(
        numbers=tuple(sorted(numbers)),
        total=total,
        has_more=any(not _button_address(button, tree, url) for button in buttons),
        has_pager=not _LAST_PAGE.search(head) and _has_scripted_pager(tree),
    )


def _unlinked_numbers(tree: Tree) -> set[int]:
    """Return the numbers of chapters that a page names without an address, for example for a script."""
    numbers = set()
    for element in islice(tree.iter(), _MAX_ELEMENTS):
        label = element.text.strip() if element.text and len(element.text) < _MAX_TEXT_CHARS else ""
        if not CHAPTER_LABEL.match(label) or len(label) > _MAX_NAME_CHARS or element.tag in _NO_LABELS:
            continue
        number = chapter_heading(label).number
        around = (element, *islice(element.iterancestors(), _MAX_ANCESTORS))
        if number and not any(address_in(near) for near in around):
            numbers.add(number)
    return numbers


def further_lists(tree: Tree, *, url: str) -> list[str]:
    """Return the addresses behind buttons for more chapters, and the JSON lists in scripts."""
    targets = [target for button in _more_buttons(tree) if (target := _button_address(button, tree, url))]
    return list(dict.fromkeys((*targets, *islice(_paged_lists(tree, url), _MAX_PAGED))))


def is_json(data: bytes) -> bool:
    """Return whether a body looks like JSON or JSONP."""
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] in (b"{", b"[") or (
        b"<" not in start[:80] and _CALLBACK.match(start.decode("latin-1")) is not None
    )


def read_json(data: bytes, *, url: str) -> LinkList:
    """Return the chapters of a list in JSON, and its next page; empty for any other body."""
    try:
        value = json.loads(_CALLBACK.sub("", data.decode("utf-8-sig", "replace").strip()).rstrip(");"))
    except (ValueError, RecursionError):
        return LinkList()
    texts: list[str] = []
    numbers: set[tuple[str, int]] = set()
    ids: list[str] = []
    flags: list[bool] = []
    totals: list[int] = []
    for item in islice(_json_objects(value), _MAX_NODES):
        for key, field in item.items():
            if isinstance(field, bool) and _MORE_KEY.match(key):
                flags.append(field)
            elif isinstance(field, int) and not isinstance(field, bool) and _TOTAL_KEY.match(key):
                totals.append(field)
        target = _link_in(item, url)
        number = next(
            (number for name in _string_values(item) if (number := chapter_heading(name).number)), None
        )
        if target is None and number is None:
            continue
        numbers.update([(target or "", number)] if number else [])
        if target:
            texts.append(target)
        else:
            ids += [
                str(field)
                for key, field in item.items()
                if _ID_KEY.match(key) and isinstance(field, (int, str))
            ][:1]
    for markup in _markup_in(value):
        tree = parse(markup)
        if tree is not None:
            texts += chapter_links(tree, url=url)
            numbers.update(clues_of(tree, url=url, texts=texts).numbers)
    has_items = bool(texts or ids)
    refused: Counter[str] = Counter()
    links = within_bounds(map(Link, dict.fromkeys(texts)), refused)
    total = max(totals, default=0)
    clues = CatalogueClues(
        numbers=tuple(sorted(numbers)),
        total=total if total >= len(texts) else 0,
        ids=tuple(ids),
        is_data=True,
    )
    following = next_page_of(url) if has_items and False not in flags else ""
    return LinkList(links, (Link(following),) if following else (), refused, clues)


def next_page_of(url: str) -> str:
    """Return the address of the next page of a list in JSON; empty without a page number."""
    match = _PAGE_VALUE.search(url)
    if match is None or int(match[2]) >= _MAX_PAGE:
        return ""
    return f"{url[: match.start()]}{match[1]}{int(match[2]) + 1}{url[match.end() :]}"


def without_page(url: str) -> str:
    """Return the address of a list in JSON without its page number."""
    return _PAGE_VALUE.sub(r"\1", url)


def page_number(url: str) -> int:
    """Return the page number in the address of a list in JSON; 0 without one."""
    match = _PAGE_VALUE.search(url)
    return int(match[2]) if match else 0


def _more_buttons(tree: Tree) -> Iterator[Element]:
    """Yield the buttons for more chapters."""
    for element in islice(tree.iter(*_BUTTONS), _MAX_ELEMENTS):
        label = _label_of(element)
        if not _MIN_MORE_CHARS <= len(label) <= _MAX_LABEL_CHARS:
            continue
        is_button = _MORE.fullmatch(label) or (_FULL.fullmatch(label) and not _is_heading(element, label))
        if is_button and not _is_hidden(element):
            yield element


def _is_heading(element: Element, label: str) -> bool:
    """Return whether a label such as 全部章节 is the heading of the list, not a button."""
    is_like_button = element.get("onclick") or _LIKE_BUTTON.search(element.get("class") or "")
    return element.tag in _PLAIN and not is_like_button and _HEADING.fullmatch(label) is not None


def _label_of(element: Element) -> str:
    return "".join(islice(element.itertext(), _MAX_LABEL_PIECES)).strip() or (element.get("value") or "")


def _is_hidden(element: Element) -> bool:
    """Return whether a button is hidden by its own style, or was hidden in the browser."""
    return HIDDEN_MARK in element.attrib or bool(_NOT_DISPLAYED.search(element.get("style") or ""))


def _has_scripted_pager(tree: Tree) -> bool:
    """Return whether a script or a form that posts leads to the next page of a list."""
    for element in islice(tree.iter("a", "button", "input"), _MAX_ELEMENTS):
        label = _label_of(element)
        if not _NEXT.fullmatch(label.strip(" \t\r\n<>»›→[]")) or _is_disabled(element):
            continue
        href = (element.get("href") or "").lower()
        is_scripted = href.startswith("javascript:") or bool(element.get("onclick"))
        form = next(element.iterancestors("form"), None) if element.tag != "a" else None
        is_posted = form is not None and (form.get("method") or "").lower() == "post"
        if (is_scripted or is_posted) and not address_in(element):
            return True
    return False


def _is_disabled(element: Element) -> bool:
    parent = element.getparent()
    around = [element] if parent is None else [element, parent]
    return any("disabled" in near.attrib or _DISABLED.search(near.get("class") or "") for near in around)


def _button_address(button: Element, tree: Tree, url: str) -> str:
    """Return the address on the same site behind a button, a link in it or a link around it; else empty."""
    inside = islice(button.iterdescendants(), _MAX_LABEL_PIECES)
    around = islice(button.iterancestors(), _MAX_LINK_LEVELS)
    for element in chain([button], inside, around):
        address = address_in(element) if isinstance(element.tag, str) else ""
        target = _address_on_site(address, base_url(tree, url)) if address else ""
        if target and target != canonical(url):
            return target
    return ""


def _paged_lists(tree: Tree, url: str) -> Iterator[str]:
    """Yield the first pages of lists with addresses in scripts or attributes."""
    for text in _texts_with_addresses(tree):
        for match in _PAGED.finditer(text[:_MAX_SCRIPT_CHARS]):
            path = urlsplit(match[1]).path
            if not _OF_CHAPTERS.search(path) or _OF_ELSE.search(path):
                continue
            target = _address_on_site(f"{match[1]}1{match[2]}", url)
            if target and host_of(target) == host_of(url):
                yield target


def _texts_with_addresses(tree: Tree) -> Iterator[str]:
    for script in tree.iter("script"):
        if script.text:
            yield script.text.replace("\\/", "/")
    for element in islice(tree.iter(), _MAX_ELEMENTS):
        for name, value in element.items():
            if str(name).startswith("data-") and "=" in str(value):
                yield f'"{value}"'


def _address_on_site(address: str, base: str) -> str:
    try:
        target = canonical(without_tracking(absolute_url(base, address)))
        return target if site_of(target) == site_of(base) else ""
    except ValueError:
        return ""


def _head_text(tree: Tree) -> str:
    """Return the text of a page outside of its links, which may contain the number of chapters."""
    pieces = []
    for element in islice(tree.iter(), _MAX_ELEMENTS):
        if element.tag not in {"a", "script", "style", "option"} and element.text:
            pieces.append(element.text)
        if element.tail:
            pieces.append(element.tail)
    # Without runs of white space, which would take quadratic time in the patterns.
    return "\n".join(filter(None, (" ".join(piece.split()) for piece in pieces)))


def _json_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a JSON value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list):
            waiting.extend(reversed(item))


def _string_values(item: dict[str, Any]) -> Iterator[str]:
    return (field for field in item.values() if isinstance(field, str) and len(field) <= _MAX_NAME_CHARS)


def _link_in(item: dict[str, Any], url: str) -> str | None:
    """Return the address of a chapter in a JSON object."""
    for key, field in item.items():
        if isinstance(field, str) and _URL_KEY.search(key) and _ENDS_LIKE_PAGE.search(field):
            target = _address_on_site(field, url)
            if target and any(char.isdigit() for char in urlsplit(target).path + urlsplit(target).query):
                return target
    return None


def _markup_in(value: Any) -> Iterator[str]:
    """Yield the strings of a JSON value that are lists in HTML."""
    for item in islice(_json_objects(value), _MAX_NODES):
        for field in item.values():
            if isinstance(field, str) and "<a " in field:
                yield f"<html><body>{field}</body></html>"

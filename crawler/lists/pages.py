"""Finds the further pages of sections and catalogues. Pure.

A section links to its next page as 下一页. A catalogue may list all of its pages instead, by number or by
chapters, in links or in the options of a menu.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from crawler.addresses import absolute_url, canonical, without_tracking
from crawler.extraction.nextpage import base_url, next_list_page
from crawler.extraction.parsing import Element, Tree
from system.sites import host_of, site_of

_CHAPTERS = re.compile(r"第?\s*\d{1,5}\s*[章回节節]?\s*[-–—~～至到]{1,2}\s*第?\s*\d{1,5}\s*[章回节節]?")
_NUMBER = re.compile(r"第?\s*(\d{1,4})\s*[页頁]?")
_ADDRESS = re.compile(r"[/?.]")
_DIGITS = re.compile(r"\d+")
MAX_FRAMES = 20  # maximum number of frames of a list that are followed
_MAX_LABEL_CHARS = 40
_MAX_LABEL_PIECES = 9  # maximum pieces of text in a label; nested links would take quadratic time


def no_pages(tree: Tree, *, url: str, texts: Collection[str] = ()) -> list[str]:  # noqa: ARG001 - as the others
    """Return an empty list, because every page of a whole site is read anyway."""
    return []


def next_page(tree: Tree, *, url: str, texts: Collection[str] = ()) -> list[str]:  # noqa: ARG001 - as the others
    """Return the address of a list's next page, if any.

    Args:
        tree: the list.
        url: its address.
        texts: the listed addresses.
    """
    target = _absolute_address(url, next_list_page(tree, url=url) or "")
    return [target] if target else []


def catalogue_pages(tree: Tree, *, url: str, texts: Collection[str]) -> list[str]:
    """Return the distinct addresses of a catalogue's other pages, the next page first.

    Args:
        tree: a page of the catalogue.
        url: its address.
        texts: the listed chapters, whose labels may be bare numbers, too.
    """
    excluded = {canonical(url), *texts}
    named = (target for target in _named_pages(tree, url) if host_of(target) == host_of(url))
    pages = dict.fromkeys((*map(canonical, next_page(tree, url=url)), *named))
    return [target for target in pages if target not in excluded]


def frame_addresses(tree: Tree, *, url: str) -> list[str]:
    """Return the distinct addresses of the same site that a page shows in frames."""
    base = base_url(tree, url)
    frames = islice(tree.iter("frame", "iframe"), MAX_FRAMES)
    targets = (_absolute_address(base, frame.get("src") or "") for frame in frames)
    same_site = (canonical(target) for target in targets if target and site_of(target) == site_of(url))
    return [target for target in dict.fromkeys(same_site) if target != canonical(url)]


def _named_pages(tree: Tree, url: str) -> Iterator[str]:
    base = base_url(tree, url)
    for path, attribute in ((".//a[@href]", "href"), (".//option[@value]", "value")):
        for element in tree.iterfind(path):
            label, address = _link_label(element), element.get(attribute) or ""
            if names_a_page(label, address) and (target := _absolute_address(base, address)):
                yield canonical(target)


def names_a_page(label: str, address: str) -> bool:
    """Return whether a label is a range of chapters, or a number that is also in the address."""
    if not _ADDRESS.search(address):  # not an address, because an option may have any value
        return False
    number = _NUMBER.fullmatch(label)
    has_number = number is not None and number[1] in _DIGITS.findall(address)
    return has_number or _CHAPTERS.fullmatch(label) is not None


def _link_label(element: Element) -> str:
    return "".join(islice(element.itertext(), _MAX_LABEL_PIECES))[:_MAX_LABEL_CHARS].strip()


def _absolute_address(base: str, address: str) -> str:
    """Return an absolute address; empty if invalid or too long."""
    try:
        return without_tracking(absolute_url(base, address)) if address else ""
    except ValueError:
        return ""

"""A page as it looked, without anything active: no scripts, frames or forms, nothing to load or follow.

It is shown to people in a frame. ``lxml_html_clean`` removes active content, because its list is maintained.
In addition, every address is removed, except those of pictures inside the page itself. The frame's policy
also forbids scripts and network access, so an error in one protection is not enough.
"""

import re

from lxml_html_clean import Cleaner

from crawler.extraction.parsing import Tree, decode_page, parse, serialize, unpack

_ADDRESSES = frozenset(
    (
        "action",
        "archive",
        "background",
        "cite",
        "classid",
        "codebase",
        "data",
        "formaction",
        "href",
        "icon",
        "longdesc",
        "manifest",
        "ping",
        "poster",
        "profile",
        "src",
        "srcdoc",
        "srcset",
        "usemap",
        "xlink:href",
    )
)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+\Z")
_CLEANER = Cleaner(
    scripts=True,
    javascript=True,
    comments=True,
    style=False,
    inline_style=False,
    links=True,
    meta=True,
    page_structure=False,
    processing_instructions=True,
    embedded=True,
    frames=True,
    forms=True,
    annoying_tags=False,
    safe_attrs_only=False,
    kill_tags=("base", "noscript", "template", "svg", "math"),
)


def inert_html(data: bytes, *, declared: str | None = None) -> str:
    """Return a page as HTML that does nothing.

    Args:
        data: the page as received, decoded.
        declared: charset of its Content-Type header.

    Returns:
        A whole document; empty if the page has no element.
    """
    tree = parse(decode_page(unpack(data), declared=declared).text)
    if tree is None:
        return ""
    _CLEANER(tree)
    _drop_addresses(tree)
    return serialize(tree)


def _drop_addresses(tree: Tree) -> None:
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        for name, value in element.attrib.items():
            local_name = name.lower().rpartition("}")[2]
            is_picture = local_name == "src" and element.tag == "img" and _PICTURE.match(value)
            if local_name.startswith("on") or (local_name in _ADDRESSES and not is_picture):
                del element.attrib[name]

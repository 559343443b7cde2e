"""Parsing of XHTML as browsers do: CDATA is text, and HTML entities are replaced. Pure."""

import re
from html.entities import html5
from typing import Any

from lxml import html
from lxml.etree import ElementDefaultClassLookup, XMLParser, XMLSyntaxError, fromstring

_MAX_TAGS = 200_000
_ENTITY = re.compile(rb"&([a-zA-Z][a-zA-Z0-9]{1,31});")
_DECLARED = re.compile(rb"<!ENTITY\s+([\w.-]+)\s")
_OF_XML = frozenset({b"lt", b"gt", b"amp", b"quot", b"apos"})
_ONE_CLASS = ElementDefaultClassLookup(element=html.HtmlElement)


def xhtml_tree(markup: bytes) -> Any | None:
    """Return the tree of an XHTML page with plain tag names; None if the markup is not XHTML.

    Broken markup is read as far as possible. Entities are expanded within the parser's limits; external
    entities are never loaded.

    Args:
        markup: in UTF-8.
    """
    if markup.count(b"<") > _MAX_TAGS:
        return None
    parser = XMLParser(
        encoding="utf-8",
        recover=True,
        remove_comments=True,
        remove_pis=True,
        resolve_entities="internal",
        no_network=True,
        load_dtd=False,
    )
    parser.set_element_class_lookup(_ONE_CLASS)
    try:
        tree = fromstring(_with_characters(markup.lstrip()), parser=parser)
    except XMLSyntaxError:
        return None
    if tree is None or _plain(tree.tag) != "html":
        return None
    for element in tree.iter("*"):
        if element.tag[0] == "{":
            element.tag = _plain(element.tag)
    return tree


def _plain(name: object) -> str:
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _with_characters(markup: bytes) -> bytes:
    """Return markup with characters for HTML's entities, which XML does not define."""
    declared = _OF_XML.union(_DECLARED.findall(markup))

    def character(entity: re.Match[bytes]) -> bytes:
        name = entity[1]
        text = "" if name in declared else html5.get(f"{name.decode()};", "")
        return text.encode() or entity[0]

    return _ENTITY.sub(character, markup)

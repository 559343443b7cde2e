"""Texts that a browser shows for elements, but that are not text nodes. Pure."""

from collections.abc import Iterator

from crawler.download.browser.snapshot import ELEMENT, TEXT, SnapshotDocument

_WITHOUT_TEXT = frozenset({"checkbox", "color", "file", "hidden", "image", "password", "radio", "range"})
_MAX_OPTION_NODES = 2_000  # maximum number of nodes of one menu


def silent_texts(document: SnapshotDocument, node: int, name: str) -> list[str]:
    """Return the texts of a field, of a menu, or of a picture whose image is missing.

    Args:
        document: with the element.
        node: the element.
        name: of the element.
    """
    if name == "input":
        texts = [_field_text(document, node)]
    elif name == "textarea":
        texts = (document.inputs.get(node) or document.attributes[node].get("placeholder", "")).splitlines()
    elif name == "select":
        texts = list(_menu_options(document, node))
    elif name == "img" and node not in document.sources:
        texts = [document.attributes[node].get("alt", "")]
    else:
        return []
    return [text for text in texts if text.strip()]


def _field_text(document: SnapshotDocument, node: int) -> str:
    attributes = document.attributes[node]
    if attributes.get("type", "").strip().lower() in _WITHOUT_TEXT:
        return ""
    return document.inputs.get(node) or attributes.get("value") or attributes.get("placeholder", "")


def _menu_options(document: SnapshotDocument, select: int) -> Iterator[str]:
    """Yield the options of a menu; a reader sees one, and the rest after a click."""
    last = min(len(document.parents), select + _MAX_OPTION_NODES)
    for node in range(select + 1, last):
        parent = document.parents[node]
        if parent < select:  # past the menu: the nodes of an element follow the element
            return
        if document.types[node] == ELEMENT and document.attributes[node].get("label"):
            yield document.attributes[node]["label"]
        elif document.types[node] == TEXT and document.names[parent] == "option":
            yield document.values[node]

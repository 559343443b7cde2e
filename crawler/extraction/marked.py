"""The attributes of a page's elements, read in one walk for all later steps. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import class_names

# Attributes by which an element may refer to another one that it shows.
NAMING = frozenset(
    {"onclick", "href", "data-target", "data-bs-target", "for", "aria-controls", "data-id", "data-for"}
)
_SHOWN = "until-found"  # value of the attribute ``hidden``; a search in the page shows the element
MIN_DATA_CHARS = 60  # minimum characters of an ASCII value that may be encoded Chinese
MANY_CHILDREN = 8
# Attributes with an address. An address is read only if it is a document or has characters other than ASCII.
ADDRESSES = frozenset(
    {"href", "src", "action", "srcset", "data-src", "data-original", "data-href", "data-url"}
)
_DOCUMENTS = ("data:", "javascript:")
# A declaration that may move a block among its siblings or reverse its content.
MOVING = re.compile(
    r"(?<![\w-])(?:order|grid-area|grid-row|top|bottom|inset|transform|translate|direction|flex-)",
    re.IGNORECASE,
)
_COLLECTED = frozenset({"class", "id", "style", "dir", "hidden", "popover"})
_ALWAYS_READ = frozenset({"srcdoc", "popover"})


@dataclass(frozen=True, slots=True)
class MarkedElements:
    """The tags and names of a page's elements, and the elements with certain attributes.

    Attributes:
        tags: the elements of each tag, in document order.
        labels: an element's id as ``#id``, otherwise its classes as ``.class``; missing without either.
        readable: (name, value) of attributes that may be Chinese, plain, escaped or encoded, or that
            decide what is shown; only elements with such attributes.
        moved: elements with a direction, or an inline style that may move them or their content.
        names: classes and ids, as selectors write them.
        styled: elements with an inline style, and the style.
        hidden: elements that an attribute hides.
        referring: elements that may refer to another one, and the attribute that does.
        popovers: elements that scripts show above the page.
        crowded: elements with many children.
    """

    tags: Mapping[str, Sequence[Element]]
    labels: Mapping[Element, str]
    readable: Mapping[Element, Sequence[tuple[str, str]]]
    moved: AbstractSet[Element]
    names: AbstractSet[str]
    styled: Sequence[tuple[Element, str]]
    hidden: Sequence[Element]
    referring: Sequence[tuple[Element, str]]
    popovers: Sequence[Element]
    crowded: Sequence[Element]
    # class or id → groups of elements with the same attribute value
    _groups: Mapping[str, Sequence[Sequence[Element]]]

    def all_of(self, *tags: str) -> Iterator[Element]:
        """Yield the elements of several tags, one tag after another."""
        return chain.from_iterable(self.tags.get(tag, ()) for tag in tags)

    def named(self, name: str) -> list[Element]:
        """Return the elements with a class or id, as selectors write it."""
        return [element for group in self._groups.get(name, ()) for element in group]


def marked_elements(tree: Tree) -> MarkedElements:
    """Return the marked elements of a page."""
    tags = defaultdict[str, list[Element]](list)
    readable = defaultdict[Element, list[tuple[str, str]]](list)
    values = defaultdict[str, list[tuple[Element, str]]](list)  # attribute → (element, value)
    referring: list[tuple[Element, str]] = []
    crowded: list[Element] = []
    for element in tree.iter():
        tags[element.tag].append(element)
        if len(element) >= MANY_CHILDREN:
            crowded.append(element)
        for pair in element.items():
            attribute, value = pair
            if attribute in _COLLECTED:
                values[attribute].append((element, value))
            elif attribute in NAMING:
                referring.append((element, value))
            if value.isascii():
                is_plain = len(value) < MIN_DATA_CHARS and "\\" not in value
                if attribute not in _ALWAYS_READ and (is_plain or _is_address(attribute, value)):
                    continue
            readable[element].append(pair)
    groups = _groups(values["id"], values["class"])
    labels = {element: f".{value}" for element, value in values["class"]}
    return MarkedElements(
        tags=tags,
        labels=labels | {element: f"#{value}" for element, value in values["id"]},
        readable=readable,
        moved={element for element, style in values["style"] if MOVING.search(style)}
        | {element for element, _ in values["dir"]},
        names=frozenset(groups),
        styled=values["style"],
        hidden=[element for element, value in values["hidden"] if value != _SHOWN],
        referring=referring,
        popovers=[element for element, _ in values["popover"]],
        crowded=crowded,
        _groups=groups,
    )


def _is_address(attribute: str, value: str) -> bool:
    return attribute in ADDRESSES and not is_document(value)


def is_document(value: str) -> bool:
    """Return whether an address contains a document or a program instead of naming one."""
    return ":" in value[:40] and value[:40].lstrip().lower().startswith(_DOCUMENTS)


def _groups(
    ids: Iterable[tuple[Element, str]], classes: Iterable[tuple[Element, str]]
) -> Mapping[str, Sequence[Sequence[Element]]]:
    groups = defaultdict[str, list[list[Element]]](list)
    for element, value in ids:
        groups[f"#{value}"].append([element])
    by_class = defaultdict[str, list[Element]](list)  # attribute value → elements
    for element, value in classes:
        by_class[value].append(element)
    for value, elements in by_class.items():
        for name in class_names(value):
            groups[name].append(elements)
    return groups

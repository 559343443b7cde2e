"""What attributes say of a page's elements, as far as sheets and styles can hide them. Pure, one walk."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import class_names

# Attributes by which an element may name another one that it shows.
NAMING = frozenset(
    {"onclick", "href", "data-target", "data-bs-target", "for", "aria-controls", "data-id", "data-for"}
)
_SHOWN = "until-found"  # of the attribute ``hidden``: a search in the page shows it


@dataclass(frozen=True, slots=True)
class Marked:
    """The names that a page's elements have, and the elements that are marked.

    Attributes:
        names: classes and ids, as selectors write them.
        styled: elements with a style of their own, and the style.
        hidden: elements that an attribute hides.
        referring: elements that may name another one.
    """

    names: AbstractSet[str]
    styled: Sequence[tuple[Element, str]]
    hidden: Sequence[Element]
    referring: Sequence[Element]
    _groups: Mapping[str, Sequence[Sequence[Element]]]  # by name: elements whose whole attribute is the same

    def named(self, name: str) -> list[Element]:
        """Return the elements with a class or an id, as selectors write it."""
        return [element for group in self._groups.get(name, ()) for element in group]


def marked_elements(tree: Tree) -> Marked:
    """Return the marked elements of a page."""
    by_class = defaultdict[str, list[Element]](list)  # by the whole attribute
    groups = defaultdict[str, list[list[Element]]](list)
    styled: list[tuple[Element, str]] = []
    hidden: list[Element] = []
    referring: list[Element] = []
    for element in tree.iter("*"):
        for attribute, value in element.items():
            if attribute == "class":
                by_class[value].append(element)
            elif attribute in NAMING:
                referring.append(element)
            elif attribute == "id":
                groups[f"#{value}"].append([element])
            elif attribute == "style":
                styled.append((element, value))
            elif attribute == "hidden" and value != _SHOWN:
                hidden.append(element)
    for value, elements in by_class.items():
        for name in class_names(value):
            groups[name].append(elements)
    return Marked(frozenset(groups), styled, hidden, referring, groups)

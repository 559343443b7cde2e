"""What attributes say of a page's elements, as far as sheets and styles can hide them. Pure, one walk.

An element that is kept costs several times what one costs that is only looked at, so of those with a class or
an id only the ones are kept that somebody asks for.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from crawler.extraction.parsing import Element, Tree
from crawler.extraction.selectors import class_names

_SHOWN = "until-found"  # of the attribute ``hidden``: a search in the page shows it


@dataclass(frozen=True, slots=True)
class Marked:
    """The names that a page's elements have, and the elements that are marked.

    Attributes:
        names: classes and ids, as selectors write them; none where no element was asked for.
        by_name: the elements of those that were asked for.
        styled: elements with a style of their own, and the style.
        hidden: elements that an attribute hides.
    """

    names: AbstractSet[str]
    by_name: Mapping[str, Sequence[Element]]
    styled: Sequence[tuple[Element, str]]
    hidden: Sequence[Element]


def marked_elements(tree: Tree, wanted: AbstractSet[str]) -> Marked:
    """Return the marked elements of a page.

    Args:
        tree: the page.
        wanted: classes and ids, as selectors write them, whose elements are asked for.
    """
    names = set[str]()
    by_name: dict[str, list[Element]] = {}
    by_class: dict[str, Sequence[list[Element]]] = {}  # by the whole attribute: where its elements are kept
    styled: list[tuple[Element, str]] = []
    hidden: list[Element] = []
    for element in tree.iter("*"):
        for attribute, value in element.items():
            if attribute == "class" and wanted:
                if value not in by_class:
                    classes = dict.fromkeys(class_names(value))
                    by_class[value] = [by_name.setdefault(name, []) for name in classes if name in wanted]
                    names.update(classes)
                for elements in by_class[value]:
                    elements.append(element)
            elif attribute == "id" and wanted:
                names.add(f"#{value}")
                if f"#{value}" in wanted:
                    by_name.setdefault(f"#{value}", []).append(element)
            elif attribute == "style":
                styled.append((element, value))
            elif attribute == "hidden" and value != _SHOWN:
                hidden.append(element)
    return Marked(names, by_name, styled, hidden)

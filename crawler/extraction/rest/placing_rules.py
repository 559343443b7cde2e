"""The declarations of style sheets that move elements. Pure, linear."""

import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from cachetools import LRUCache, cached

from crawler.extraction.marked import MOVING
from system.patterns import re

_MAX_RULE_CHARS = 4_000_000  # maximum characters of a sheet that are searched
_MAX_KEPT_BYTES = 16_000_000  # maximum bytes of sheets that are cached for other pages
_SPAN_BYTES = 200  # approximate bytes of one body and its key
_PROPERTIES = frozenset({
    "order", "left", "top", "right", "bottom", "inset", "float", "position", "margin-left", "margin-top",
    "transform", "translate", "direction", "flex-direction", "flex-flow", "flex-wrap",
    "grid-area", "grid-row", "grid-row-start", "grid-column", "grid-column-start",
})  # fmt: skip
_DECLARATION = re.compile(r"(?<![\w-])([\w-]++)\s*+:\s*+([^;}]*)")
_BODY = re.compile(r"\{([^{}]*)\}")
_MAX_SELECTOR_CHARS = 200  # maximum characters of a selector that is checked
_MAX_SELECTORS_CHARS = 4_000  # maximum characters of the selectors of a rule
_SUBJECT = re.compile(
    r"(?<![\w-])([\w-]*+)((?:[.#][\w\u0080-\uffff-]++)*+)(?::nth-(?:child|of-type)\(\s*+(\d+)\s*+\))?+\s*+\Z"
)

Style: TypeAlias = dict[str, str]
# A class, an id or a tag, and a number among its siblings (0 for any).
_Key: TypeAlias = tuple[str, int]
_Span: TypeAlias = tuple[int, int]


def declarations(text: str) -> Style:
    """Return the declarations in a text that position an element, and those of custom properties."""
    return {
        name: value.strip()
        for raw, value in _DECLARATION.findall(text)
        if (name := raw.lower()) in _PROPERTIES or name.startswith("--")
    }


class PlacingRules:
    """The declarations of sheets that position elements, by the last compound of their selectors.

    A page needs few of them, so they are parsed on demand.

    Args:
        sheets: in the order of the page.

    Attributes:
        has_sibling_numbers: some rules apply to an element with a certain number among its siblings.
        moving: the classes, ids and tags of rules that may move a block among its siblings.
    """

    def __init__(self, sheets: Sequence[str]) -> None:
        self._bodies: dict[_Key, list[tuple[str, Sequence[_Span]]]] = {}
        self._styles: dict[_Key, Style] = {}
        self.moving: set[str] = set()
        for sheet in sheets:
            bodies = _bodies_of(sheet)
            self.moving |= bodies.moving
            for key, spans in bodies.spans.items():
                self._bodies.setdefault(key, []).append((sheet, spans))
        self.has_sibling_numbers = any(sibling_number for _, sibling_number in self._bodies)

    def __bool__(self) -> bool:
        return bool(self._bodies)

    def style_of(self, name: str, sibling_number: int = 0) -> Style:
        """Return the declarations for a class, id or tag, for one number among its siblings or for any."""
        key = (name, sibling_number)
        if key not in self._styles:
            style = self._styles[key] = {}
            for sheet, spans in self._bodies.get(key, ()):
                for start, end in spans:
                    style |= declarations(sheet[start:end])
        return self._styles[key]


class _Bodies(NamedTuple):
    """The offsets of a sheet's declarations by key, the names of what it may move, and its size in bytes."""

    spans: Mapping[_Key, Sequence[_Span]]
    moving: AbstractSet[str]
    size: int


@cached(LRUCache(_MAX_KEPT_BYTES, getsizeof=attrgetter("size")))
def _bodies_of(sheet: str) -> _Bodies:
    """Return the offsets of a sheet's declarations; cached, because pages of a site share their sheets."""
    spans: dict[_Key, list[_Span]] = {}
    moving: set[str] = set()
    end = count = 0
    for body in _BODY.finditer(sheet, 0, _MAX_RULE_CHARS):
        start, end = max(end, body.start() - _MAX_SELECTORS_CHARS), body.end()
        moves = MOVING.search(sheet, *body.span(1)) is not None
        for selector in sheet[start : body.start()].rpartition("{")[2].split(","):
            if key := _key_of(selector.strip()[-_MAX_SELECTOR_CHARS:]):
                spans.setdefault(key, []).append(body.span(1))
                count += 1
                if moves:
                    moving.add(key[0])
    return _Bodies(spans, moving, sys.getsizeof(sheet) + _SPAN_BYTES * count)


def _key_of(selector: str) -> _Key | None:
    """Return the last name or tag of a selector's last compound, and the required sibling number."""
    compound = selector if selector.endswith(")") else selector.rpartition(" ")[2]
    subject = _SUBJECT.search(compound)
    if subject is None:
        return None
    tag, names, sibling_number = subject.groups()
    name = names[max(names.rfind("."), names.rfind("#")) :] if names else tag.lower()
    return name, int(sibling_number or 0)

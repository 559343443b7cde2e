"""Text that style sheets put before and after elements (``content``), judged by each element alone. Pure.

A rule counts for every element with the last class, id, tag or attribute of its selector. This is too often
rather than too rarely, because the text is compared in addition to the page's text.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from crawler.extraction.parsing import Element
from crawler.extraction.rest.chinese import has_chinese
from crawler.extraction.rest.strings import may_have_chinese_strings, unescape_css, word_offsets
from system.patterns import re

_CONTENT = re.compile(
    r"(?<![\w-])content\s*:((?:[^;}\"']++|\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+')*+)",
    re.IGNORECASE | re.DOTALL,
)
_MAX_RULE_CHARS = 4_000  # maximum characters of a rule's selectors and of all declarations before its text
_STRING = re.compile(r"\"((?:[^\"\\]++|\\.)*+)\"|'((?:[^'\\]++|\\.)*+)'|attr\(\s*([\w-]+)[^)]*\)", re.DOTALL)
_ATTRIBUTES = re.compile(r"attr\(\s*([\w-]+)")
_SUBJECT = re.compile(
    r"([\w\u0080-\uffff-]*)((?:[.#][\w\u0080-\uffff-]+|\[[^\]]*\]|:[\w-]+(?:\([^()]*\))?)*)::?(before|after|marker)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[.#][\w\u0080-\uffff-]+")
_ATTRIBUTE = re.compile(r"\[\s*([\w-]+)(?:\s*[~|^$*]?=\s*[\"']?([^\"'\]]*)[\"']?)?")
_MAX_RULES = 5_000


@dataclass(frozen=True, slots=True)
class GeneratedTexts:
    """The texts that sheets generate.

    Attributes:
        keys: a class, id, tag or attribute → (text before, text after).
        attributes: names of attributes that sheets show.
        has_attributes: some keys are attributes.
    """

    keys: dict[str, tuple[str, str]] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    has_attributes: bool = False
    _by_names: dict[tuple[object, ...], Sequence[str]] = field(default_factory=dict)

    def before(self, element: Element) -> str:
        """Return the text that sheets put before an element's text."""
        keys = self._keys_of(element)
        return "".join([self.keys[key][0] for key in keys]) if keys else ""

    def after(self, element: Element) -> str:
        """Return the text that sheets put after an element's text."""
        keys = self._keys_of(element)
        return "".join([self.keys[key][1] for key in keys]) if keys else ""

    def _keys_of(self, element: Element) -> Sequence[str]:
        if self.has_attributes:
            return self._present((*_names_of(element), *_attributes_of(element)))
        names = element.tag, element.get("class"), element.get("id")
        if names not in self._by_names:
            self._by_names[names] = self._present(_names_of(element))
        return self._by_names[names]

    def _present(self, keys: Iterable[str]) -> Sequence[str]:
        return [key for key in dict.fromkeys(keys) if key in self.keys]


def _names_of(element: Element) -> Iterator[str]:
    yield str(element.tag)
    for name, value in element.items():
        if name == "class":
            yield from (f".{word}" for word in value.split())
        elif name == "id":
            yield f"#{value}"


def _attributes_of(element: Element) -> Iterator[str]:
    for name, value in element.items():
        if name not in {"class", "id"}:
            yield f"[{name}]"
            yield f"[{name}={value}]"


def generated_texts(sheets: Iterable[str]) -> GeneratedTexts:
    """Return the texts that sheets generate, and the attributes that they show."""
    keys: dict[str, tuple[str, str]] = {}
    attributes: set[str] = set()
    rules = 0
    for sheet in sheets:
        if "attr(" in sheet:
            attributes.update(_ATTRIBUTES.findall(sheet))
        if not may_have_chinese_strings(sheet):
            continue
        end = 0
        for at in word_offsets(sheet, b"content"):
            content = _CONTENT.match(sheet, at) if at >= end else None
            if content is None:
                continue
            end = content.end()
            text = _content_of(content[1])
            rules += bool(text)
            if not text or rules > _MAX_RULES:
                continue
            for key, is_after in _subjects(_selectors_before(sheet, content.start())):
                before, after = keys.get(key, ("", ""))
                keys[key] = (before, text) if is_after else (text, after)
    return GeneratedTexts(keys, frozenset(attributes), any(key[0] == "[" for key in keys if key))


def _content_of(value: str) -> str:
    if not may_have_chinese_strings(value):
        return ""
    text = unescape_css("".join(double or single for double, single, _ in _STRING.findall(value)))
    return text if has_chinese(text) else ""


def _selectors_before(sheet: str, at: int) -> str:
    least = max(0, at - _MAX_RULE_CHARS)
    brace = sheet.rfind("{", least, at)
    start = max(sheet.rfind(mark, least, brace) for mark in "{};") if brace >= 0 else -1
    return sheet[max(start + 1, least) : brace] if brace >= 0 else ""


def _subjects(selectors: str) -> Iterable[tuple[str, bool]]:
    """Yield the key of each selector's last compound, and whether its text follows the element."""
    for tag, rest, side in _SUBJECT.findall(selectors):
        name = _NAME.search(rest)
        attribute = _ATTRIBUTE.search(rest)
        if name is not None:
            key = name[0]
        elif attribute is not None:
            key = f"[{attribute[1]}={attribute[2]}]" if attribute[2] else f"[{attribute[1]}]"
        else:
            key = tag.lower()
        yield key, side.lower() == "after"

"""Addresses that buttons open: in a script, in a ``data-`` attribute, or by a form. Pure, linear.

``<button onclick="location.href='/b/7_2.html'">下一页</button>`` leads to the next page like a link.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from crawler.extraction.parsing import Element, Tree, XPath, label_of

_BUTTONS = XPath(
    "//*[self::a or self::button or self::input or self::span or self::div or self::li or self::p]"
    "[@onclick or @data-href or @data-url or @data-link or @formaction or starts-with(@href, 'javascript:')]"
)
_ADDRESSES = ("data-href", "data-url", "data-link", "formaction")
# an address in a script has a slash, a dot or a query
_STRING = re.compile(r"[\"']((?=[^\"']{0,500}[/.?])[^\"'\s<>()]{1,500})[\"']")
# "/b/7_" + n + ".html" in a script: the parts before and after the number of the page
_NUMBERED = re.compile(
    r"[\"']([^\"'\s<>]{0,300}?)[\"']\s*\+\s*[\w$.]{1,40}(?:\s*\+\s*[\"']([^\"'\s<>]{0,40})[\"'])?"
)
_MAX_LABEL_CHARS = 20
_MAX_BUTTONS = 2_000
_MAX_FORMS = 20
_MAX_STRINGS = 20
_MAX_CALL_CHARS = 1_000  # maximum characters of a script that a button runs
_MAX_TEMPLATES = 100
_MAX_SCRIPT_CHARS = 20_000
_SUBMITS = frozenset({"submit", "button", "image"})


class Button(NamedTuple):
    """A button with its label, narrow and without white space, and the address as written."""

    label: str
    address: str


def buttons_of(tree: Tree) -> Iterator[Button]:
    """Yield the buttons of a page that open an address."""
    for element in islice(_BUTTONS(tree), _MAX_BUTTONS):
        label = _label(element)
        if 0 < len(label) <= _MAX_LABEL_CHARS:
            yield from (Button(label, address) for address in _addresses(element))
    for form in islice(tree.iter("form"), _MAX_FORMS):
        yield from _buttons_of_form(form)


def numbered_addresses(tree: Tree, number: int) -> Iterator[str]:
    """Yield the addresses that scripts build from the number of a page."""
    scripts = [script.text or "" for script in tree.iter("script")]
    scripts += [value for menu in tree.iter("select") if (value := menu.get("onchange"))]
    for text in scripts:
        if "location" not in text:
            continue
        for template in islice(_NUMBERED.finditer(text[:_MAX_SCRIPT_CHARS]), _MAX_TEMPLATES):
            yield f"{template[1]}{number}{template[2] or ''}"


def _label(element: Element) -> str:
    text = (element.get("value") or "") if element.tag == "input" else label_of(element)
    return "".join(unicodedata.normalize("NFKC", text[: 4 * _MAX_LABEL_CHARS]).split())


def _addresses(element: Element) -> Iterator[str]:
    yield from (value for name in _ADDRESSES if (value := element.get(name)))
    href = element.get("href") or ""
    for script in (element.get("onclick") or "", href if href.startswith("javascript:") else ""):
        strings = _STRING.finditer(script[:_MAX_CALL_CHARS])
        yield from (string[1] for string in islice(strings, _MAX_STRINGS))


def _buttons_of_form(form: Element) -> Iterator[Button]:
    """Yield the buttons of a form that sends its hidden fields with GET."""
    if (form.get("method") or "get").lower() != "get":
        return
    inputs = list(form.iter("input", "button"))
    fields = [(field.get("name") or "", field.get("value") or "") for field in inputs if _is_hidden(field)]
    action = form.get("action") or ""
    query = urlencode([(name, value) for name, value in fields if name])
    address = f"{action}{'&' if '?' in action else '?'}{query}" if query else action
    for button in inputs:
        is_submit = button.tag == "button" or (button.get("type") or "").lower() in _SUBMITS
        if is_submit and address and (label := _label(button)):
            yield Button(label, address)


def _is_hidden(field: Element) -> bool:
    return (field.get("type") or "").lower() == "hidden"

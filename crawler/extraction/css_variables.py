"""Custom properties of a page, substituted where its sheets and styles use them. Pure, linear.

A property with a single value on the whole page is substituted everywhere. If it has several values, only a
browser knows which one applies, so its uses stay unknown.
"""

import re
from collections.abc import Iterable, Mapping

_DEFINITION = re.compile(r"(--[\w-]{1,100})\s*:\s*([^;{}]{0,200}?)\s*(?=[;}]|$)")
_USE = re.compile(r"var\(\s*(--[\w-]{1,100})\s*(?:,\s*([^()]{0,200}))?\)")
_MAX_DEPTH = 3  # maximum depth of variables inside variables


def variables_of(texts: Iterable[str]) -> dict[str, str]:
    """Return the custom properties that have a single value in all sheets and styles of a page."""
    values: dict[str, set[str]] = {}
    for text in texts:
        if "--" in text:
            for name, value in _DEFINITION.findall(text):
                values.setdefault(name, set()).add(value.removesuffix("!important").strip())
    return {name: next(iter(several)) if len(several) == 1 else "" for name, several in values.items()}


def substitute_variables(text: str, variables: Mapping[str, str]) -> str:
    """Return a sheet or style with the values of its variables, as far as they are certain."""
    if "var(" not in text:
        return text
    for _ in range(_MAX_DEPTH):
        text, count = _USE.subn(lambda use: _value(use, variables), text)
        if not count:
            break
    return text


def _value(use: re.Match[str], variables: Mapping[str, str]) -> str:
    value = variables.get(use[1])
    if value is None and use[2] is not None:
        return use[2]
    return value or use[0]

"""Style sheets split into rules and rules into declarations, after CSS Syntax Level 3. Pure, linear.

Strings, comments, addresses, escapes, brackets and nested rules are read as browsers read them, so a brace in
a string or in ``url(…)`` ends nothing. Groups that do not apply to a screen are left out. Rules in groups
that only a browser can decide (``@container``, unknown media features) are marked as uncertain.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

from crawler.extraction.encoded_data import decode_data
from crawler.extraction.media import media_apply, supports
from system.patterns import re

_STRUCTURE = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*+(?:\"|\n|\Z)|'(?:[^'\\\n]|\\.)*+(?:'|\n|\Z)"
    r"|\burl\(\s*+(?![\"'\s])[^)]*+(?:\)|\Z)"
    r"|\\.|[{}()\[\];]",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(
    r"/\*.*?(?:\*/|\Z)|(\"(?:[^\"\\\n]|\\.)*+(?:\"|\n|\Z)|'(?:[^'\\\n]|\\.)*+(?:'|\n|\Z))", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(\r\n|[\n\r\f])|(.))", re.DOTALL)
_SURROGATES = range(0xD800, 0xE000)
_STRING = r"\"(?:[^\"\\\n]++|\\[^\n])*+\"|'(?:[^'\\\n]++|\\[^\n])*+'"
_BRACKETS = rf"\(\s*+(?:{_STRING})?+[^{{}}\"'\\()\[\]@*]*+\)"
# Simple text without strings, comments or brackets: declarations, one declaration, a rule.
_PLAIN = rf"(?:[^{{}}\"'\\(\[/@)\]]++|{_STRING}|{_BRACKETS})*+"
_PLAIN_BODY = re.compile(_PLAIN)
_PLAIN_DECLARATION = re.compile(rf"(?:[^;{{}}\"'\\(\[/@)\]]++|{_STRING}|{_BRACKETS})++")
_PLAIN_RULE = re.compile(
    r"(?:\s++|/\*[^*]*+\*++(?:[^*/][^*]*+\*++)*+/)*+"
    r"(?P<selectors>(?![-@])(?:[^{}@;\"'\\/()\[\]<]++|\([^{};\"'\\/()\[\]]*+\))++)"
    rf"\{{(?P<body>{_PLAIN})\}}"
)
_BRACKET = re.compile(r"[\"'(\\/{\[]")  # brackets, or anything else that may contain a semicolon
_CLOSERS = {"{": "}", "(": ")", "[": "]"}
_AT_NAME = re.compile(r"@(-?[\w-]+)\s*")
_CUSTOM = re.compile(r"(?:\s|/\*.*?\*/)*+--[^\s:]*\s*:", re.DOTALL)
_IMPORT = re.compile(
    r"@import\s+(?:url\(\s*)?([\"']?)data:text/css(?P<options>[^,\"')]*),(?P<data>.*?)\1\s*\)?\s*(?P<media>[^)\"']*)$",
    re.IGNORECASE | re.DOTALL,
)
_KEYFRAMES = frozenset({"keyframes", "-webkit-keyframes"})
_CONDITIONS = frozenset({"media", "supports", "layer", "container", "scope", "starting-style"})
_SELECTOR = re.compile(
    r"(?:[^,(\[\"']++|\((?:[^()]|\([^()]*+\))*+\)|\[[^\[\]]*+\]|\"[^\"]*+\"|'[^']*+'|[(\[\"'])++"
)
_AROUND_RULES = frozenset({"sheet", "group"})
_MAX_NESTED = 20  # maximum depth of nested rules
_MAX_NESTED_SELECTORS = 50  # maximum number of selectors of a nested rule, combined with those around it
_MAX_IMPORTED = 2  # maximum depth of imported sheets

Holds: TypeAlias = bool | None  # None if only a browser can decide it


class SheetRule(NamedTuple):
    """A rule of a sheet.

    Attributes:
        selectors: a list of selectors; for keyframes, ``@keyframes`` and their name.
        body: its declarations.
        layer: its cascade layer; empty outside layers.
        is_certain: the groups around it apply; if False, they may apply.
    """

    selectors: str
    body: str
    layer: str = ""
    is_certain: bool = True

    @property
    def keyframes(self) -> str:
        """Return the name of the animation that the declarations belong to; empty for a rule."""
        return self.selectors.partition(" ")[2] if self.selectors.startswith("@keyframes ") else ""


class Declaration(NamedTuple):
    """A declaration: its property in lower case, its value, and whether it is important."""

    name: str
    value: str
    is_important: bool


@dataclass(slots=True)
class _Context:
    """An open block.

    Attributes:
        kind: the kind of its content.
        selectors: selectors of a rule, combined with those around it.
        holds: whether the block and the groups around it apply.
        layer: its cascade layer.
        declarations: declarations of a rule so far.
    """

    kind: Literal["sheet", "group", "rule", "frames", "frame", "other"]
    selectors: str = ""
    holds: Holds = True
    layer: str = ""
    declarations: list[str] = field(default_factory=list)


def sheet_rules(text: str, *, depth: int = 0) -> Iterator[SheetRule]:
    """Yield the rules of a sheet that may apply to screens; broken ends are read as browsers do."""
    contexts = [_Context("sheet")]
    for number, (piece, end, body) in enumerate(_pieces(text, with_rules=True)):
        context = contexts[-1]
        if end == ";":
            yield from _end_statement(context, piece, depth)
        elif end == "{}":
            yield from _whole_rule(context, piece.strip(), body.strip(), len(contexts))
        elif end == "{":
            yield from _flushed(context)
            contexts.append(_opened(context, _without_comments(piece), len(contexts), number))
        elif len(contexts) > 1:  # the block ends here (open blocks also end with the sheet)
            context.declarations.append(piece)
            yield from _flushed(context)
            contexts.pop()


def _whole_rule(context: _Context, selectors: str, body: str, depth: int) -> Iterator[SheetRule]:
    if context.kind in _AROUND_RULES and depth <= _MAX_NESTED and "--" not in selectors:
        if body and context.holds is not False:
            yield SheetRule(selectors, body, context.layer, context.holds is True)
        return
    yield from _flushed(context)
    block = _opened(context, selectors, depth, number=0)
    block.declarations.append(body)
    yield from _flushed(block)


def _pieces(text: str, *, with_rules: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield the texts between semicolons and braces, with the mark that ends each; empty for the last.

    Marks inside brackets, strings, comments and addresses do not count, nor does a block as the value of a
    custom property. With ``with_rules``, a plain rule is yielded at once: its selectors, ``{}`` and its
    declarations.
    """
    closers: list[str] = []  # the closing marks of open brackets
    start = position = 0
    while True:
        while with_rules and start == position and (rule := _PLAIN_RULE.match(text, start)):
            yield rule["selectors"], "{}", rule["body"]
            start = position = rule.end()
        if not (token := _STRUCTURE.search(text, position)):
            break
        position = token.end()
        char = token[0]
        if len(char) > 1:
            continue
        if closers:
            if char == closers[-1]:
                closers.pop()
            elif char in _CLOSERS:
                closers.append(_CLOSERS[char])
        elif char in "([" or (char == "{" and _CUSTOM.match(text, start, token.start())):
            closers.append(_CLOSERS[char])
        elif char in ";{}":
            yield text[start : token.start()], char, ""
            start = position
    yield text[start:], "", ""


def _opened(around: _Context, prelude: str, depth: int, number: int) -> _Context:
    if around.kind == "sheet" and "--" in prelude:  # an HTML comment, which old pages put around their sheets
        prelude = prelude.replace("<!--", "").replace("-->", "").strip()
    at = _AT_NAME.match(prelude)
    if around.kind == "frames":
        return _Context("frame", around.selectors, around.holds, around.layer)
    if around.kind == "other" or around.holds is False or depth > _MAX_NESTED:
        return _Context("other", holds=False)
    if at is None:
        selectors = prelude if around.kind != "rule" and not around.selectors else ""
        selectors = selectors or _nested(around.selectors, prelude)
        return _Context("rule", selectors, around.holds, around.layer)
    name, condition = at[1].lower(), prelude[at.end() :].strip()
    if name in _KEYFRAMES:
        animation = condition.strip("\"'")
        return _Context("frames", f"@keyframes {animation}", around.holds, around.layer)
    if name not in _CONDITIONS:
        return _Context("other", holds=False)
    layer = around.layer
    if name == "layer":
        layer = f"{layer}.{condition or number}".lstrip(".")
    holds = _both(around.holds, _condition(name, condition))
    kind: Literal["rule", "group"] = "rule" if around.kind == "rule" else "group"
    return _Context(kind, around.selectors, holds, layer)


def _condition(name: str, condition: str) -> Holds:
    if name == "media":
        return media_apply(condition)
    if name == "supports":
        return supports(condition)
    return {"layer": True, "starting-style": False}.get(name)


def _both(first: Holds, second: Holds) -> Holds:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _end_statement(context: _Context, text: str, depth: int) -> Iterator[SheetRule]:
    if context.kind in {"rule", "frame"}:
        context.declarations.append(text)
        return
    imported = (
        _IMPORT.search(_without_comments(text)) if depth < _MAX_IMPORTED and "@import" in text else None
    )
    if imported is not None and context.kind == "sheet" and media_apply(imported["media"]) is not False:
        data = imported["data"]
        encoded = decode_data(data) if "base64" in imported["options"] else unquote(data)
        yield from sheet_rules(encoded or "", depth=depth + 1)
    elif text.lstrip().startswith("@layer"):
        for name in text.lstrip()[6:].split(","):
            yield SheetRule("@layer", "", f"{context.layer}.{name.strip()}".lstrip("."))


def _flushed(context: _Context) -> Iterator[SheetRule]:
    body = ";".join(filter(None, map(str.strip, context.declarations)))
    context.declarations.clear()
    if body and context.kind in {"rule", "frame"} and context.selectors and context.holds is not False:
        yield SheetRule(context.selectors, body, context.layer, context.holds is True)


def _nested(around: str, selectors: str) -> str:
    if not around:
        return selectors
    inner = [selector.strip() for selector in split_selectors(selectors)]
    outer = [selector.strip() for selector in split_selectors(around)]
    pairs = (
        selector.replace("&", parent) if "&" in selector else f"{parent} {selector}"
        for selector in inner
        for parent in outer
    )
    return ", ".join(islice(pairs, _MAX_NESTED_SELECTORS))


def split_selectors(selectors: str) -> list[str]:
    """Return the selectors of a selector list."""
    return _SELECTOR.findall(selectors) if "," in selectors else [selectors]


def _without_comments(text: str) -> str:
    """Return a text without comments and surrounding white space."""
    return (_COMMENT.sub(lambda match: match[1] or " ", text) if "/*" in text else text).strip()


def declarations(body: str) -> Iterator[Declaration]:
    """Yield the declarations of a body or a ``style`` attribute."""
    return filter(None, map(declaration, split_body(body)))


def declaration(text: str) -> Declaration | None:
    """Return the declaration in a text between semicolons; None if it is not one."""
    name, colon, value = _without_comments(text).partition(":")
    if not colon:
        return None
    name = unescape_css(name).strip()
    value, is_important = _without_importance(value.strip())
    return Declaration(name if name.startswith("--") else name.lower(), value, is_important)


def split_body(body: str) -> Iterable[str]:
    """Return the texts between the semicolons of a body."""
    if _BRACKET.search(body) is None:
        return body.split(";")
    return _PLAIN_DECLARATION.findall(body) if _PLAIN_BODY.fullmatch(body) else _declaration_texts(body)


def _declaration_texts(body: str) -> Iterator[str]:
    kept = ""
    for piece, end, _ in _pieces(body):
        kept += piece
        if end in {";", ""}:
            yield kept
            kept = ""
        else:  # a brace that belongs to a broken declaration
            kept += end


def _without_importance(value: str) -> tuple[str, bool]:
    head, mark, tail = value.rpartition("!")
    is_important = bool(mark) and tail.strip().lower() == "important"
    return (head.strip() if is_important else value), is_important


def unescape_css(text: str) -> str:
    """Return a text with its escapes resolved: 了 for its hexadecimal code point."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        point = int(escape[1], 16)
        is_character = 0 < point <= sys.maxunicode and point not in _SURROGATES
        return chr(point) if is_character else "\ufffd"
    return escape[3] or ""

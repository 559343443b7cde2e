"""Chinese in scripts, JSON and style sheets, with any escapes. Pure, linear.

A script has no lines. Each of its texts begins with a Chinese character, plain or escaped, and ends with its
string. Comments and code are read in the same way, because a page may show them. Strings that are encoded as
a whole, or that are JSON, are decoded first.
"""

from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from crawler.extraction.encoded_data import decode_data
from crawler.extraction.kept_results import keep_by_text
from crawler.extraction.rest.chinese import CHINESE, chinese_lines, count_chinese, has_chinese
from crawler.extraction.script_strings import LITERAL, content_of, unescape_literal
from system.patterns import re

_MAX_NESTED = 4  # maximum depth of texts inside texts
_MAX_NESTED_MARKUP = 2
_ESCAPED_HAN = r"\\+u(?:[2-9a-fA-F][0-9a-fA-F]{3}|\{0*[2-9a-fA-F][0-9a-fA-F]{3,4}\})"
_HAS_ESCAPES = re.compile(
    r"\\(?:\\*u(?:[2-9a-fA-F][0-9a-fA-F]{3}|\{0*[2-9a-fA-F][0-9a-fA-F]{3,4}\})|x[eE][4-9])"
)
_REST_OF_STRING = r"(?:[^\"'`\\\n]++|\\(?:.|\n))*+"
_PLAIN = re.compile(rf"[{CHINESE}]{_REST_OF_STRING}")
_ESCAPED = re.compile(rf"(?:[{CHINESE}]|\\x[eE][4-9]|{_ESCAPED_HAN}){_REST_OF_STRING}")
_ENTITIES = re.compile(rf"&#(?:x[2-9a-f][0-9a-f]{{3,4}}|[12345]?\d{{4}});?{_REST_OF_STRING}", re.IGNORECASE)
_BASE64 = re.compile(r"[\"'`]([A-Za-z0-9+/_-]{60,}={0,2})[\"'`]")
_PERCENT = re.compile(r"%(?:[eE][3-9]|u[3-9a-fA-F])(?:[^\"'`\n%]{0,20}+%[0-9a-fA-Fu]{2})++[^\"'`\n%]{0,20}")
_JSON = re.compile(r"\s*[\[{]")
_BYTES = re.compile(r"(?:\\x[0-9a-fA-F]{2}){3,}")
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
# Escapes of Chinese characters. Most sheets only have escapes of icons and quotation marks.
_HAS_CSS_ESCAPES = re.compile(
    r"\\0{0,2}(?:(?:2[eEfF]|[3-9][0-9a-fA-F]|[fF][9aA])[0-9a-fA-F]{2}|2[0-9a-fA-F]{4})"
)
_CSS_STRING = re.compile(r"\"((?:[^\"\\]++|\\.)*+)\"|'((?:[^'\\]++|\\.)*+)'", re.DOTALL)
_CSS_COMMENT = re.compile(r"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
# Prose outside strings, because a page may show a style element.
_SHEET_PROSE = re.compile(rf"[{CHINESE}“「](?:[{CHINESE}]|[，。！？；：、…—“”‘’「」《》]){{11,}}")
_FONT = re.compile(
    r"[{;]\s*font(?:-family)?\s*:[^\"';{}]*(?:(?:\"[^\"]*\"|'[^']*')[^\"';{}]*)*\Z", re.IGNORECASE
)
_MAY_BE_MARKUP = re.compile(r"<[a-zA-Z]|\\(?:u003|x3)[cC]")
_MAX_JOINT_CHARS = 20  # maximum characters between two strings that are concatenated
# A Chinese character in JSON, a style sheet, a character reference or an address.
_MAY_STAND_FOR_CHINESE = re.compile(
    r"\\(?:u[3-9a-fA-F]|0{0,2}[3-9a-fA-F])[0-9a-fA-F]{3}|&#x?[0-9a-fA-F]{4}|%(?:25)*[eE][3-9]"
)
_ENCODED_DOCUMENT = re.compile(r"data:(?:text/|image/svg[^,\"'()]{0,60};base64,)")
_MIN_MARKUP_CHINESE = 20  # minimum Chinese characters in markup that is read as a document
_MAX_FONT_CHARS = 40  # maximum characters of an escaped font name
_MAX_FONTS_CHARS = 200  # maximum characters of the other font names before it
_CSS_LINE = re.compile(r"\\[aA]\s")  # the escape of a line break in a string


@keep_by_text
def script_lines(script: str) -> tuple[str, ...]:
    """Return the lines of Chinese in a script or JSON, in order, then those of its encoded strings."""
    return tuple(_script_lines(script, _MAX_NESTED))


def _script_lines(script: str, depth: int) -> Iterator[str]:
    has_escapes = "\\" in script and _HAS_ESCAPES.search(script) is not None
    if has_escapes or not script.isascii():
        for match in (_ESCAPED if has_escapes else _PLAIN).finditer(script):
            yield from _string_lines(match[0], depth)
    elif "&#" in script:
        for match in _ENTITIES.finditer(script):
            yield from chinese_lines(match[0])
    if depth:
        for match in _BASE64.finditer(script):
            yield from encoded_lines(match[1], depth - 1)
        if "%" in script:
            for match in _PERCENT.finditer(script):
                yield from encoded_lines(match[0], depth - 1)


@keep_by_text
def markup_strings(script: str) -> tuple[str, ...]:
    """Return the strings of a script or JSON that are markup with Chinese; concatenated strings as one."""
    return tuple(_markup_strings(script, _MAX_NESTED_MARKUP))


def _markup_strings(script: str, depth: int) -> Iterator[str]:
    if not _MAY_BE_MARKUP.search(script):
        return
    if "+" not in script and script.isascii() and not _may_stand_for_chinese(script):
        return
    for content in _joined_literals(script):
        if len(content) < _MIN_MARKUP_CHINESE or not _MAY_BE_MARKUP.search(content):
            continue
        text = unescape_literal(content)
        if depth and _JSON.match(text):
            yield from _markup_strings(text, depth - 1)
        elif is_chinese_markup(text):
            yield text


def _joined_literals(script: str) -> Iterator[str]:
    """Yield the contents of a script's strings; concatenated strings as one."""
    pieces: list[str] = []
    end = 0
    for literal in LITERAL.finditer(script):
        start = literal.start()
        if pieces and (start - end > _MAX_JOINT_CHARS or script[end:start].strip() != "+"):
            yield "".join(pieces)
            pieces.clear()
        pieces.append(content_of(literal))
        end = literal.end()
    yield "".join(pieces)


def _may_stand_for_chinese(script: str) -> bool:
    return _MAY_STAND_FOR_CHINESE.search(script) is not None or _ENCODED_DOCUMENT.search(script) is not None


def is_chinese_markup(text: str) -> bool:
    """Return whether a text is markup with more than a few Chinese characters, even if encoded."""
    if "<" not in text:
        return False
    if count_chinese(text) >= _MIN_MARKUP_CHINESE or _ENCODED_DOCUMENT.search(text):
        return True
    return sum(1 for _ in _MAY_STAND_FOR_CHINESE.finditer(text)) >= _MIN_MARKUP_CHINESE


def _string_lines(literal: str, depth: int) -> Iterator[str]:
    text = unescape_literal(_BYTES.sub(_utf8_bytes, literal))
    if depth and "\\" in text and _HAS_ESCAPES.search(text):  # JSON inside JSON
        text = unescape_literal(text)
    if depth and '":' in text:
        yield from _script_lines(text, depth - 1)
    else:
        yield from chinese_lines(text)


def _utf8_bytes(escapes: re.Match[str]) -> str:
    """Return the text of escaped bytes if they are UTF-8, otherwise the escapes."""
    try:
        return bytes.fromhex(escapes[0].replace("\\x", "")).decode()
    except UnicodeDecodeError:
        return escapes[0]


def encoded_lines(text: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    """Yield the lines of Chinese in a percent-encoded or base64 text."""
    decoded = decode_data(text)
    if decoded is None and "%" in text:
        decoded = unquote(text, errors="ignore")
    if decoded is not None and decoded != text:
        yield from data_lines(decoded, depth)


def data_lines(text: str, depth: int = _MAX_NESTED) -> Iterator[str]:
    """Yield the lines of Chinese in an attribute's value: a text, JSON, or encoded text."""
    if _JSON.match(text) and ('"' in text or "'" in text):
        yield from _script_lines(text, depth)
        return
    if has_chinese(text) or "&#" in text:
        yield from chinese_lines(text)
    elif depth and "\\" in text and _HAS_ESCAPES.search(text):
        yield from _script_lines(text, depth - 1)
    if depth and text.isascii():
        yield from encoded_lines(text, depth - 1)


def word_offsets(sheet: str, *words: bytes) -> Iterator[int]:
    """Yield the offsets of words of lower-case ASCII in a sheet, ignoring case, word by word.

    This is many times as fast as a regular expression that ignores case.
    """
    lowered = lowered_sheet(sheet)
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            yield at
            at = lowered.find(word, at + 1)


@lru_cache(maxsize=16)  # cached, because a sheet is searched several times in succession
def lowered_sheet(sheet: str) -> bytes:
    """Return a sheet in lower case, with one byte for each character."""
    return sheet.encode("ascii", "replace").lower()


def may_have_chinese_strings(sheet: str) -> bool:
    """Return whether a style sheet may contain Chinese, plain or escaped."""
    return not sheet.isascii() or ("\\" in sheet and _HAS_CSS_ESCAPES.search(sheet) is not None)


def unescape_css(text: str) -> str:
    """Return a style sheet's string with its escapes resolved."""
    return _CSS_ESCAPE.sub(_css_character, _CSS_LINE.sub("\n", text)) if "\\" in text else text


def _css_character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return "" if escape[2] == "\n" else escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"  # noqa: PLR2004


def _is_font_name(sheet: str, start: int, text: str) -> bool:
    """Return whether a short string of a sheet is in a font declaration."""
    return (
        len(text) <= _MAX_FONT_CHARS
        and _FONT.search(sheet, max(0, start - _MAX_FONTS_CHARS), start) is not None
    )


@keep_by_text
def sheet_lines(sheet: str) -> tuple[str, ...]:
    """Return the lines of Chinese in the strings of a style sheet, in order; comments last."""
    return tuple(_sheet_lines(sheet))


def _sheet_lines(sheet: str) -> Iterator[str]:
    if not may_have_chinese_strings(sheet):
        return
    plain = _CSS_COMMENT.sub(" ", sheet)
    yield from _SHEET_PROSE.findall(plain) if not plain.isascii() else ()
    for match in _CSS_STRING.finditer(plain):
        text = match[1] or match[2] or ""
        if may_have_chinese_strings(text) and not _is_font_name(plain, match.start(), text):
            yield from chinese_lines(unescape_css(text))
    for comment in _CSS_COMMENT.findall(sheet):
        yield from chinese_lines(comment)

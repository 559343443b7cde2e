"""The string literals of scripts, and the text that their escapes encode. Pure."""

from crawler.extraction.result import storable_text
from system.patterns import re

# Strings and comments, so a quote inside one starts no other. Only template strings span lines, so a
# misread quote does no harm beyond its line. Each part is possessive: read once. The pattern begins
# with one set, so the regex engine skips to its characters.
LITERAL = re.compile(
    r"""["'`/](?:(?<=(?<!\\)")((?:[^"\\\n]++|\\.)*+)"|(?<=(?<!\\)')((?:[^'\\\n]++|\\.)*+)'"""
    r"""|(?<=(?<!\\)`)((?:[^`\\]++|\\.)*+)`|(?<=/)/[^\n]*+|(?<=/)\*(?:[^*]++|\*(?!/))*+)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": "", "v": "", "0": "", "\n": ""}


def content_of(literal: re.Match[str]) -> str:
    """Return the text between the quotes of a match; empty for a comment."""
    return literal[1] or literal[2] or literal[3] or ""


def has_content(literal: re.Match[str], min_chars: int) -> bool:
    """Return whether a match can have at least ``min_chars`` characters between its quotes."""
    start, end = literal.span()
    return end - start >= min_chars + 2


def unescape_literal(literal: str) -> str:
    """Return the text that a literal's content encodes, storable."""
    if "\\" not in literal:
        return storable_text(literal)
    text = _ESCAPE.sub(_character, literal)
    pairs = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return storable_text(pairs)


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code is None:
        return _LETTERS.get(escape[4], escape[4])
    return chr(min(int(code, 16), 0x10FFFF))

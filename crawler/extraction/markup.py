"""Mark-up that would make a parser slow, big or blind, made bearable before it is parsed. Pure, linear.

libxml2 takes quadratic time for the attributes of one tag (40,000 of them take ten seconds) and throws away
whatever stands deeper than 2,047 elements; each element takes a hundred bytes in it and some hundred here.
No page that was looked at has more than 6,000 elements or 30 attributes in a tag. What goes beyond is taken
out of the mark-up, never out of the text: a tag that is left out becomes a line break or nothing.
"""

import re

MAX_TAGS = 200_000
MAX_ATTRIBUTES = 200  # of a tag
MAX_DEPTH = 250  # elements in each other where a page goes beyond what the parser takes

# No group catches anything in these, for re (3.11) loses count of groups behind possessive repeats; each
# piece is possessive, so that nothing is ever read twice.
_ATTRIBUTE = (
    r"[\s/]*+[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>\"'][^\s>]*+)?+)?+"
)
_TAG = r"[a-zA-Z][^\s/>]*+"
_END = r"[\s/]*+(?:>|\Z)"
_RAW_NAMES = ("script", "style", "textarea", "title")
_COMMENT = r"<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)"
_CLOSING = r"</[^>]*+(?:>|\Z)"
_OTHER = r"<(?![a-zA-Z/]|!--)"


def _raw(attributes: str) -> str:
    """Return a pattern for elements whose content is no mark-up."""
    return "|".join(
        rf"<{name}\b(?:{_ATTRIBUTE}){attributes}{_END}(?:[^<]++|<(?!/{name}\b))*+(?:</{name}\b|\Z)"
        for name in _RAW_NAMES
    )


def _opening(attributes: str) -> str:
    """Return a pattern for opening tags."""
    return rf"<(?!(?:{'|'.join(_RAW_NAMES)})\b){_TAG}(?:{_ATTRIBUTE}){attributes}{_END}"


_REPEATED = rf"{{0,{MAX_ATTRIBUTES}}}+"
_ORDINARY = re.compile(
    rf"(?:[^<]++|{_COMMENT}|{_raw(_REPEATED)}|{_opening(_REPEATED)}|{_CLOSING}|{_OTHER})*+", re.IGNORECASE
)
_TOKEN = re.compile(rf"{_COMMENT}|{_raw('*+')}|{_opening('*+')}|{_CLOSING}", re.IGNORECASE)
_HEAD = re.compile(rf"<{_TAG}(?:{_ATTRIBUTE}){_REPEATED}", re.IGNORECASE)
_LINK = re.compile(r"[\s/]href\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)", re.IGNORECASE)
_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")
_RAW_TAG = re.compile(rf"<(?:{'|'.join(_RAW_NAMES)})\b", re.IGNORECASE)
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
# A parser ends these by itself where the next one begins, so they do not stand in each other.
_ENDING = frozenset(("p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "option"))
_INLINE = frozenset(
    ("a", "abbr", "b", "big", "code", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup", "u")
)


def is_ordinary(text: str) -> bool:
    """Return whether a parser can bear a page's mark-up, but for its depth."""
    if text.count("<") > MAX_TAGS:
        return False
    whole = _ORDINARY.match(text)
    return whole is not None and whole.end() == len(text)


def simplified(text: str, *, depth: int = MAX_DEPTH) -> str:
    """Return a page with no more tags, attributes and elements in each other than a parser can bear.

    Args:
        text: the page's mark-up.
        depth: that is left.
    """
    tags = _Tags(depth)
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        pieces += (text[at : token.start()], tags.kept(token[0]))
        at = token.end()
        if tags.count > MAX_TAGS:
            return "".join((*pieces, _TOKEN.sub(" ", text[at:])))
    return "".join((*pieces, text[at:]))


class _Tags:
    """What is kept of one tag after another.

    Attributes:
        count: of the tags so far, as many as a parser gets to see.
    """

    def __init__(self, depth: int) -> None:
        self.count = 0
        self._most = depth
        self._open = 0  # elements that are kept …
        self._dropped = 0  # … and that are not

    def kept(self, token: str) -> str:
        """Return what stands in a token's place."""
        name = _NAME.match(token)
        if name is None:  # a comment, or the end of nothing
            return ""
        self.count += 1
        if _RAW_TAG.match(token):
            return token
        lower = name[1].lower()
        if token.startswith("</"):
            return self._closed(token, lower)
        if lower not in _EMPTY and lower not in _ENDING:
            if self._open >= self._most:
                self._dropped += 1
                return "" if lower in _INLINE else "<br>"
            self._open += 1
        head = _HEAD.match(token)
        if head is None:
            return token
        link = _LINK.search(token, head.end())  # of all attributes the one that must not be lost
        return f"{head[0]}{link[0] if link else ''}>"

    def _closed(self, token: str, name: str) -> str:
        if name in _ENDING or name in _EMPTY:
            return token
        if self._dropped:
            self._dropped -= 1
            return "" if name in _INLINE else "<br>"
        self._open = max(0, self._open - 1)
        return token

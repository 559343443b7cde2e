"""Simplification of markup that a parser would drop or would read too slowly. Pure, linear.

libxml2 takes quadratic time for the attributes of one tag and drops elements nested deeper than 2,047. The
bounds are far above those of real pages. Markup beyond them is removed, but never text: a removed tag becomes
a line break or nothing.
"""

from system.patterns import re

MAX_TAGS = 200_000
MAX_ATTRIBUTES = 200  # maximum number of attributes of a tag
MAX_DEPTH = 250  # maximum depth of kept elements if a page is too deep for the parser

# No capturing groups, because re in Python 3.11 miscounts groups after possessive quantifiers. Each
# part is possessive, so nothing is read twice.
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
    """Return a pattern for elements whose content is not markup."""
    return "|".join(
        rf"<{name}\b(?:{_ATTRIBUTE}){attributes}{_END}(?:[^<]++|<(?!/{name}\b))*+(?:</{name}\b|\Z)"
        for name in _RAW_NAMES
    )


def _opening(attributes: str) -> str:
    return rf"<(?!(?:{'|'.join(_RAW_NAMES)})\b){_TAG}(?:{_ATTRIBUTE}){attributes}{_END}"


_REPEATED = rf"{{0,{MAX_ATTRIBUTES}}}+"
_ORDINARY = re.compile(
    rf"(?:[^<]++|{_CLOSING}|{_opening(_REPEATED)}|{_raw(_REPEATED)}|{_COMMENT}|{_OTHER})*+".encode(),
    re.IGNORECASE,
)
_ENDS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_BODY = re.compile(rb"<body[\s>]")
_BEHIND_END = re.compile(rb"\A</html\s*>\s*(?!</(?:body|html)\s*>\s*\Z)[^\s]", re.IGNORECASE)
_COMMENTS = re.compile(rb"<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)")
_TOKEN = re.compile(rf"{_COMMENT}|{_raw('*+')}|{_opening('*+')}|{_CLOSING}", re.IGNORECASE)
_HEAD = re.compile(rf"<{_TAG}(?:{_ATTRIBUTE}){_REPEATED}", re.IGNORECASE)
_LINK = re.compile(r"[\s/]href\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)", re.IGNORECASE)
_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")
_RAW_TAG = re.compile(rf"<(?:{'|'.join(_RAW_NAMES)})\b", re.IGNORECASE)
_EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
# Elements that the parser closes when the next such element begins, so they do not nest.
_SELF_CLOSING = frozenset(("p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "option"))
_INLINE = frozenset(
    ("a", "abbr", "b", "big", "code", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup", "u")
)


def is_ordinary(markup: bytes) -> bool:
    """Return whether a parser can handle a page's markup, in UTF-8, apart from its depth."""
    return markup.count(b"<") <= MAX_TAGS and _ORDINARY.fullmatch(markup) is not None


def without_early_end_tags(markup: bytes) -> bytes:
    """Return a page without the end tags that are followed by more content.

    A browser moves content after the end of a page into the page, and the content of a second body into the
    first. libxml2 drops the former and creates two bodies.
    """
    lowered = markup.lower()
    end = lowered.find(b"</html")
    is_open = end >= 0 and _BEHIND_END.search(_COMMENTS.sub(b"", markup[end:])) is not None
    body_end = lowered.find(b"</body")
    if is_open or (body_end >= 0 and _BODY.search(lowered, body_end) is not None):
        return _ENDS.sub(b"", markup)
    return markup


def simplify(text: str, *, depth: int = MAX_DEPTH) -> str:
    """Return a page with no more tags, attributes and nested elements than a parser can handle.

    Args:
        text: the page's markup.
        depth: number of nested elements that are kept.
    """
    tags = _Tags(depth)
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        pieces += (text[at : token.start()], tags.simplify(token[0]))
        at = token.end()
        if tags.count > MAX_TAGS:
            return "".join((*pieces, _TOKEN.sub(" ", text[at:])))
    return "".join((*pieces, text[at:]))


class _Tags:
    """Simplifies one tag after another.

    Attributes:
        count: number of tags so far.
    """

    def __init__(self, depth: int) -> None:
        self.count = 0
        self._max_depth = depth
        self._open = 0  # number of open elements that were kept
        self._dropped = 0  # number of open elements that were dropped

    def simplify(self, token: str) -> str:
        """Return the replacement of a tag or comment."""
        name = _NAME.match(token)
        if name is None:  # a comment, or a closing tag without a name
            return ""
        self.count += 1
        if _RAW_TAG.match(token):
            return token
        lower = name[1].lower()
        if token.startswith("</"):
            return self._simplify_closing(token, lower)
        if lower not in _EMPTY and lower not in _SELF_CLOSING:
            if self._open >= self._max_depth:
                self._dropped += 1
                return "" if lower in _INLINE else "<br>"
            self._open += 1
        head = _HEAD.match(token)
        if head is None:
            return token
        link = _LINK.search(token, head.end())  # the target of a link is the only attribute that must be kept
        return f"{head[0]}{link[0] if link else ''}>"

    def _simplify_closing(self, token: str, name: str) -> str:
        if name in _SELF_CLOSING or name in _EMPTY:
            return token
        if self._dropped:
            self._dropped -= 1
            return "" if name in _INLINE else "<br>"
        self._open = max(0, self._open - 1)
        return token

"""Make foreign text safe to display: without invisible characters and changes of the reading direction.

A page's author chooses its text, title and URL. With control characters and bidirectional overrides, a report
could show another text than it contains. So each of these characters becomes a visible token. Escaping for
HTML is not done here: the template engine does it everywhere.
"""

import re
from urllib.parse import urlsplit

# C0 and C1 controls except tab and line feed, soft hyphen, joiners, invisible fillers, Arabic letter
# mark, zero-width and direction characters, separators, interlinear marks, byte order mark, lone surrogates,
# shorthand and music controls, tag characters and the supplementary variation selectors.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_LAYOUT = {ord("\t"): "␉", ord("\n"): "␊"}
_C0_END, _CONTROL_PICTURES = 0x20, 0x2400


def visible(text: str) -> str:
    r"""Return the text with visible tokens instead of invisible and direction-changing characters.

    >>> visible("a\x1b\u202eb")
    'a␛[U+202E]b'
    """
    return HIDDEN.sub(_token, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""Return the text like :func:`visible` in one line: tabs and line ends become tokens too.

    >>> one_line("title\n2 pages compared")
    'title␊2 pages compared'
    """
    return visible(text).translate(_LAYOUT)


def _token(hidden: re.Match[str]) -> str:
    code = ord(hidden.group())
    return chr(_CONTROL_PICTURES + code) if code < _C0_END else f"[U+{code:04X}]"


def link_target(url: str) -> str | None:
    """Return the URL if it may become a link: plain http or https, without hidden characters.

    A URL with user information is not linked, because it shows one host and leads to another.
    """
    if HIDDEN.search(url) or re.search(r"[\s\\<>\"'`]", url):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    return url if parts.scheme in {"http", "https"} and host and "@" not in parts.netloc else None

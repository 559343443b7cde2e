"""Prepares the text of sitemaps, feeds and similar lists for an XML parser. Pure."""

import re

_SURROGATE = re.compile(  # the parser would return lone surrogates as invalid UTF-8
    r"&#(?:0*5[567][0-9]{3}|x0*d[89a-f][0-9a-f]{2});", re.IGNORECASE
)
_NO_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r")
# An ampersand that begins no entity, as in many addresses. In CDATA, ampersands are what they are.
_AMPERSAND = re.compile(r"<!\[CDATA\[|\]\]>|&(?!(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{0,31});)")
_BEGIN = re.compile(r"[&<\]]")  # of a token that is replaced, or that begins or ends CDATA
_MAX_TOKEN_CHARS = 64


class XmlCleaner:
    """Cleans a text that comes in pieces: controls, lone surrogates, and ampersands that begin no entity.

    >>> XmlCleaner().clean("<loc>http://a.example/?a=1&b=2&amp;c=3</loc>", is_last=True)
    b'<loc>http://a.example/?a=1&amp;b=2&amp;c=3</loc>'
    """

    def __init__(self) -> None:
        self._rest = ""
        self._is_cdata = False

    def clean(self, text: str, *, is_last: bool = False) -> bytes:
        """Return the next piece in UTF-8; a token at its end that may continue waits for the next piece."""
        text = self._rest + text
        end = len(text) if is_last else _end_of_tokens(text)
        text, self._rest = text[:end], text[end:]
        text = _SURROGATE.sub("\ufffd", _AMPERSAND.sub(self._escape, text))
        return text.encode("utf-8", "replace").translate(None, _NO_CONTROLS)

    def _escape(self, match: re.Match[str]) -> str:
        if match[0] != "&":
            self._is_cdata = match[0] != "]]>"
        return "&amp;" if match[0] == "&" and not self._is_cdata else match[0]


def _end_of_tokens(text: str) -> int:
    match = _BEGIN.search(text, max(0, len(text) - _MAX_TOKEN_CHARS))
    return match.start() if match else len(text)

"""Decoding of data that scripts decode before they show it: percent-encoded, ``escape()``, base64. Pure."""

import base64
import binascii
import re
from urllib.parse import unquote

_SAMPLE = 4_000  # number of characters that decide the encoding
# minimum share of escapes: Chinese consists of escapes only, or of every second one with JSON escapes
_MIN_ESCAPED_SHARE = 0.25
_ESCAPE = re.compile(r"%(?:u([0-9a-fA-F]{4})|([0-9a-fA-F]{2}))")
# The quantifiers are possessive, because two parts of the pattern match white space.
_BASE64 = re.compile(r"[A-Za-z0-9+/_\s-]{100,}+={0,2}\s*+")
_URL_SAFE = str.maketrans("-_", "+/")


def decode_data(text: str) -> str | None:
    """Return the decoded text; None if the text is not encoded, or is not UTF-8 inside."""
    if _is_escaped(text):
        return _unescape(text) if "%u" in text else unquote(text, errors="ignore")
    return _from_base64(text) if _BASE64.fullmatch(text) else None


def _unescape(text: str) -> str:
    """Decode like JavaScript's ``unescape()``: every escape is a UTF-16 code unit, not a byte of UTF-8."""
    units = _ESCAPE.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), text)
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def _is_escaped(text: str) -> bool:
    sample = text[:_SAMPLE]
    return len(sample) - len(_ESCAPE.sub("", sample)) > _MIN_ESCAPED_SHARE * len(sample)


def _from_base64(text: str) -> str | None:
    bare = "".join(text.split()).translate(_URL_SAFE).rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None

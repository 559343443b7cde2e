"""Addresses that people type, with or without ``http://``."""

import re

from system.sites import registered_domain

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SCHEMES = ("http://", "https://")
_HOST = re.compile(r"(?P<name>[\w.-]+|\[[0-9a-f:.]+\])(?P<port>:\d{1,5})?(?P<path>[/?#].*)?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,3}(\.\d{1,3}){3}|\[.*\]")
_FILES = (".cc", ".md", ".py", ".rs", ".sh", ".zip")  # file name extensions that are also top-level domains


def looks_like_address(text: str) -> bool:
    """Return whether a text is an address and not a file: it has a scheme, or it begins with a host name.

    >>> looks_like_address("news.example.cn/a/1.html"), looks_like_address("novels/suspect.txt")
    (True, False)
    """
    if _SCHEME.match(text):
        return text.lower().startswith(_SCHEMES)
    host = _HOST.fullmatch(text)
    if host is None:
        return False
    if _NUMBERS.fullmatch(host["name"]) or host["name"].lower() == "localhost":
        return bool(host["port"] or host["path"])
    is_bare = not (host["port"] or host["path"])
    return bool(registered_domain(host["name"])) and not (is_bare and text.lower().endswith(_FILES))


def complete(address: str) -> str:
    """Return an address with a scheme. If it has none, ``http://`` is added; servers redirect to https.

    >>> complete("news.example.cn/a/1.html"), complete("https://example.cn/")
    ('http://news.example.cn/a/1.html', 'https://example.cn/')
    """
    return address if _SCHEME.match(address) else _SCHEMES[0] + address

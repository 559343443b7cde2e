"""Write addresses and text from websites in a letter so that they cannot mislead. Pure.

Mail programs turn any text that looks like a link into a link. So an address appears in ASCII between angle
brackets (RFC 3986, appendix C), with the host in its ASCII (IDNA) form. Page titles contain nothing that a
mail program would turn into a link. Mail addresses and header fields contain one line each.
"""

import re
from urllib.parse import quote, urlsplit, urlunsplit

import idna

from analysis.words.visible import one_line
from system.errors import PindnaError

# Characters that RFC 3986 allows in an address, without brackets; "%" occurs in encoded parts.
_PATH = "/%:@!$&'()*+,;=~-._"
_QUERY = _PATH + "?"
_MAILBOX = re.compile(r"(?P<local>[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64})@(?P<domain>[^@\s]{1,255})")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_SCHEME = re.compile(r":(?=[/\\])")
_DOT = re.compile(r"(?<=\w)\.(?=\w)")
_AT = re.compile(r"@")


class BadMailbox(PindnaError):
    """A text is not a usable mail address.

    Attributes:
        address: the text.
    """

    template = (
        "“{address}” is not a mail address. Write it as name@example.cn, with ASCII characters "
        "only before the @."
    )


def ascii_address(url: str) -> str:
    """Return an address in ASCII: the host by IDNA, the rest percent-encoded where it is not ASCII.

    >>> ascii_address("https://例子.中国/第1章?q=青灯 渡")
    'https://xn--fsqu00a.xn--fiqs8s/%E7%AC%AC1%E7%AB%A0?q=%E9%9D%92%E7%81%AF%20%E6%B8%A1'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port is not None else ""
        host = parts.hostname or ""
    except ValueError:
        return quote(url, safe=_QUERY)
    user, at, _ = parts.netloc.rpartition("@")
    host = f"[{host}]" if ":" in host else _ascii_host(host)
    authority = quote(user, safe=_PATH) + at + host + port
    path, query = quote(parts.path, safe=_PATH), quote(parts.query, safe=_QUERY)
    return urlunsplit((parts.scheme, authority, path, query, quote(parts.fragment, safe=_QUERY)))


def _ascii_host(host: str) -> str:
    """Return a host's network name, percent-encoded if it is not a valid name."""
    if host.isascii():
        return quote(host, safe=".-_~%")
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return quote(host, safe=".-_~")


def real_host(url: str) -> str:
    """Return the host of an address if the address may mislead; else an empty text.

    >>> real_host("https://book.example.cn@evil.example/"), real_host("https://xn--fsqu00a.xn--fiqs8s/")
    ('evil.example', '例子.中国')
    >>> real_host("https://book.example.cn/")
    ''
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if not host.isascii() or "xn--" in host:
        try:
            return one_line(idna.decode(host, uts46=True))
        except idna.IDNAError:
            return one_line(host)
    return one_line(host) if "@" in parts.netloc else ""


def defang(text: str) -> str:
    """Return a text from a website in one line, without anything that a mail program would turn into a link.

    >>> defang("看 www.evil.example 或 http://evil.example/ 联系 a@b.example")
    '看 www[.]evil[.]example 或 http[:]//evil[.]example/ 联系 a[@]b[.]example'
    """
    line = _SCHEME.sub("[:]", one_line(text))
    return _AT.sub("[@]", _DOT.sub("[.]", line))


def mailbox(text: str) -> str:
    """Return a mail address with its domain in ASCII.

    >>> mailbox("notice@例子.中国")
    'notice@xn--fsqu00a.xn--fiqs8s'

    Raises:
        BadMailbox: the text is not a mail address.
    """
    match = _MAILBOX.fullmatch(text.strip())
    local = match["local"] if match else "."
    if match is None or local.startswith(".") or local.endswith(".") or ".." in local:
        raise BadMailbox(address=text)
    try:
        domain = idna.encode(match["domain"], uts46=True).decode("ascii").lower()
    except idna.IDNAError as error:
        raise BadMailbox(address=text) from error
    if not all(map(_LABEL.fullmatch, domain.split("."))):
        raise BadMailbox(address=text)
    return f"{local}@{domain}"

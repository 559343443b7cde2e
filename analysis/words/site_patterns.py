"""Parse the site of a licence: a host, a registered domain, or a pattern."""

import re

from crawler.addresses import is_web
from system.errors import PindnaError
from system.sites import host_of

_END_OF_HOST = re.compile(r"[/?#]")


class BadSite(PindnaError):
    """The site of a licence is not a valid host. Data: ``site``."""

    template = "“{site}” is not a site. Enter its host name, such as book.example.cn."


class PartOfSite(PindnaError):
    """A part of a site was given where only a whole site is possible. Data: ``site``, ``host``."""

    template = "“{site}” is only part of a site. Enter the whole site: {host}."


def host_name(text: str) -> str:
    """Return the host in a user's input, in the form that pages contain.

    Raises:
        BadSite: it is not a host.
        PartOfSite: it has a path.
    """
    return _host_name(text, shown=text)


def _host_name(text: str, *, shown: str) -> str:
    """Return the host in a text; error messages contain ``shown`` instead of the text."""
    url = text if "://" in text else f"http://{text}"
    if not is_web(url) or any(map(str.isspace, text)):
        raise BadSite(site=shown)
    if _END_OF_HOST.search(url.partition("://")[2].removesuffix("/")):
        raise PartOfSite(site=shown, host=_bare(shown))
    return host_of(url)


def _bare(text: str) -> str:
    """Return a site without scheme and path."""
    return _END_OF_HOST.split(text.lower().rpartition("://")[2], maxsplit=1)[0]


def site_pattern(text: str) -> str:
    """Return the host in a user's input, or a pattern of hosts in which ``*`` means any characters.

    Raises:
        BadSite: it is neither.
        PartOfSite: it has a path.
    """
    if "*" not in text:
        return host_name(text)
    _host_name(text.replace("*", "x"), shown=text)
    return _bare(text)

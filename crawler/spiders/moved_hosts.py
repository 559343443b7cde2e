"""Hosts that answer at another scheme or with ``www.``: each page is requested once, where they answer. Pure.

A host moved if it redirected an address to the same path and query. Links to its other spelling would only be
redirected again, each at the cost of a request.
"""

from urllib.parse import SplitResult, urlsplit, urlunsplit

from system.sites import host_of


class MovedHosts:
    """The hosts that redirected to another spelling of themselves.

    >>> hosts = MovedHosts()
    >>> hosts.record("http://a.example/1.html", "https://www.a.example/1.html")
    >>> hosts.current("http://a.example/2.html?b=1"), hosts.current("https://a.example/2.html")
    ('https://www.a.example/2.html?b=1', 'https://a.example/2.html')
    """

    def __init__(self) -> None:
        self._moved: dict[tuple[str, str], tuple[str, str]] = {}

    def record(self, requested: str, answered: str) -> None:
        """Record at which address a request was answered."""
        before, after = urlsplit(requested), urlsplit(answered)
        if _origin(before) == _origin(after):
            self._moved.pop(_origin(before), None)  # the host answers here, too
        elif before[2:4] == after[2:4] and host_of(requested) == host_of(answered):
            self._moved[_origin(before)] = _origin(after)

    def current(self, url: str) -> str:
        """Return an address where its host answers."""
        parts = urlsplit(url)
        scheme, netloc = self._moved.get(_origin(parts), _origin(parts))
        return urlunsplit(parts._replace(scheme=scheme, netloc=netloc))


def _origin(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme, parts.netloc

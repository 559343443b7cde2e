"""A page's document as the browser received it. Pure."""

from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The response to the request for a page.

    Attributes:
        request: request line and fields as the browser sent them.
        headers: of the response, in their order; the browser keeps Set-Cookie to itself.
        body: decoded.
    """

    url: str
    request: bytes
    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's first value, empty without one."""
        return next((value for key, value in self.headers if key.lower() == name), "")

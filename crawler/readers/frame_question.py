"""The question for the frames of a page; see :mod:`crawler.readers.questions`. Pure."""

from dataclasses import dataclass
from urllib.parse import urljoin

from crawler.addresses import is_web
from crawler.extraction.parsing import Element, decode_page, parse
from crawler.extraction.rest.frames import frames_with_text
from storage.records import MAX_PLACE_CHARS

_MAX_FRAMES = 200


@dataclass(frozen=True, slots=True)
class PageFrame:
    """A visible frame: its address, and the path of its element."""

    url: str
    path: str


@dataclass(frozen=True, slots=True)
class FramesQuestion:
    """The frames of a page."""

    data: bytes
    url: str
    declared: str | None = None

    def answer(self) -> tuple[PageFrame, ...]:
        """Return the visible frames, in page order."""
        tree = parse(decode_page(self.data, declared=self.declared).text)
        if tree is None:
            return ()
        base = self._base_address(tree)
        sheets = [style.text or "" for style in tree.iter("style")]
        frames = frames_with_text(tree, sheets)[:_MAX_FRAMES]
        addresses = [(_join_address(base, address), _element_path(frame)) for address, frame in frames]
        return tuple(PageFrame(url, path) for url, path in addresses if is_web(url))

    def _base_address(self, tree: Element) -> str:
        base = next((base.get("href") for base in tree.iter("base") if base.get("href")), None)
        return _join_address(self.url, base or "")


def _join_address(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""


def _element_path(element: Element) -> str:
    names = [str(ancestor.tag) for ancestor in (*reversed(list(element.iterancestors())), element)]
    return " > ".join(name for name in names if name != "html")[-MAX_PLACE_CHARS:]

"""Decoding of twenty pages, each sent in 22 ways: with correct, wrong and missing declarations, and damaged.

A page is decoded correctly if every character is correct. If bytes are damaged or cut off, a few characters
next to the damage may be wrong. The random choices are seeded.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from crawler.extraction.parsing import decode_page
from fingerprint.text.han import UNIFIED
from fingerprint.text.variants import unfold

PAGES = 20
_TOUCHED = 8  # maximum number of wrong characters because of a damaged byte
_META = re.compile(r"<meta[^>]+charset[^>]*>", re.IGNORECASE)
_INNER = re.compile(f"[{UNIFIED}]{{6}}")


@dataclass(frozen=True, slots=True)
class EncodedPage:
    """A page as it is sent, and its expected text.

    Attributes:
        way: name of the way in which the page is encoded and declared.
        declared: charset of the HTTP header, if any.
        touched: maximum number of wrong characters.
    """

    way: str
    data: bytes
    declared: str | None
    text: str
    touched: int = 0


@dataclass(frozen=True, slots=True)
class DecodingResult:
    """Number of pages that were decoded correctly, for one way of encoding and declaring them."""

    way: str
    pages: int
    right: int
    ms: float


def encoded_variants(html: str, *, seed: int = 1) -> Iterator[EncodedPage]:
    """Yield a page in the 22 ways of encoding and declaring it."""
    bare = _META.sub("", html)
    rng = Random(seed)
    for label, declared in (
        ("declared", "utf-8"),
        ("undeclared", None),
        ("as gbk", "gbk"),
        ("as big5", "big5"),
    ):
        yield EncodedPage(f"utf-8 {label}", bare.encode(), declared, bare)
    yield EncodedPage("utf-8 in meta", *_page_with_meta_declaration(bare, "utf-8", "utf-8"))
    yield EncodedPage("utf-8 with mark", b"\xef\xbb\xbf" + bare.encode(), "gb2312", bare)
    yield _truncated_page("utf-8", bare, "utf-8")
    yield _damaged_page("utf-8", bare, "utf-8", rng, b"\xff")
    for label, declared in (("declared gb2312", "gb2312"), ("undeclared", None), ("as utf-8", "utf-8")):
        yield EncodedPage(f"gb18030 {label}", bare.encode("gb18030"), declared, bare)
    yield EncodedPage("gb18030 as latin-1", bare.encode("gb18030"), "iso-8859-1", bare)
    yield EncodedPage("gb18030 in meta", *_page_with_meta_declaration(bare, "gbk", "gb18030"))
    yield _truncated_page("gb18030", bare, "gb18030")
    yield _damaged_page("gb18030", bare, None, rng, b"\xff")
    yield _damaged_page("gb18030", bare, "gbk", rng, b"")
    traditional = unfold(bare).encode("big5hkscs", "xmlcharrefreplace").decode("big5hkscs")
    for label, declared in (("declared", "big5"), ("undeclared", None), ("as utf-8", "utf-8")):
        yield EncodedPage(f"big5 {label}", traditional.encode("big5hkscs"), declared, traditional)
    yield EncodedPage("utf-16 with mark", bare.encode("utf-16"), "utf-8", bare)
    yield EncodedPage("utf-16-le undeclared", bare.encode("utf-16-le"), None, bare)
    yield EncodedPage("utf-16-be as utf-8", bare.encode("utf-16-be"), "utf-8", bare)


def _page_with_meta_declaration(bare: str, label: str, encoding: str) -> tuple[bytes, None, str]:
    """Return the page with its encoding declared only in a meta element, without a header; and its text."""
    text = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">{bare}'
    return text.encode(encoding), None, text


def _truncated_page(encoding: str, bare: str, declared: str) -> EncodedPage:
    """Return the page, cut off in the middle of a Han character."""
    end = [match.start() for match in _INNER.finditer(bare)][-1] + 3
    return EncodedPage(f"{encoding} cut", bare[:end].encode(encoding)[:-1], declared, bare[:end], touched=1)


def _damaged_page(encoding: str, bare: str, declared: str | None, rng: Random, junk: bytes) -> EncodedPage:
    """Return the page with a byte of a Han character replaced or removed."""
    at = rng.choice([match.start() for match in _INNER.finditer(bare)]) + 3
    data = bytearray(bare.encode(encoding))
    offset = len(bare[:at].encode(encoding)) + 1
    data[offset : offset + 1] = junk
    way = f"{encoding} with a {'bad' if junk else 'lost'} byte"
    return EncodedPage(way, bytes(data), declared, bare, touched=_TOUCHED)


def is_decoded_correctly(encoded: EncodedPage, text: str) -> bool:
    """Return whether a decoded text equals the page's text, except for characters next to the damage."""
    if not encoded.touched:
        return text == encoded.text
    same = _common_prefix_length(encoded.text, text)
    return (
        same + _common_prefix_length(encoded.text[same:][::-1], text[same:][::-1])
        >= len(encoded.text) - encoded.touched
    )


def _common_prefix_length(first: str, other: str) -> int:
    pairs = enumerate(zip(first, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(first), len(other)))


def measure(
    htmls: Sequence[str], *, decoder: Callable[[EncodedPage], str] | None = None
) -> list[DecodingResult]:
    """Decode every page in every way, with ``decoder`` or by default with pindna."""
    decoder = decoder or _decode_with_pindna
    right: dict[str, list[bool]] = {}
    seconds: dict[str, float] = {}
    for seed, html in enumerate(htmls[:PAGES]):
        for encoded in encoded_variants(html, seed=seed):
            started = time.process_time()
            text = decoder(encoded)
            seconds[encoded.way] = seconds.get(encoded.way, 0.0) + time.process_time() - started
            right.setdefault(encoded.way, []).append(is_decoded_correctly(encoded, text))
    return [
        DecodingResult(way, len(answers), sum(answers), 1000 * seconds[way] / len(answers))
        for way, answers in right.items()
    ]


def _decode_with_pindna(encoded: EncodedPage) -> str:
    return decode_page(encoded.data, declared=encoded.declared).text

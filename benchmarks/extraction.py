"""How well page text is extracted: pindna beside the libraries, by one scorer, on the same pages, in one run.

The metric is that of the measurements the extractor was built on: both texts NFKC-normalised, white space and
zero-width characters removed, the multisets of character 5-grams compared, precision, recall and F1 of each
page averaged over pages (macro average). Real pages lie beside the repository and do not ship; without them
the stored pages of the tests are taken.
"""

import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from crawler.extraction import Extracted, extract
from crawler.parsing import decode_page
from storage.records import PageKind

ROOT: Final = Path(__file__).parents[1]
REAL: Final = ROOT.parent / "shared" / "data" / "pages"
STORED: Final = ROOT / "tests" / "pages"
GROUPS: Final = ("news", "news, human gold", "short", "novels")
TEXT_KINDS: Final[frozenset[PageKind]] = frozenset({"article", "chapter"})
_SHORT: Final = 600
_SHINGLE: Final = 5
_ZERO_WIDTH: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as received, and the text that a person took from it.

    Attributes:
        declared: charset of the Content-Type header, if any.
        gold: the text; None for a list, which has none.
        is_human: a person chose the text line by line, not a selector of the site.
        is_garbled: its font shows other characters than it holds.
    """

    name: str
    kind: str
    data: bytes
    declared: str | None
    gold: str | None
    is_human: bool = True
    is_garbled: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups that its score counts in."""
        if self.gold is None or self.is_garbled:
            return ()
        short = ("short",) if len(squeeze(self.gold)) < _SHORT else ()
        if self.kind == "novel":
            return ("novels", *short)
        return ("news", *(("news, human gold",) if self.is_human else ()), *short)


@dataclass(frozen=True, slots=True)
class Quality:
    """What one extractor reached on one group of pages."""

    extractor: str
    group: str
    pages: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast an extractor is, and what it makes of pages that hold no article.

    Attributes:
        pages_s: pages a second of one core (process time), from text of HTML to text.
        lists_taken: list pages from which it returned a text as an article's.
        lists: how many there were.
    """

    extractor: str
    pages_s: float
    lists_taken: int
    lists: int


@dataclass(frozen=True, slots=True)
class Kinds:
    """What pindna says of the pages: kept articles, flagged garbled ones."""

    texts: int
    texts_kept: int
    garbled: int
    garbled_flagged: int
    decode_ms: float


def pages(folder: Path | None = None) -> list[StoredPage]:
    """Return the real pages where they are, else the stored pages of the tests."""
    folder = folder or (REAL if REAL.is_dir() else STORED)
    if not (folder / "manifest.json").is_file():
        return [*_own(folder)]
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    texts = [
        StoredPage(
            name=row["name"],
            kind=row["kind"],
            data=(folder / row["kind"] / f"{row['name']}.html").read_bytes(),
            declared=row["declared"],
            gold=(folder / row["kind"] / f"{row['name']}.txt").read_text(encoding="utf-8"),
            is_human=not row["gold_origin"].startswith("site selector"),
            is_garbled="font-encrypted" in row.get("note", ""),
        )
        for row in rows
    ]
    lists = sorted((folder / "lists").glob("*.html"))
    return [*texts, *(StoredPage(each.stem, "list", each.read_bytes(), None, None) for each in lists)]


def _own(folder: Path) -> Iterable[StoredPage]:
    for path in sorted(folder.rglob("*.html")):
        gold = path.with_suffix(".txt")
        kind = path.relative_to(folder).parts[0]
        if gold.is_file():
            yield StoredPage(path.stem, kind, path.read_bytes(), None, gold.read_text(encoding="utf-8"))
        elif path.stem.startswith("index"):
            yield StoredPage(path.stem, "list", path.read_bytes(), None, None)


def squeeze(text: str) -> str:
    """Return a text as the metric sees it."""
    return "".join(_ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).split())


def score(text: str, gold: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of ``text`` against ``gold`` over character 5-grams."""
    ours, theirs = _shingles(text), _shingles(gold)
    shared = (ours & theirs).total()
    precision, recall = shared / max(1, ours.total()), shared / max(1, theirs.total())
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def _shingles(text: str) -> Counter[str]:
    squeezed = squeeze(text)
    return Counter(squeezed[at : at + _SHINGLE] for at in range(max(1, len(squeezed) - _SHINGLE + 1)))


def pindna(html: str) -> Extracted:
    """Return what pindna sees in a page that is decoded already."""
    return extract(html.encode("utf-8", "replace"), declared="utf-8")


def text_of(found: Extracted) -> str:
    """Return the text of an article or chapter; a page that is neither is not compared."""
    return found.text


def measure(
    stored: Sequence[StoredPage], extractors: dict[str, Callable[[str], str]]
) -> tuple[list[Quality], list[Pace]]:
    """Run every extractor over every page.

    Args:
        stored: the pages.
        extractors: by name: decoded HTML to the article's text, empty when there is none.
    """
    qualities: list[Quality] = []
    paces: list[Pace] = []
    decoded = [decode_page(page.data, declared=page.declared).text for page in stored]
    for name, extractor in extractors.items():
        started = time.process_time()
        texts = [extractor(html) for html in decoded]
        seconds = time.process_time() - started
        qualities += _qualities(name, stored, texts)
        lists = [text for page, text in zip(stored, texts, strict=True) if page.gold is None]
        paces.append(
            Pace(name, len(stored) / seconds, sum(bool(squeeze(text)) for text in lists), len(lists))
        )
    return qualities, paces


def _qualities(name: str, stored: Sequence[StoredPage], texts: Sequence[str]) -> Iterable[Quality]:
    scores = [
        (page.groups, score(text, page.gold))
        for page, text in zip(stored, texts, strict=True)
        if page.gold is not None
    ]
    for group in GROUPS:
        held = [found for groups, found in scores if group in groups]
        if held:
            precision, recall, f1 = (fmean(each) for each in zip(*held, strict=True))
            yield Quality(name, group, len(held), precision, recall, f1)


def kinds(stored: Sequence[StoredPage]) -> Kinds:
    """Return what pindna says of pages whose nature is known."""
    started = time.process_time()
    for page in stored:
        decode_page(page.data, declared=page.declared)
    decode_ms = (time.process_time() - started) * 1000 / len(stored)
    texts = [page for page in stored if page.gold is not None and not page.is_garbled]
    garbled = [page for page in stored if page.is_garbled]
    return Kinds(
        len(texts),
        sum(_kind(page) in TEXT_KINDS for page in texts),
        len(garbled),
        sum(_kind(page) == "obfuscated" for page in garbled),
        decode_ms,
    )


def _kind(page: StoredPage) -> PageKind:
    return extract(page.data, declared=page.declared).kind

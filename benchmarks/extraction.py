"""Quality of text extraction by pindna and by libraries, with one scorer on the same pages in one run.

The metric is the same that was used to build the extractor. Both texts are normalised to NFKC, without white
space and zero-width characters. Then the multisets of their character 5-grams are compared. Precision, recall
and F1 of the pages are averaged (macro average). The real pages are stored next to the repository and are not
shipped. Without them the pages of the tests are used.

A hash of the page names divides the pages into two halves. Developers may read the pages of one half to write
rules. The other half is only measured, and its figures are shown separately.
"""

import hashlib
import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from crawler.extraction.parsing import decode_page

ROOT = Path(__file__).parents[1]
REAL = ROOT.parent / "shared" / "data" / "pages"
REAL_BY_GROUP = ROOT.parent / "shared" / "data" / "pages2"
STORED = ROOT / "tests" / "pages"
GROUPS = ("news", "news, human gold", "short", "novels")
UNSEEN = "unseen half"
_SHORT = 600
_NAMES = re.compile(r"\s(?:class|id)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.IGNORECASE)
_SHINGLE = 5
_ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as received, and the gold text that an extractor should find.

    Attributes:
        declared: charset of the Content-Type header, if any.
        gold: the gold text; None for a list page, which has no text.
        is_human: a person chose the gold text line by line; otherwise a selector for the site chose it.
        is_garbled: the page's font displays other characters than the page contains.
        fields: correct values of title, author and so on, if a person checked them; "-" means that the page
            has no such value.
    """

    name: str
    kind: str
    data: bytes
    declared: str | None
    gold: str | None
    is_human: bool = True
    is_garbled: bool = False
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_unseen(self) -> bool:
        """Whether the page is in the half that developers never read to write rules."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of pages that this page belongs to."""
        if self.gold is None or self.is_garbled:
            return ()
        short = ("short",) if len(comparable_text(self.gold)) < _SHORT else ()
        if self.kind == "novel":
            return ("novels", *short)
        return ("news", *(("news, human gold",) if self.is_human else ()), *short)


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """Result of an extractor for one page.

    Attributes:
        text: the extracted text; empty if the extractor found no article.
        is_text: whether the extractor reports that the page contains a text.
    """

    text: str
    is_text: bool


# Decoded HTML → the extracted text.
Extractor = Callable[[str], ExtractedText]


@dataclass(frozen=True, slots=True)
class Quality:
    """Scores of one extractor on one group of pages."""

    extractor: str
    group: str
    pages: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ExtractorSpeed:
    """Speed of an extractor, and which pages it treats as texts.

    Attributes:
        pages_s: pages per second on one core (process time), from HTML to text.
        lists_taken: number of list pages that it treats as articles.
        lists: number of list pages.
        texts_kept: number of articles and chapters that it treats as texts, without garbled ones.
        texts: number of articles and chapters, without garbled ones.
        garbled_kept: number of pages with garbled fonts that it treats as texts.
        garbled: number of pages with garbled fonts.
    """

    extractor: str
    pages_s: float
    lists_taken: int
    lists: int
    texts_kept: int
    texts: int
    garbled_kept: int
    garbled: int


def load_pages(folder: Path | None = None) -> list[StoredPage]:
    """Return the real pages if they exist, otherwise the stored pages of the tests."""
    folder = folder or (REAL if REAL.is_dir() else STORED)
    if not (folder / "manifest.json").is_file():
        return [*_load_test_pages(folder)]
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
    return [*texts, *(StoredPage(path.stem, "list", path.read_bytes(), None, None) for path in lists)]


def load_pages_by_group(folder: Path = REAL_BY_GROUP) -> list[StoredPage]:
    """Return the second set of real pages, which have groups and fields; empty if it does not exist."""
    if not (folder / "manifest.json").is_file():
        return []
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    texts = [
        StoredPage(
            name=row["name"],
            kind=row["group"],
            data=(folder / row["group"] / f"{row['name']}.html").read_bytes(),
            declared=None,
            gold=(folder / row["group"] / f"{row['name']}.txt").read_text(encoding="utf-8"),
            is_human=not row["gold_origin"].startswith("site selector"),
            fields=row.get("fields", {}),
        )
        for row in rows
    ]
    lists = sorted((folder / "lists").glob("*.html"))
    return [*texts, *(StoredPage(path.stem, "list", path.read_bytes(), None, None) for path in lists)]


def remove_names(stored: Iterable[StoredPage]) -> list[StoredPage]:
    """Return the pages without class and id attributes, to test extraction without the names of a site."""
    decoded = ((page, decode_page(page.data, declared=page.declared).text) for page in stored)
    return [
        replace(page, data=_NAMES.sub("", text).encode("utf-8", "replace"), declared="utf-8")
        for page, text in decoded
    ]


def _load_test_pages(folder: Path) -> Iterable[StoredPage]:
    for path in sorted(folder.rglob("*.html")):
        gold = path.with_suffix(".txt")
        kind = path.relative_to(folder).parts[0]
        if gold.is_file():
            yield StoredPage(path.stem, kind, path.read_bytes(), None, gold.read_text(encoding="utf-8"))
        elif path.stem.startswith("index"):
            yield StoredPage(path.stem, "list", path.read_bytes(), None, None)


def comparable_text(text: str) -> str:
    """Return a text in the form in which the metric compares texts."""
    return "".join(_ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).split())


def score(text: str, gold: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of ``text`` against ``gold`` over character 5-grams."""
    extracted_grams, gold_grams = _shingles(text), _shingles(gold)
    shared = (extracted_grams & gold_grams).total()
    precision, recall = shared / max(1, extracted_grams.total()), shared / max(1, gold_grams.total())
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def _shingles(text: str) -> Counter[str]:
    squeezed = comparable_text(text)
    return Counter(squeezed[at : at + _SHINGLE] for at in range(max(1, len(squeezed) - _SHINGLE + 1)))


def groups_by_kind(page: StoredPage) -> tuple[str, ...]:
    """Return the groups that a page belongs to: its kind, all pages, and perhaps the unseen half."""
    if page.gold is None or page.is_garbled:
        return ()
    return (page.kind, "all", UNSEEN) if page.is_unseen else (page.kind, "all")


def measure(
    stored: Sequence[StoredPage],
    extractors: dict[str, Extractor],
    *,
    groups_of: Callable[[StoredPage], tuple[str, ...]] = lambda page: page.groups,
) -> tuple[list[Quality], list[ExtractorSpeed]]:
    """Measure all extractors on one page after the other, so that other load affects all of them equally.

    Args:
        stored: the pages.
        extractors: name → extractor.
        groups_of: function that returns the groups that a page belongs to.
    """
    results: dict[str, list[ExtractedText]] = {name: [] for name in extractors}
    seconds = dict.fromkeys(extractors, 0.0)
    for page in stored:
        text = decode_page(page.data, declared=page.declared).text
        for name, extractor in extractors.items():
            started = time.process_time()
            results[name].append(extractor(text))
            seconds[name] += time.process_time() - started
    qualities: list[Quality] = []
    for name, taken_by in results.items():
        qualities += _qualities(name, stored, [taken.text for taken in taken_by], groups_of)
    paces = [
        _measure_speed(name, stored, results[name], len(stored) / max(seconds[name], 1e-9))
        for name in results
    ]
    return qualities, paces


def _measure_speed(
    name: str, stored: Sequence[StoredPage], results: Sequence[ExtractedText], pages_s: float
) -> ExtractorSpeed:
    answers = [(page, result.is_text) for page, result in zip(stored, results, strict=True)]
    lists = [is_text for page, is_text in answers if page.gold is None]
    garbled = [is_text for page, is_text in answers if page.is_garbled]
    texts = [is_text for page, is_text in answers if page.gold is not None and not page.is_garbled]
    return ExtractorSpeed(
        name, pages_s, sum(lists), len(lists), sum(texts), len(texts), sum(garbled), len(garbled)
    )


def _qualities(
    name: str,
    stored: Sequence[StoredPage],
    texts: Sequence[str],
    groups_of: Callable[[StoredPage], tuple[str, ...]],
) -> Iterable[Quality]:
    scores = [
        (groups_of(page), score(text, page.gold))
        for page, text in zip(stored, texts, strict=True)
        if page.gold is not None
    ]
    group_names = dict.fromkeys(group for groups, _ in scores for group in groups)
    for group in sorted(group_names, key=lambda name: GROUPS.index(name) if name in GROUPS else len(GROUPS)):
        held = [values for groups, values in scores if group in groups]
        if held:
            precision, recall, f1 = (fmean(column) for column in zip(*held, strict=True))
            yield Quality(name, group, len(held), precision, recall, f1)

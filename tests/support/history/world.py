"""What a seed makes of the web and of the corpus: sites, their pages on two days, and the works of each day.

A page copies a chapter, half of one, pieces of two, or nothing. On the second day each site has a new page, a
page with another text, and one that is gone; two further works are loaded, one of which a page of the first
day copies already. So every page that stays is to be compared with two versions of the corpus.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from tracker.corpus.chapters import ChapterSection
from tracker.corpus.reading import RawWork

SiteKind = Literal["news", "urls"]
DAYS = 2
_HAN = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 2500))
_CHAPTERS = 4
_CHAPTER_CHARS = 450


@dataclass(frozen=True, slots=True)
class PagePlan:
    """One page: its text, None for an answer of 404, and the titles of the works that it copies."""

    text: str | None
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site.

    Attributes:
        name: stands for its host and port, which differ from run to run.
        kind: of the source that crawls it.
        days: for each day path → page; the site lists all of them.
    """

    name: str
    kind: SiteKind
    days: tuple[Mapping[str, PagePlan], ...]


@dataclass(frozen=True, slots=True)
class World:
    """Sites, and for each day the works that are loaded before its scan."""

    sites: tuple[SitePlan, ...]
    works: tuple[tuple[RawWork, ...], ...]

    def listed(self, day: int) -> dict[str, list[str]]:
        """Return what the sites list on a day: ``site/path`` → the loaded works that the page copies."""
        titles = {work.title for works in self.works[: day + 1] for work in works}
        return {
            f"{site.name}{path}": sorted(titles & set(page.titles))
            for site in self.sites
            for path, page in site.days[day].items()
        }


def make_world(seed: int, *, sites: int) -> World:
    """Return the world of a seed; the same one at every call.

    Args:
        seed: that determines it.
        sites: how many there are.
    """
    random = Random(f"world {seed}")
    works = tuple(
        tuple(_work(random, f"书{day}{number}") for number in range(3 - day)) for day in range(DAYS)
    )
    chapters = [(work.title, section.text) for day in works for work in day for section in work.sections]
    return World(tuple(_site(random, number, chapters) for number in range(sites)), works)


def _work(random: Random, title: str) -> RawWork:
    sections = tuple(
        ChapterSection(f"第{n}章", prose(random, _CHAPTER_CHARS)) for n in range(1, _CHAPTERS + 1)
    )
    return RawWork(title=title, kind="novel", origin=f"{title}.txt", sections=sections)


def prose(random: Random, length: int) -> str:
    """Return paragraphs of sentences of random characters."""
    text = ""
    while len(text) < length:
        clauses = ["".join(random.choices(_HAN, k=random.randint(6, 14))) for _ in range(3)]
        text += "，".join(clauses) + ("。\n" if random.random() < 0.3 else "。")
    return text


def _site(random: Random, number: int, chapters: Sequence[tuple[str, str]]) -> SitePlan:
    paths = [f"/{page}.html" for page in range(1, random.randint(5, 7) + 1)]
    first = {path: _page(random, chapters) for path in paths}
    first["/404.html"] = PagePlan(None)
    gone, changed = random.sample(paths, 2)
    second = {**first, gone: PagePlan(None)}
    second |= {path: _page(random, chapters) for path in (changed, "/new.html")}
    return SitePlan(f"site-{number}", "urls" if number % 2 else "news", (first, second))


def _page(random: Random, chapters: Sequence[tuple[str, str]]) -> PagePlan:
    (title, chapter), (other_title, other) = random.sample(chapters, 2)
    kind = random.choice(["copy", "copy", "half", "pieces", "clear"])
    if kind == "copy":
        return PagePlan(chapter, (title,))
    if kind == "half":
        return PagePlan(chapter[:200] + prose(random, 300), (title,))
    if kind == "pieces":
        return PagePlan(chapter[:150] + other[-150:] + prose(random, 100), (title, other_title))
    return PagePlan(prose(random, 500))

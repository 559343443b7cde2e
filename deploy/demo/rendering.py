"""The resources of the sample sites by path, rendered once from the plan.

Each site has its own templates, encoding and peculiarities. Page texts are escaped, so no text becomes
markup.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deploy.demo.layout import BOOKS, UNCHECKED, Book, Flaw, SiteName
from deploy.demo.plan import DemoPage, plan

LIST_SIZE = 5
_PART_CHARS = 1_000  # approximate length of a pirate's page, short to show more adverts
_DATE = re.compile(r"/(\d{4})/?(\d\d)(\d\d)[/-]")
_FIRST_DATE = "2026-10-12"  # date of pages whose address contains none
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    lstrip_blocks=True,
    trim_blocks=True,
    undefined=StrictUndefined,
)
_ROBOTS: Mapping[SiteName, str] = {
    "portal": "User-agent: *\nDisallow: /vip/\nDisallow: /search\n",
    "novels": "User-agent: *\nDisallow: /user/\n",
    "licensed": "User-agent: *\nAllow: /\n",
    "blog": "User-agent: *\nDisallow:\n",
}
_FLAWED_TEXTS: Mapping[Flaw, str] = {
    "unfinished": "章节内容正在手打中，请稍等片刻，内容更新后请重新刷新页面，即可获取最新更新！"
}
_PORTAL_FLAWS: Mapping[Flaw | None, str] = {"empty": "portal/player.html", "list": "portal/topic.html"}
_EDITORS = ("任晓岚", "郝一川", "孔令舟", "时佩珊")
_COMMENTS = (
    ("山脚下的风", "写得真细，转给家里老人看看。"),
    ("路过的麻雀", "沙发！先赞后看，养成习惯。"),
    ("北岸阿宽", "我们那儿要是也能这样就好了。"),
    ("不吃香菜", "数字很扎实，点赞。"),
    ("老胡同七号", "去年去过一次，变化确实不小。"),
    ("深夜刷屏员", "有没有后续报道？蹲一个。"),
    ("小满未满", "看完心里暖暖的。"),
)


@dataclass(frozen=True, slots=True)
class Resource:
    """The resource at one path of a site."""

    body: bytes
    content_type: str

    @property
    def etag(self) -> str:
        """A validator (ETag) that changes with the body."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'


@dataclass(frozen=True, slots=True)
class DemoItem:
    """One article, for the lists and templates of a site."""

    path: str
    title: str
    author: str
    text: str
    date: str
    flaw: Flaw | None = None

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the article; empty if it has no text."""
        return self.text.split("\n") if self.text else []


@dataclass(frozen=True, slots=True)
class _Part:
    """One page of a chapter, with the addresses of its neighbours."""

    path: str
    number: int
    paragraphs: list[str]
    next_page: str | None


def render_site(site: SiteName) -> dict[str, Resource]:
    """Return every resource of a site by path."""
    encoding, content_type = _ENCODINGS[site]
    html = {
        path: Resource(text.encode(encoding, "xmlcharrefreplace"), content_type)
        for path, text in _SITES[site](_items(site))
    }
    robots = Resource(_ROBOTS[site].encode(), "text/plain; charset=utf-8")
    return {"/robots.txt": robots, **html}


def missing(site: SiteName) -> Resource:
    """Return the answer of a site for an unknown address."""
    encoding, content_type = _ENCODINGS[site]
    return Resource(_render("missing.html", encoding=encoding).encode(encoding), content_type)


def _items(site: SiteName) -> list[DemoItem]:
    """Return a site's pages in the order of the plan, then the pages that cannot be compared."""
    good = [_item(page) for page in plan() if page.site == site]
    bad = [
        DemoItem(page.path, page.title, "", _FLAWED_TEXTS.get(page.flaw, ""), _date_of(page.path), page.flaw)
        for page in UNCHECKED
        if page.site == site
    ]
    return good + bad


def _item(page: DemoPage) -> DemoItem:
    return DemoItem(page.path, page.title, page.author, page.text, _date_of(page.path))


def _date_of(path: str) -> str:
    match = _DATE.search(path)
    return "-".join(match.groups()) if match else _FIRST_DATE


def _portal_pages(items: Sequence[DemoItem]) -> Iterator[tuple[str, str]]:
    """Return a news portal: home, lists, and articles with navigation, adverts, links and comments."""
    items = sorted(items, key=lambda item: item.date, reverse=True)
    lists = [items[start : start + LIST_SIZE] for start in range(0, len(items), LIST_SIZE)]
    hot = items[::3]
    yield "/", _render("portal/home.html", items=items[:LIST_SIZE], hot=hot)
    for number, listed in enumerate(lists, start=1):
        yield (
            f"/list/{number}.html",
            _render("portal/list.html", items=listed, number=number, count=len(lists), hot=hot),
        )
    for index, item in enumerate(items):
        if item.flaw == "missing":
            continue
        template = _PORTAL_FLAWS.get(item.flaw, "portal/article.html")
        related = [items[(index + step) % len(items)] for step in (2, 3, 5, 7)]
        yield (
            item.path,
            _render(
                template,
                item=item,
                hot=hot,
                related=related,
                editor=_EDITORS[index % len(_EDITORS)],
                comments=[_COMMENTS[(index + step) % len(_COMMENTS)] for step in range(3)],
            ),
        )


def _novel_pages(items: Sequence[DemoItem]) -> Iterator[tuple[str, str]]:
    """Return a pirate's novel site: home, catalogues, and chapters in parts (links or script variables)."""
    books = [book for book in BOOKS if book.site == "novels"]
    yield "/", _render("novels/home.html", books=books)
    for book in books:
        chapters = [item for item in items if item.path.startswith(book.path)]
        yield book.path, _render("novels/catalogue.html", book=book, chapters=chapters)
        readable = [chapter for chapter in chapters if chapter.flaw != "missing"]
        for chapter, following in zip(readable, [*readable[1:], None], strict=True):
            yield from _chapter_parts(book, chapter, following)


def _chapter_parts(book: Book, chapter: DemoItem, following: DemoItem | None) -> Iterator[tuple[str, str]]:
    parts = split_parts(chapter)
    for chapter_part in parts:
        yield (
            chapter_part.path,
            _render(
                "novels/chapter.html",
                book=book,
                chapter=chapter,
                part=chapter_part,
                count=len(parts),
                next_chapter=following.path if following else book.path,
            ),
        )


def split_parts(chapter: DemoItem) -> list[_Part]:
    """Split a chapter at paragraph ends into one to three pages: ``101.html``, ``101_2.html``."""
    count = min(-(-len(chapter.text) // _PART_CHARS), 3)
    size = -(-len(chapter.paragraphs) // count)
    stem = chapter.path.removesuffix(".html")
    paths = [chapter.path, *(f"{stem}_{number}.html" for number in range(2, count + 1))]
    return [
        _Part(path, number, chapter.paragraphs[(number - 1) * size : number * size], following)
        for number, (path, following) in enumerate(zip(paths, [*paths[1:], None], strict=True), start=1)
    ]


def _licensed_pages(items: Sequence[DemoItem]) -> Iterator[tuple[str, str]]:
    """Return a licensed reading site: books and a news column, with undivided pages."""
    books = [book for book in BOOKS if book.site == "licensed"]
    news = [item for item in items if item.path.startswith("/news/")]
    yield "/", _render("licensed/home.html", books=books)
    yield "/news/", _render("licensed/news.html", items=news)
    for item in news:
        yield item.path, _render("licensed/page.html", item=item, book=None, following=None)
    for book in books:
        chapters = [item for item in items if item.path.startswith(book.path)]
        yield book.path, _render("licensed/catalogue.html", book=book, chapters=chapters)
        for item, following in zip(chapters, [*chapters[1:], None], strict=True):
            yield item.path, _render("licensed/page.html", item=item, book=book, following=following)


def _blog_pages(items: Sequence[DemoItem]) -> Iterator[tuple[str, str]]:
    """Return a personal blog: an index, and posts with tags and links to their neighbours."""
    posts = sorted(items, key=lambda item: item.path, reverse=True)
    yield "/", _render("blog/home.html", posts=posts)
    for post, older in zip(posts, [*posts[1:], None], strict=True):
        yield post.path, _render("blog/post.html", post=post, older=older)


def _render(template: str, **values: object) -> str:
    return _TEMPLATES.get_template(template).render(**values)


# Like many sites, the novel site sends no charset, declares gb2312 in its head and uses GBK.
_ENCODINGS: Mapping[SiteName, tuple[str, str]] = {
    "portal": ("utf-8", "text/html; charset=utf-8"),
    "novels": ("gbk", "text/html"),
    "licensed": ("utf-8", "text/html; charset=utf-8"),
    "blog": ("utf-8", "text/html"),
}
_SITES: Mapping[SiteName, Callable[[Sequence[DemoItem]], Iterator[tuple[str, str]]]] = {
    "portal": _portal_pages,
    "novels": _novel_pages,
    "licensed": _licensed_pages,
    "blog": _blog_pages,
}

"""The plan of the demo: which page of which site holds what, and what a scan must say of it.

Adding a page is adding one line to ``LINES``. What is expected follows from what the line says: a copy with
permission is ``licensed``, without it ``copy``; half a copy is ``partial``, a small stretch ``quote``, a
text of nobody's ``clear``. Everything is deterministic: chance is seeded by a page's address.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal

from deploy.demo import disguises
from deploy.demo.samples import Sample, load_samples
from storage.records import Source, Verdict, WorkKind

SiteName = Literal["portal", "novels", "licensed", "blog"]
Disguise = Literal[
    "none",
    "verbatim",
    "edited",
    "homophones",
    "traditional",
    "shuffled",
    "adverts",
    "mixed",
    "half",
    "quotation",
]
Flaw = Literal["missing", "empty", "list", "forbidden"]


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A page of a sample site.

    Attributes:
        site: name of the site.
        path: the page's path there; of a chapter in several parts the first one's.
        title: headline or chapter heading.
        author: as the page names it.
        text: its paragraphs, one a line, without what the site puts around them.
        expected: the verdict of a scan.
        work: title of the work that it takes from; None when it copies nothing.
        disguise: how it takes.
    """

    site: SiteName
    path: str
    title: str
    author: str
    text: str
    expected: Verdict
    work: str | None
    disguise: Disguise


@dataclass(frozen=True, slots=True)
class UncheckedPage:
    """An address that sample sites link to and that no scan can compare.

    ``missing`` answers 404, ``empty`` has no text, ``list`` holds links only, ``forbidden`` is closed by
    robots.txt.
    """

    site: SiteName
    path: str
    title: str
    flaw: Flaw


@dataclass(frozen=True, slots=True)
class Book:
    """A catalogue: its chapters are the pages under ``path``. ``script``: the next part's address is a variable."""

    site: SiteName
    path: str
    title: str
    author: str
    script: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A page: where it is, the text it takes, how, the text around it if any, a title of its own if any."""

    site: SiteName
    path: str
    takes: str
    disguise: Disguise
    beside: tuple[str, ...] = ()
    title: str = ""


BOOKS = (
    Book("novels", "/book/1/", "青灯渡", "沈砚秋"),
    Book("novels", "/book/2/", "灯塔来客", "佚名", script=True),
    Book("novels", "/book/3/", "竹坞旧事", "林晚樵"),
    Book("licensed", "/book/11/", "星槎纪事", "陆观澜"),
    Book("licensed", "/book/12/", "雾港来信", "顾南乔"),
)

# Site → works (by the beginning of their references) that it may publish. 雾港来信 is on it without permission.
_LICENCES: Mapping[SiteName, tuple[str, ...]] = {"licensed": ("星槎纪事:", "news:")}

UNCHECKED = (
    UncheckedPage("portal", "/2026/1105/30090.html", "绫塘镇举行秋季水上集市（图）", "missing"),
    UncheckedPage("portal", "/2026/1106/30091.html", "视频：一分钟看完霁州夜景", "empty"),
    UncheckedPage("portal", "/2026/1107/30092.html", "专题：金秋里的县城", "list"),
    UncheckedPage("portal", "/vip/2026/1107/30093.html", "会员专享：本周深度", "forbidden"),
    UncheckedPage("novels", "/book/2/290.html", "请假条", "missing"),
)

LINES = (
    _Line("portal", "/2026/1101/30001.html", "news:1", "verbatim"),
    _Line("portal", "/2026/1101/30002.html", "news:2", "edited"),
    _Line("portal", "/2026/1102/30003.html", "news:3", "homophones"),
    _Line("portal", "/2026/1102/30004.html", "news:4", "traditional"),
    _Line("portal", "/2026/1103/30005.html", "news:5", "shuffled", title="十三岁少年弃子取胜 赛场爆出冷门"),
    _Line("portal", "/2026/1103/30006.html", "news:6", "adverts", title="采茶机上坡记"),
    _Line("portal", "/2026/1104/30007.html", "news:7", "half", ("other-news:5",), "两则平安消息"),
    _Line(
        "portal", "/2026/1104/30008.html", "news:8", "quotation", ("other-news:4", "other-news:6"), "一周速览"
    ),
    _Line("portal", "/2026/1105/30009.html", "other-news:1", "none"),
    _Line("portal", "/2026/1105/30010.html", "other-news:2", "none"),
    _Line("portal", "/2026/1106/30011.html", "other-news:3", "none"),
    _Line("novels", "/book/1/101.html", "青灯渡:1", "verbatim"),
    _Line("novels", "/book/1/102.html", "青灯渡:2", "edited"),
    _Line("novels", "/book/1/103.html", "青灯渡:3", "homophones"),
    _Line("novels", "/book/1/104.html", "青灯渡:4", "traditional"),
    _Line("novels", "/book/1/105.html", "青灯渡:5", "shuffled"),
    _Line("novels", "/book/1/106.html", "青灯渡:6", "adverts"),
    _Line("novels", "/book/1/107.html", "青灯渡:7", "half", ("竹坞旧事:3",)),
    _Line("novels", "/book/2/201.html", "雾港来信:1", "verbatim"),
    _Line("novels", "/book/2/202.html", "雾港来信:2", "homophones"),
    _Line("novels", "/book/2/203.html", "雾港来信:3", "edited"),
    _Line("novels", "/book/2/204.html", "雾港来信:4", "traditional"),
    _Line("novels", "/book/2/205.html", "雾港来信:5", "mixed"),
    _Line("novels", "/book/3/301.html", "竹坞旧事:1", "none"),
    _Line("novels", "/book/3/302.html", "星槎纪事:5", "quotation", ("竹坞旧事:2",), "第二章　水碓"),
    _Line("licensed", "/book/11/1.html", "星槎纪事:1", "verbatim"),
    _Line("licensed", "/book/11/2.html", "星槎纪事:2", "verbatim"),
    _Line("licensed", "/book/11/3.html", "星槎纪事:3", "traditional"),
    _Line("licensed", "/book/12/6.html", "雾港来信:6", "verbatim"),
    _Line("licensed", "/news/a9.html", "news:9", "verbatim"),
    _Line("licensed", "/news/a10.html", "news:10", "verbatim"),
    _Line("licensed", "/news/a11.html", "news:11", "adverts"),
    _Line("licensed", "/news/a21.html", "other-news:4", "none"),
    _Line("blog", "/post/20261020-fog.html", "雾港来信:7", "quotation", ("竹坞旧事:1",), "读书摘记之一"),
    _Line("blog", "/post/20261024-sky.html", "news:12", "quotation", ("竹坞旧事:2",), "塬上的耳朵和沟里的水"),
    _Line("blog", "/post/20261026-ship.html", "星槎纪事:4", "verbatim", title="转一段好看的"),
    _Line("blog", "/post/20261028-street.html", "news:1", "mixed", title="我去了西街"),
    _Line("blog", "/post/20261030-paper.html", "竹坞旧事:3", "none"),
    _Line("blog", "/post/20261101-hills.html", "other-news:5", "none"),
    _Line("blog", "/post/20261103-books.html", "other-news:6", "none"),
)

_SLOGANS = (
    "【广告】秋冬好物满三百减五十，点击领取专属优惠券！",
    "更多精彩内容请关注本站公众号，回复数字“八”即可免费阅读全文。",
    "手机用户请扫描下方二维码下载客户端，离线也能看，流量省一半！",
    "温馨提示：喜欢本站请按收藏键，方便下次继续浏览，求推荐求转发！",
)
_LEADS = ("前些天读到一段话，抄在这里：", "有一段文字是这样写的：", "别处也有类似的说法：")


@cache
def plan() -> tuple[SamplePage, ...]:
    """Return every page of the sample sites, the same at every call and in every process."""
    samples = load_samples()
    return tuple(_page(line, samples) for line in LINES)


def licences(base_urls: Mapping[SiteName, str]) -> dict[str, tuple[str, ...]]:
    """Return the hosts that may publish a work, by the work's title; works without licences are left out."""
    hosts: dict[str, tuple[str, ...]] = {}
    for sample in load_samples().values():
        allowed = tuple(_host(base_urls[site]) for site in _LICENCES if _may_publish(site, sample))
        if allowed:
            hosts[sample.work] = allowed
    return hosts


def sources(base_urls: Mapping[SiteName, str]) -> list[Source]:
    """Return what to crawl: one source a site, and two on the licensed one, which has books and news."""
    return [
        _source("demo-portal", "news", base_urls["portal"], ("/", "/list/1.html", "/list/2.html", "/list/3.html"),
                r"/2026/\d{4}/\d+\.html$"),
        _source("demo-novels", "novel", base_urls["novels"], _catalogues("novels"), r"/book/\d+/\d+(_\d+)?\.html$"),
        _source("demo-licensed-books", "novel", base_urls["licensed"], _catalogues("licensed"),
                r"/book/\d+/\d+\.html$"),
        _source("demo-licensed-news", "news", base_urls["licensed"], ("/news/",), r"/news/a\d+\.html$"),
        _source("demo-blog", "news", base_urls["blog"], ("/",), r"/post/[\w-]+\.html$"),
    ]  # fmt: skip


def _source(name: str, kind: WorkKind, base_url: str, paths: tuple[str, ...], follow: str) -> Source:
    starts = tuple(base_url + path for path in paths)
    return Source(name=name, kind=kind, start_urls=starts, follow=follow, max_pages=200, delay_s=0.0)


def _catalogues(site: SiteName) -> tuple[str, ...]:
    return tuple(book.path for book in BOOKS if book.site == site)


def _host(base_url: str) -> str:
    return base_url.removeprefix("http://")


def _may_publish(site: SiteName, sample: Sample) -> bool:
    return sample.protected and sample.ref.startswith(_LICENCES.get(site, ()))


def _page(line: _Line, samples: Mapping[str, Sample]) -> SamplePage:
    sample = samples[line.takes]
    beside = "\n".join(samples[ref].text for ref in line.beside)
    rng = Random(_seed(line.site + line.path))  # noqa: S311 - a disguise, not a secret
    title = line.title or sample.title
    return SamplePage(
        site=line.site,
        path=line.path,
        title=disguises.traditional(title) if line.disguise == "traditional" else title,
        author=sample.author,
        text=_disguised(sample.text, line.disguise, beside, rng),
        expected=_expected(line, sample),
        work=sample.work if sample.protected else None,
        disguise=line.disguise,
    )


def _seed(address: str) -> int:
    return int.from_bytes(hashlib.sha256(address.encode()).digest()[:8])


def _disguised(text: str, disguise: Disguise, beside: str, rng: Random) -> str:
    match disguise:
        case "none" | "verbatim":
            return text
        case "edited":
            return disguises.edit(text, 0.10, rng)
        case "homophones":
            return disguises.homophones(text, 0.40, rng)
        case "traditional":
            return disguises.traditional(text)
        case "shuffled":
            return disguises.shuffle_sentences(text, rng)
        case "adverts":
            return disguises.advertise(text, rng, _SLOGANS)
        case "mixed":
            return disguises.edit(disguises.homophones(text, 0.20, rng), 0.05, rng)
        case "half":
            return disguises.half(text, beside)
        case "quotation":
            quotation = disguises.quote(text, rng.randrange(80, 121), rng)
            return disguises.embed(quotation, beside, rng.choice(_LEADS), rng)


def _expected(line: _Line, sample: Sample) -> Verdict:
    if not sample.protected:
        return "clear"
    if line.disguise == "quotation":
        return "quote"
    if _may_publish(line.site, sample):
        return "licensed"
    return "partial" if line.disguise == "half" else "copy"

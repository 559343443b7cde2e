"""The sample sites as data: for each page the copied text and the disguise.

To add a page, add one line to ``LINES``; the expected verdict follows from it (see :mod:`deploy.demo.plan`).
No paragraph is on two pages of a site.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from storage.records import WorkKind

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
Flaw = Literal["missing", "empty", "list", "forbidden", "unfinished"]


@dataclass(frozen=True, slots=True)
class DemoLine:
    """One page of a sample site.

    Attributes:
        site: the site that it is on.
        path: its path there; of a chapter in several parts the first one's.
        takes: reference of the sample text that it takes (see :mod:`deploy.demo.samples`).
        disguise: how it takes it.
        around: references of the texts around it, for ``half`` and ``quotation``.
        title: another title; empty: the text's.
    """

    site: SiteName
    path: str
    takes: str
    disguise: Disguise
    around: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class UncheckedPage:
    """An address to which a sample site links, and which no scan can compare.

    ``missing`` answers 404, ``empty`` is a script without text, ``list`` contains only links, ``forbidden``
    is excluded by robots.txt, ``unfinished`` shows a note that the chapter is still being typed.
    """

    site: SiteName
    path: str
    title: str
    flaw: Flaw


@dataclass(frozen=True, slots=True)
class Book:
    """A catalogue of a book; its chapters are the pages under ``path``.

    ``script``: the address of a chapter's next part is in a script variable, not in a link.
    """

    site: SiteName
    path: str
    title: str
    author: str
    script: bool = False


@dataclass(frozen=True, slots=True)
class Entrance:
    """The start address and the settings with which a source crawls a site.

    Attributes:
        source: name of the source.
        paths: where it begins.
        follow: what an article's or chapter's address looks like.
    """

    source: str
    site: SiteName
    kind: WorkKind
    paths: tuple[str, ...]
    follow: str


BOOKS = (
    Book("novels", "/book/1/", "青灯渡", "沈砚秋"),
    Book("novels", "/book/2/", "灯塔来客", "佚名", script=True),
    Book("novels", "/book/3/", "竹坞旧事", "林晚樵"),
    Book("licensed", "/book/11/", "星槎纪事", "陆观澜"),
    Book("licensed", "/book/12/", "雾港来信", "顾南乔"),
)

# Site → beginnings of the references of the works that it may publish. It copies 雾港来信 without permission.
LICENCES: Mapping[SiteName, tuple[str, ...]] = {"licensed": ("星槎纪事:", "news:")}

ENTRANCES = (
    Entrance(
        "demo-portal",
        "portal",
        "news",
        ("/", "/list/1.html", "/list/2.html", "/list/3.html"),
        r"/2026/\d{4}/\d+\.html$",
    ),
    Entrance(
        "demo-novels",
        "novels",
        "novel",
        ("/book/1/", "/book/2/", "/book/3/"),
        r"/book/\d+/\d+(_\d+)?\.html$",
    ),
    Entrance(
        "demo-licensed-books",
        "licensed",
        "novel",
        ("/book/11/", "/book/12/"),
        r"/book/\d+/\d+\.html$",
    ),
    Entrance("demo-licensed-news", "licensed", "news", ("/news/",), r"/news/a\d+\.html$"),
    Entrance("demo-blog", "blog", "news", ("/",), r"/post/[\w-]+\.html$"),
)

UNCHECKED = (
    UncheckedPage("portal", "/2026/1105/30090.html", "绫塘镇举行秋季水上集市（图）", "missing"),
    UncheckedPage("portal", "/2026/1106/30091.html", "视频：一分钟看完霁州夜景", "empty"),
    UncheckedPage("portal", "/2026/1107/30092.html", "专题：金秋里的县城", "list"),
    UncheckedPage("portal", "/vip/2026/1107/30093.html", "会员专享：本周深度", "forbidden"),
    UncheckedPage("novels", "/book/2/206.html", "第6章 清洁工的钥匙", "unfinished"),
    UncheckedPage("novels", "/book/2/290.html", "请假条", "missing"),
)

LINES = (
    DemoLine("portal", "/2026/1101/30001.html", "news:1", "verbatim"),
    DemoLine("portal", "/2026/1101/30002.html", "news:2", "edited"),
    DemoLine("portal", "/2026/1102/30003.html", "news:3", "homophones"),
    DemoLine("portal", "/2026/1102/30004.html", "news:4", "traditional"),
    DemoLine(
        "portal", "/2026/1103/30005.html", "news:5", "shuffled", title="十三岁少年弃子取胜 赛场爆出冷门"
    ),
    DemoLine("portal", "/2026/1103/30006.html", "news:6", "adverts", title="采茶机上坡记"),
    DemoLine("portal", "/2026/1104/30007.html", "news:7", "half", ("other-news:5",), "两则平安消息"),
    DemoLine(
        "portal", "/2026/1104/30008.html", "news:8", "quotation", ("other-news:4", "other-news:6"), "一周速览"
    ),
    DemoLine("portal", "/2026/1105/30009.html", "other-news:1", "none"),
    DemoLine("portal", "/2026/1105/30010.html", "other-news:2", "none"),
    DemoLine("portal", "/2026/1106/30011.html", "other-news:3", "none"),
    DemoLine("novels", "/book/1/101.html", "青灯渡:1", "verbatim"),
    DemoLine("novels", "/book/1/102.html", "青灯渡:2", "edited"),
    DemoLine("novels", "/book/1/103.html", "青灯渡:3", "homophones"),
    DemoLine("novels", "/book/1/104.html", "青灯渡:4", "traditional"),
    DemoLine("novels", "/book/1/105.html", "青灯渡:5", "shuffled"),
    DemoLine("novels", "/book/1/106.html", "青灯渡:6", "adverts"),
    DemoLine("novels", "/book/1/107.html", "青灯渡:7", "half", ("竹坞旧事:3",)),
    DemoLine("novels", "/book/2/201.html", "雾港来信:1", "verbatim"),
    DemoLine("novels", "/book/2/202.html", "雾港来信:2", "homophones"),
    DemoLine("novels", "/book/2/203.html", "雾港来信:3", "edited"),
    DemoLine("novels", "/book/2/204.html", "雾港来信:4", "traditional"),
    DemoLine("novels", "/book/2/205.html", "雾港来信:5", "mixed"),
    DemoLine("novels", "/book/3/301.html", "竹坞旧事:1", "none"),
    DemoLine("novels", "/book/3/302.html", "星槎纪事:5", "quotation", ("竹坞旧事:2",), "第二章　水碓"),
    DemoLine("licensed", "/book/11/1.html", "星槎纪事:1", "verbatim"),
    DemoLine("licensed", "/book/11/2.html", "星槎纪事:2", "verbatim"),
    DemoLine("licensed", "/book/11/3.html", "星槎纪事:3", "traditional"),
    DemoLine("licensed", "/book/11/6.html", "星槎纪事:6", "homophones"),
    DemoLine("licensed", "/book/12/6.html", "雾港来信:6", "verbatim"),
    DemoLine("licensed", "/news/a9.html", "news:9", "verbatim"),
    DemoLine("licensed", "/news/a10.html", "news:10", "verbatim"),
    DemoLine("licensed", "/news/a11.html", "news:11", "adverts"),
    DemoLine("licensed", "/news/a21.html", "other-news:4", "none"),
    DemoLine("blog", "/post/20261020-fog.html", "雾港来信:7", "quotation", ("竹坞旧事:1",), "读书摘记之一"),
    DemoLine(
        "blog", "/post/20261024-sky.html", "news:12", "quotation", ("竹坞旧事:2",), "塬上的耳朵和沟里的水"
    ),
    DemoLine("blog", "/post/20261026-ship.html", "星槎纪事:4", "verbatim", title="转一段好看的"),
    DemoLine("blog", "/post/20261028-street.html", "news:1", "mixed", title="我去了西街"),
    DemoLine("blog", "/post/20261030-paper.html", "竹坞旧事:3", "none"),
    DemoLine("blog", "/post/20261101-hills.html", "other-news:5", "none"),
    DemoLine("blog", "/post/20261103-books.html", "other-news:6", "none"),
)

SLOGANS = (
    "【广告】秋冬好物满三百减五十，点击领取专属优惠券！",
    "更多精彩内容请关注本站公众号，回复数字“八”即可免费阅读全文。",
    "手机用户请扫描下方二维码下载客户端，离线也能看，流量省一半！",
    "温馨提示：喜欢本站请按收藏键，方便下次继续浏览，求推荐求转发！",
)
LEADS = ("前些天读到一段话，抄在这里：", "有一段文字是这样写的：", "别处也有类似的说法：")

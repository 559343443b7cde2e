"""Small pages for tests of extraction."""

from typing import Any

from support.mutations import PARAGRAPHS

from crawler.extraction import ExtractedPage, extract

URL = "http://x.example/b/7.html"
PROSE = (
    "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。他在这里守了四十年，从来没有"
    "见过哪一盏自己灭掉。可是今晚，第三盏灯闪了三下，就像有人在对岸打了个暗号，然后熄了。江水拍着木桩，一下，又一下。"
)


def page(body: str, *, title: str = "渡口的灯", head: str = "") -> bytes:
    """Return a page with a title."""
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def article(*paragraphs: str, **options: Any) -> bytes:
    """Return a page of paragraphs in one block."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return page(f"<div id='content'>{body}</div>", **options)


def extract_page(head: str = "", body: str = PARAGRAPHS, **options: Any) -> ExtractedPage:
    """Return what is extracted from a page of a story, with something in its head."""
    html = f"<html><head>{head}</head><body><div>{body}</div></body></html>"
    return extract(html.encode(), url=URL, **options)

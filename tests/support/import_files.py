"""Files that people import, one of each form, written for the tests."""

import gzip
import json
import zipfile

BOOK_SOURCE = {
    "bookSourceName": "青灯书屋",
    "bookSourceUrl": "https://www.lamp-books.example#备注",
    "bookSourceType": 0,
    "searchUrl": "/search?q={{key}}&p={{page}}",
    "ruleContent": {"content": "class.txt.0@html##广告", "nextContentUrl": "text.下一页@href"},
    "ruleToc": {"chapterList": "@js:result"},
}
NETSCAPE = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n"
    '<DT><A HREF="https://copy-a.example/book/12/" ADD_DATE="1">青灯渡 全文</A>\n'
    '<DT><A HREF="place:sort=8">最近</A>\n</DL>\n'
)
OPML = (
    '<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><body><outline text="小说">'
    '<outline text="转载站" xmlUrl="https://copy-b.example/feed.xml" htmlUrl="https://copy-b.example/"/>'
    "</outline></body></opml>"
)
RSS = (
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>转载</title>'
    '<atom:link rel="self" href="https://copy-c.example/rss"/><item><title>青灯渡 第一章</title>'
    "<link>https://copy-c.example/1.html</link></item></channel></rss>"
)
SITEMAP = "<urlset><url><loc>https://copy-d.example/a.html</loc></url></urlset>"
CDXJ = (
    'example,copy-e)/qingdengdu 20240102030405 {"url": "https://copy-e.example/qingdengdu/1.html"}\n'
    'example,other)/x 20240102030405 {"url": "https://other.example/x"}\n'
    "example,broken)/x 20240102030405 {\n"
)
REMOVALS = (
    "Request ID,Copyright owner name,Work,URL\n"
    "17,某出版社,青灯渡,https://copy-f.example/12\n18,另一家,别的书,https://copy-g.example/1\n"
)
TELEGRAM = json.dumps(
    {
        "name": "书友",
        "messages": [
            {
                "id": 1,
                "from": "甲",
                "text": ["《青燈渡》看这里 ", {"type": "link", "text": "https://copy-h.example/q"}],
            },
            {"id": 2, "from": "乙", "text": "今天天气不错"},
        ],
    },
    ensure_ascii=False,
)
QQ = (
    "消息记录（此消息记录为文本格式，不支持重新导入）\n\n2024-05-01 12:30:05 小林(10001)\n青灯渡 https://copy-i.example/1\n\n"
    "2024-05-01 12:31:00 小王(10002)\n好的\n"
)
CSV = "序号,书名,网址\n1,青灯渡,https://copy-j.example/12/\n2,雾港来信,copy-k.cn\n3,星槎纪事,\n"


def book_sources(count=1):
    """Return a 书源 file with a number of sites."""
    sources = [
        BOOK_SOURCE | {"bookSourceUrl": f"https://books-{number}.example"} for number in range(1, count)
    ]
    return json.dumps([BOOK_SOURCE, *sources], ensure_ascii=False).encode()


def workbook(path, rows):
    """Write an XLSX file with inline texts."""
    filled = ["".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) for row in rows]
    cells = "".join(f"<row>{row}</row>" for row in filled)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
        book.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
        )
    return path


FORMS = {
    "book-sources": book_sources(),
    "bookmarks": NETSCAPE.encode(),
    "opml": OPML.encode(),
    "feed": RSS.encode(),
    "sitemap": gzip.compress(SITEMAP.encode()),
    "index": CDXJ.encode(),
    "removals": REMOVALS.encode("gb18030"),
    "chat": QQ.encode("utf-16"),
    "addresses": CSV.encode("gb18030"),
}

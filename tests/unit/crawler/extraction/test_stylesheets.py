"""External sheets: which ones a page names, which rules are kept, and what they hide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.addresses import is_web
from crawler.extraction import PageContext, extract
from crawler.extraction.css_syntax import sheet_rules
from crawler.extraction.nextpage import base_url
from crawler.extraction.parsing import parse
from crawler.extraction.stylesheets import MAX_SHEETS, kept_rules, linked_sheet, named_sheets

URL = "http://x.example/book/1.html"
PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 4
JUNK = "本站最受欢迎的彩票平台天天有人中大奖，快来加入我们的行列吧。"
SHEET = "http://x.example/book/a.css"


def extract_with(sheet, *, head='<link rel=stylesheet href="a.css">', body="", address=SHEET):
    paragraphs = f"<p>{PROSE}</p>{body or f'<p class=zx>{JUNK}</p>'}<p>{PROSE}</p>"
    whole = f"<html><head><title>渡口</title>{head}</head><body><div>{paragraphs}</div></body></html>"
    return extract(whole.encode(), url=URL, context=PageContext(sheets=((address, kept_rules(sheet)),)))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<link rel="stylesheet" href="a.css">', ["http://x.example/book/a.css"]),
        ("<LINK HREF=/a.css?b=1&amp;a=2 REL=Stylesheet>", ["http://x.example/a.css?a=2&b=1"]),
        (
            "<link href='//y.example/a.css' rel='stylesheet' media='screen, print'>",
            ["http://y.example/a.css"],
        ),
        ('<base href="http://z.example/s/"><link rel=stylesheet href=a.css>', ["http://z.example/s/a.css"]),
        ('<link rel="alternate stylesheet" href="a.css">', []),
        ('<link rel="stylesheet" media="print" href="a.css">', []),
        ('<link rel="icon" href="a.css"><link rel=stylesheet>', []),
        ('<link rel="stylesheet" href="data:text/css,p{}"><link rel=stylesheet href="http://[x/a.css">', []),
    ],
)
def test_bytes_and_the_tree_name_the_same_sheets(markup, expected):
    page = f"<html><head>{markup}</head><body>渡口</body></html>"
    assert named_sheets(page.encode("gbk"), url=URL) == expected
    tree = parse(page)
    addresses = [linked_sheet(link, base_url(tree, URL)) for link in tree.iter("link")]
    assert list(filter(None, addresses)) == expected


def test_few_sheets_of_a_page_are_named():
    page = "".join(f"<link rel=stylesheet href={number}.css>" for number in range(99)).encode()
    assert len(named_sheets(page, url=URL)) == MAX_SHEETS


@given(st.binary(max_size=300))
def test_any_bytes_name_few_sheets_with_absolute_addresses(data):
    noise = b"<link " + data + b"><link rel=stylesheet href=" + data + b">"
    addresses = named_sheets(noise, url=URL)
    assert len(addresses) == len(set(addresses)) <= MAX_SHEETS
    assert all(is_web(address) for address in addresses)
    following = named_sheets(noise + b"'>\"><link rel=stylesheet href=http://y.example/z.css>", url=URL)
    assert following[-1] == "http://y.example/z.css"


@pytest.mark.parametrize(
    "style",
    ["display:none", "visibility:hidden", "font-size:0", "position:absolute;left:-999em", "opacity:0"],
)
def test_text_hidden_by_a_sheet_is_not_read(style):
    assert JUNK in extract_with(".zx{color:red}").text
    result = extract_with(f".zx{{{style}}}")
    assert JUNK not in result.text
    assert result.text.count(PROSE) == 2
    assert result.dropped["hidden"] == len(JUNK)


def test_later_of_linked_and_inline_rules_counts():
    shown, link = "<style>.zx{display:block}</style>", '<link rel=stylesheet href="a.css">'
    assert JUNK in extract_with(".zx{display:none}", head=link + shown).text
    assert JUNK not in extract_with(".zx{display:none}", head=shown + link).text


def test_sheet_that_the_page_does_not_link_to_hides_nothing():
    assert JUNK in extract_with(".zx{display:none}", address="http://x.example/other.css").text


def test_sheet_that_hides_most_of_the_page_is_ignored():
    # The site's script shows what its sheet hides: the article, in the worst case.
    body = "".join(f"<p class=late>{number}{PROSE}</p>" for number in range(5))
    result = extract_with(".late{opacity:0}", body=body)
    assert result.text.count(PROSE) == 7


def test_only_rules_that_affect_visibility_are_kept():
    sheet = (
        "/* x */ .a{cursor:text} .b , .c{display : none; cursor:text} @media print{.d{display:none}}"
        ".e{color:#fff}"
        '.f::before{content:"\\4e86"} .g::before{content:"\\e601"; cursor:text} .h{order:-1 !important}'
        "@media screen{.i{left:0}} @layer x{.j{top:1px}} @container (width){.k{opacity:0}} .l{--m:none}"
        "@keyframes n{to{opacity:1}}"
    )
    assert kept_rules(sheet).splitlines() == [
        ".b , .c{display:none}",
        ".e{color:#fff}",
        '.f::before{content:"\\4e86"}',
        ".h{order:-1!important}",
        ".i{left:0}",
        "@layer x{.j{top:1px}}",
        "@container (width){.k{opacity:0}}",
        ".l{--m:none}",
        "@keyframes n{to{opacity:1}}",
    ]
    assert kept_rules(kept_rules(sheet)) == kept_rules(sheet)
    assert len(kept_rules(".b{display:none}" * 100_000)) <= 100_000


@pytest.mark.parametrize(
    "sheet",
    [
        "/*" * 250_000,
        "@media screen{" * 40_000,
        "@media screen{" * 20_000 + ".zx{display:none}" * 15_000,
        ".zx{" + "color:red;" * 50_000 + "}",
        "{" * 500_000,
        "}" * 500_000,
        "div div div div div div p{display:none}" * 12_000,
        ",".join(["div p"] * 80_000) + "{display:none}",
        "* " * 200 + "{display:none}",
        "a{b:(" * 100_000,
        "a{'" * 100_000,
        "/*x*/@" * 80_000,
        "a{b:url('x" * 50_000,
    ],
    ids=lambda sheet: sheet[:12],
)
def test_sheets_are_read_in_bounded_time(sheet):
    list(sheet_rules(sheet))  # it took hours for some of them before each step was linear
    body = "".join(f"<div><p>{PROSE}</p></div>" for _ in range(300))
    assert PROSE in extract_with(sheet, body=body).text

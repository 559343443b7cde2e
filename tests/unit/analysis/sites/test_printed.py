"""What counts as a contact in a line or a link of a page, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.sites.printed import PageLink, facts_in, facts_of_link, hidden_address

LINES = {
    "filings": (
        "Copyright © 2019-2024 某某小说网 京ICP备12345678号-1 京公网安备 11010102001234号",
        {("icp", "京ICP备12345678号-1"), ("police", "京公网安备11010102001234号")},
    ),
    "full-width": ("粤ＩＣＰ备２０２１０００００１号", {("icp", "粤ICP备2021000001号")}),
    "licence": ("沪ICP證030173號 浙B2-20080224", {("icp", "沪ICP证030173号"), ("icp", "浙B2-20080224")}),
    "builder": ("版权所有 北京青灯科技有限公司 技术支持:上海建站公司", {("name", "北京青灯科技有限公司")}),
    "named": ("主办单位：某某县融媒体中心", {("name", "某某县融媒体中心")}),
    "hash": ("投诉邮箱:tousu#qq.com（请将#换成@）", {("email", "tousu@qq.com")}),
    "at": ("admin(at)book-site(dot)com", {("email", "admin@book-site.com")}),
    "words": ("mail: abuse at lamp dot org dot cn", {("email", "abuse@lamp.org.cn")}),
    "brackets": ("站长 lamp【at】163。com", {("email", "lamp@163.com")}),
    "wide-mail": ("ＥＭＡＩＬ：ｔｏｕｓｕ＠１６３．ｃｏｍ", {("email", "tousu@163.com")}),
    "sentence": ("Write to info@lamp-books.com.We answer.", {("email", "info@lamp-books.com")}),
    "qq": ("站长QQ：123456789 QQ群：987654321", {("qq", "123456789")}),
    "qq-mail": ("QQ 12345678@qq.com", {("email", "12345678@qq.com")}),
    "telephone": ("举报电话：010-88886666转801 传真：010-88887777", {("phone", "010-88886666转801")}),
    "brackets-telephone": ("电话:(010)62628888", {("phone", "010-62628888")}),
    "mobile": ("联系方式 138 1234 5678", {("phone", "138 1234 5678")}),
    "free": ("400-888-1234", {("phone", "400-888-1234")}),
    "postal": ("地址：北京市海淀区中关村大街1号 邮编：100080", {("address", "北京市海淀区中关村大街1号")}),
}  # fmt: skip
NONE = {
    "picture": "logo@2x.png",
    "language": "C#asp.net",
    "anchor": "http://a.cn/x.html#top.com",
    "example": "name@example.com xxx@qq.com",
    "date": "2024-01-31 12:30:55 共 123456789 字",
    "price": "售价 12345678 元",
    "group": "QQ群 123456789",
    "profile": "https://blog.lamp.cn/qq449245884/article",
    "story": "后来与母亲合资成立了灯塔娱乐有限公司",
    "list": "灯塔科技有限公司 招聘 26评论",
    "code": "git@github.com",
}


@pytest.mark.parametrize("name", LINES)
def test_line_gives_its_contacts(name):
    line, facts = LINES[name]
    assert {(fact.kind, fact.value) for fact in facts_in(line)} == facts


@pytest.mark.parametrize("name", NONE)
def test_line_without_a_contact_gives_none(name):
    assert list(facts_in(NONE[name])) == []


def test_words_about_complaints_outweigh_words_about_advertising():
    lines = ("侵权投诉 a1@lamp.cn", "商务合作 b2@lamp.cn", "c3@lamp.cn")
    weights = {fact.value: fact.weight for line in lines for fact in facts_in(line)}
    assert weights == {"a1@lamp.cn": 3, "b2@lamp.cn": 0, "c3@lamp.cn": 1}


@pytest.mark.parametrize(
    ("url", "label", "expected"),
    [
        ("https://lamp.cn/dmca", "版权投诉", [("form", "https://lamp.cn/dmca", 3)]),
        ("https://lamp.cn/s", "免责声明", [("form", "https://lamp.cn/s", 2)]),
        ("https://lamp.cn/c", "联系我们", [("form", "https://lamp.cn/c", 1)]),
        ("https://www.12377.cn/", "违法信息举报", []),
        ("https://lamp.cn/7.html", "第七章 他们要投诉这家书店,于是写了一封长长的信", []),
        ("javascript:alert(1)", "版权投诉", []),
        ("https://lamp.cn/9.html", "加强知识产权保护工作激发创新", []),
        ("mailto:Help%40lamp.cn?subject=x", "信箱", [("email", "help@lamp.cn", 1)]),
        ("tel:010-62628888", "", [("phone", "010-62628888", 1)]),
        ("http://wpa.qq.com/msgrd?v=3&uin=12345678&site=qq", "客服", [("qq", "12345678", 2)]),
    ],
)
def test_links_lead_to_people_that_answer(url, label, expected):
    facts = facts_of_link(PageLink(url, label))
    assert [(fact.kind, fact.value, fact.weight) for fact in facts] == expected


@pytest.mark.parametrize("code", ["", "zz", "7a", "7a1b" * 300, "00" * 8])
def test_damaged_code_of_a_hidden_address_gives_none(code):
    assert hidden_address(code) == ""


@given(st.text(alphabet="京ICP备公网安电话地址QQ@#.(at)点 -0123456789abcn:有限公司", max_size=200))
def test_every_value_is_short_and_quoted_from_its_line(line):
    for fact in facts_in(line):
        assert 0 < len(fact.value) <= 120
        assert 0 < len(fact.words) <= 4_000

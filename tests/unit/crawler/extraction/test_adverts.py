"""Advertisements inside lines are removed exactly; sentences that mention such things stay whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.changed.corpora import SAMPLES

from crawler.extraction.adverts import without_adverts
from crawler.extraction.cleaning import clean

LINES = [
    line.strip()
    for path in sorted((SAMPLES / "novels").glob("*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.strip()
]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "他抬起头。天才一秒记住本站地址：[望江书屋]www.wangjiang.com最快更新！无广告！她笑了。",
            "他抬起头。她笑了。",
        ),
        ("他走过去最⊥新⊥小⊥说⊥百⊥度⊥搜，看见灯。", "他走过去，看见灯。"),
        ("江水很冷ｍ．ｘｘ．ｃｏｍ，他缩了缩手。", "江水很冷，他缩了缩手。"),
        ("江水w w w . x x 5 5 . c o m很冷。", "江水很冷。"),
        ("他说：“走吧。”（本章未完，请点击下一页继续阅读）", "他说：“走吧。”"),
        ("再次看著宅邸，並不豪華。……（內容加載失敗！請重載或更換瀏覽器）", "再次看著宅邸，並不豪華。……"),
        ("手机用户请浏览m.wangjiang.com阅读，更优质的阅读体验。他想。", "他想。"),
        ("他想。一秒记住，精彩小说无弹窗免费阅读！她说。", "他想。她说。"),
        ("首发网址：www.abc.net他想", "他想"),
        ("手☆机☆阅☆读☆请☆访☆问☆wap.xx.com", ""),
        ("（落霞小说 https://www.yunjian.top）雨停了。", "雨停了。"),
    ],
)
def test_adverts_are_removed(line, expected):
    assert without_adverts(line).strip() == expected


@pytest.mark.parametrize(
    "line",
    [
        "他一秒记住了那张脸，此后四十年没有忘记。",
        "“你这个网站的最新小说很精彩，请大家收藏。”他念道。",
        "铁路部门提醒广大旅客，请通过铁路12306官方网站（www.12306.cn）和“铁路12306”客户端购票。",
        "手机用户请注意，更新固件前先备份数据。",
        "记者登录www.people.com.cn看到，公告已经发布。",
        "她把信收藏在箱底，记住了地址。",
        "该平台提供免费阅读、在线阅读服务，用户可以在手机阅读。",
        "用户搜索“最新章节”，首发当日卖出一万本。",
        "他点击“下一页”，继续读那份报告。",
        "本文首发于江岸日报公众号。",
        "监寺的不由得自己伸手打自己的嘴巴。",
        "她可不是水|性|杨|花的女人。",
        "这‘色’字头上一把刀。",
        "“请收藏我的书店，”老板说，“我们的网址印在书签上。”",
    ],
)
def test_sentences_are_kept(line):
    assert without_adverts(line) == line


def test_clean_prose_is_untouched():
    cleaned = clean(LINES)
    assert list(cleaned.lines) == LINES
    assert cleaned.dropped == {}


@settings(max_examples=200)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=8), st.data())
def test_prose_in_any_order_and_any_cut_is_untouched(lines, data):
    whole = "".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    assert without_adverts(whole[cut:]) == whole[cut:]


@settings(max_examples=200)
@given(
    # Latin letters right behind an address would be part of it.
    st.sampled_from(
        [line for line in LINES if "。" in line[:-1] and not line[line.index("。") + 1].isascii()]
    ),
    st.sampled_from(
        [
            "天才一秒记住本站地址：www.wangjiang.com",
            "（本章未完，请翻页）",
            "ｗｗｗ．ｗａｎｇ．ｃｏｍ",
            "请记住本站网址：www.wang.net",
            "最⊥新⊥章⊥节",
        ]
    ),
)
def test_advert_after_a_sentence_leaves_the_sentence(line, advert):
    at = line.index("。") + 1
    assert without_adverts(line[:at] + advert + line[at:]) == line


@given(st.text(max_size=200))
def test_any_line_is_accepted(line):
    assert len(without_adverts(line)) <= len(line)

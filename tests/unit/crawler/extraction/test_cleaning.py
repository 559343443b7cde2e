"""Slogans are removed, the author's sentences stay."""

import pytest

from crawler.extraction.cleaning import asks_to_turn_page, clean


@pytest.mark.parametrize(
    "line",
    [
        "天才一秒记住【望江书屋】地址：www.wangjiang.example，最快更新！",
        "一秒记住，精彩小说无弹窗免费阅读！",
        "最新章节由望江书屋全文字手打更新，请收藏本站。",
        "请记住本站域名：wangjiang.example。手机版阅读网址：m.wangjiang.example",
        "请收藏本站，方便下次阅读",
        "（本章未完，请点击下一页继续阅读）",
        "小主，这个章节后面还有哦，请点击下一页继续阅读，后面更精彩！",
        "(责任编辑：许文)",
        "责编：李 明",
        "（本章完）",
        "手机用户请到m.wangjiang.example阅读。",
        "喜欢渡口请大家收藏：渡口望江书屋更新速度全网最快。",
        "上一章 目录 下一章",
        "ｗｗｗ．ｗａｎｇｊｉａｎｇ．ｅｘａｍｐｌｅ",
        "求月票、求推荐票！",
    ],
)
def test_slogans_are_recognised(line):
    assert clean([line]).dropped == {"slogan": len(line)}


@pytest.mark.parametrize(
    "line",
    [
        "他一秒记住了那张脸，此后四十年没有忘记。",
        "“编辑：这稿子能用吗？”她学着主编的腔调问。",
        "老许把信收进箱子，合上最后一页。",
        "请记住我。",
        "“目录在哪里？”",
        "他求推荐信求了三个月，没有一个人肯写。",
        "白日依山尽，黄河入海流。",
        "本章讲的是渡口的历史。",
        "第一章 渡口的灯",
        "1",
    ],
)
def test_sentences_of_the_story_stay(line):
    assert "slogan" not in clean([line]).dropped


def test_everything_removed_is_counted():
    cleaned = clean(["老\u200b许数灯。", "", "（本章完）", "\ufeff", "  一盏不少。 "])
    assert cleaned.lines == ("老许数灯。", "一盏不少。")
    assert cleaned.dropped == {"zero_width": 2, "slogan": 5}
    assert clean(["灯"]).dropped == {}


def test_calls_to_turn_the_page_are_detected():
    assert asks_to_turn_page("他说……\n（本章未完，请翻页）")
    assert not asks_to_turn_page("他翻了一页书。")


def test_adverts_inside_lines_are_removed():
    advert, notice = (
        "（本章未完，请翻页）",
        "【手機版頁面由於相容性問題暫不支持電腦端閱讀，請使用手機閱讀。】",
    )
    cleaned = clean([f"老许数灯。{advert}", notice, "灯⼀⽇"])
    assert cleaned.lines == ("老许数灯。", "灯一日")
    assert cleaned.dropped["advert"] == len(advert + notice)


def test_numbers_after_most_paragraphs_are_removed():
    lines = [f"第{n}盏灯灭了。" for n in range(9)]
    assert clean([f"{line}{n + 3}" for n, line in enumerate(lines)]).lines == tuple(lines)
    assert clean([*lines, "今年是2026年。20"]).lines == (*lines, "今年是2026年。20")


def test_lines_of_signs_stay():
    assert clean(["－－－－－－", "＊＊＊"]).lines == ("－－－－－－", "＊＊＊")

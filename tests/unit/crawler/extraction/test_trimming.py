"""Titles, dates and notices around an article are removed; its sentences about rights stay."""

import pytest

from crawler.extraction.outline import line_of
from crawler.extraction.title_lines import squeeze
from crawler.extraction.trimming import is_label, is_notice, trim
from fingerprint.text.variants import fold

PROSE = "雾从江心漫过来的时候，老许正在数灯。"


def trim_texts(*lines, title="渡口的灯"):
    return [line.text for line in trim([line_of(text) for text in lines], title=title)]


@pytest.mark.parametrize(
    "line",
    [
        "来源：人民日报 2024-05-13 08:49",
        "2019年09月07日 15:10:53 字号：A- A A+ 来源：EETOP",
        "责任编辑：张毅",
        "[责任编辑：alonliu]",
        "编辑｜王寒",
        "（原标题：纸团从天而降）",
        "分享到：",
        "打印 关闭",
        "发布日期：2016-11-22 浏览次数： 信息来源：省发改委",
        "首页> 时政频道> 要闻 > 正文",
        "上一篇：候鸟北归",
        "責任編輯：陳雅玲",
        "圖／江岸日報提供",
        "發布時間：2024/03/05 10:20",
        "點閱：123",
        "分享到 LINE",
    ],
)
def test_label_lines_are_trimmed(line):
    assert is_label(fold(squeeze(line)))
    assert trim_texts(line, PROSE, line) == [PROSE]


@pytest.mark.parametrize(
    "line",
    [
        "版权声明：本文版权归江岸日报所有，未经授权不得转载。",
        "以上内容为创作者平台用户上传并发布，本平台仅提供信息存储空间服务。",
        "声明：证券时报力求信息真实、准确，文章提及内容仅供参考，不构成实质性投资建议，据此操作风险自担。",
        "扫描下方二维码，关注江岸日报微信公众号。",
        "版權聲明：本文版權歸江岸日報所有，未經授權不得轉載。",
        "不用抽 不用搶 現在用APP看新聞 點我下載APP 按我看活動辦法",
    ],
)
def test_notice_lines_are_trimmed(line):
    assert is_notice(fold(squeeze(line)))
    assert trim_texts(PROSE, line) == [PROSE]


@pytest.mark.parametrize(
    "line",
    [
        "目前，三人因涉嫌侵犯著作权罪被公安机关采取强制措施，该案还在进一步侦办中。",
        "游客须在向导带领下分批进入，并且不得使用无人机和闪光灯。",
        "访问期间，双方签署了合作文件。",
        "来自政府、协会、企业的近百名人士见证了签约仪式。",
        "2023年11月2日，外交部长同约旦副首相通电话。",
        "请通过铁路12306官方网站和“铁路12306”客户端购票，避免非正常渠道购票带来的风险。",
        "他同时提醒，应先与邻居充分协商，以免产生纠纷被认定侵权。",
    ],
)
def test_sentences_are_never_trimmed(line):
    assert trim_texts(line, PROSE, line) == [line, PROSE, line]


def test_head_ends_with_its_last_label():
    assert trim_texts("渡口的灯", "香港电台", "2024年5月22日 上午8:21", PROSE) == [PROSE]


def test_heading_for_other_articles_ends_the_text():
    for heading in ("相关阅读", "延伸閱讀", "更多江岸日報報導", "相關新聞："):
        assert trim_texts(PROSE, PROSE, PROSE, PROSE, heading, "候鸟比往年早到了。") == [PROSE] * 4
    assert trim_texts(PROSE, "相关阅读", PROSE, PROSE) == [PROSE, "相关阅读", PROSE, PROSE]


def test_headings_and_captions_inside_stay():
    assert trim_texts("一、渡口", PROSE, "责任编辑部的灯", PROSE, "渡口夜景") == [
        "一、渡口",
        PROSE,
        "责任编辑部的灯",
        PROSE,
        "渡口夜景",
    ]


def test_text_without_sentences_keeps_its_lines():
    assert trim_texts("来源：江岸", "白日依山尽", "黄河入海流") == ["白日依山尽", "黄河入海流"]


@pytest.mark.parametrize(
    "line",
    [
        "江岸文学网 2024-03-01 10:20",
        "通联：许文 来源：江岸文学网 点击：32次",
        "[收藏此章节] [投诉]",
        "[收藏此章节] [推荐给朋友] [字号] [设置]",
        "内容简介",
    ],
)
def test_meta_lines_and_tools_of_a_page_are_trimmed(line):
    assert trim_texts(line, PROSE, line) == [PROSE]


@pytest.mark.parametrize(
    "line", ["他在[收藏]柜里找到一盏灯。", "灯号：三盏 渡口：江北", "一九二四年三月一日 阴"]
)
def test_lines_that_only_resemble_tools_stay(line):
    assert trim_texts(line, PROSE) == [line, PROSE]

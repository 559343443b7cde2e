"""A notice that a page does not exist is distinguished from a text that speaks of one."""

import pytest

from crawler.extraction import extract
from crawler.extraction.notices import says_gone, says_try_later

STORY = "渡口的灯一盏一盏地亮了起来，卖藕的女人挑着担子上了船，没有人说话。"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("提示信息", "您要访问的章节不存在，可能已经被删除或正在转码，请返回目录重新选择。"),
        ("提示", "抱歉，指定的主题不存在或已被删除或正在被审核。"),
        ("", "对不起，没有找到您要查看的小说，它可能已经下架，您可以返回首页看看别的书。"),
        ("出错了", "页面走丢了，请检查您输入的网址是否正确，或者点击这里返回首页。"),
        ("404 Not Found", ""),
        ("系统提示", "參數錯誤，該章節不存在，請返回書頁重新選擇，系統將在三秒後自動跳轉。"),
        ("温馨提示", "该书已下架或不存在！三秒后将自动跳转到首页，感谢您的支持与理解。"),
        ("", "章节ID错误，请返回上一页重新选择您要阅读的章节，或者联系本站管理员。"),
        ("提示", "暂无该章节，请稍候片刻后返回目录页查看其他章节，或点击此处返回首页。"),
        ("", "你访问的文章不见了"),
    ],
)
def test_notice_says_that_the_page_is_gone(title, text):
    assert says_gone(title, text)
    assert not says_gone(title and "渡口", STORY)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("渡口的灯", STORY),
        ("渡口的灯", f"{STORY}他把信翻过来，背面的内容已经被删除了，只剩下一个名字。{STORY}"),
        ("第三章", "那座桥早已不存在了，只有老人还记得它的样子，和桥上那盏从来没有灭过的灯。"),
        ("回复", "楼上说的那个帖子不存在争议，大家都看过原文，写得确实很细，值得反复读几遍。"),
        ("", "此页已删除" + STORY * 8),
        ("提示信息", "系统正在维护，页面找不到请稍后再试，给您带来不便敬请谅解，感谢支持。"),
        ("", "页面打不开？请求过多，请稍后刷新"),
    ],
)
def test_stories_and_outages_are_not_removal_notices(title, text):
    assert not says_gone(title, text)


def test_temporary_notices_are_distinguished_from_stories():
    assert says_try_later("提示", "服务器繁忙，请稍后再试。")
    assert says_try_later(
        "提示信息", "网站正在升级维护，内容暂时不可见，给您带来不便，敬请谅解，请稍后刷新。"
    )
    assert not says_try_later("渡口", f"{STORY}他说等修桥的人维护好了缆绳再过河，急也急不来，路还长得很。")
    assert not says_try_later("渡口", STORY * 10 + "请稍后再试")


def test_notice_with_chapter_links_is_not_a_chapter():
    links = "<a href=6.html>上一章</a> <a href=./>目录</a> <a href=8.html>下一章</a>"
    notice = "抱歉，您要访问的章节不存在，可能已经被删除或者正在转码，请返回目录重新选择章节阅读。"
    for text, kind in ((notice, "article"), (STORY * 2, "chapter")):
        page = f"<title>船匠_小书屋</title><body><h1>船匠</h1><p>{text}</p><div>{links}</div>"
        assert extract(page.encode(), url="http://x.example/b/7.html").kind == kind

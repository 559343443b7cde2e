"""Pages that say that the requested page does not exist, with any status. Pure.

A site may answer a dead address with status 200 and a notice: 提示信息, 您要访问的章节不存在. The notice is
short, and most of it is about the page itself. A story in which a letter no longer exists is not a notice,
nor is a post about deleted pages.
"""

import re

from crawler.extraction.short_texts import count_han, is_text
from fingerprint.text.variants import fold

_MAX_NOTICE_CHARS = 200  # maximum characters of a page that may be a notice
_MIN_NOTICE_SHARE = 0.5  # minimum share of a notice's characters that are about the page itself
_THING = (
    "(?:页面|网页|此页|该页|本页|页|文章|章节|该章|本章|此章|作品|小说|书籍|图书|本书|该书|此书|书本|内容|帖子|主题|话题|资源|链接|稿件"
    "|地址|网址|信息|数据|记录|文件|视频|新闻|日志|博文|专题|栏目|路径|商品|目录|URL|URI)"
)
_LOST = (
    r"不存在(?!争议|问题|任何|矛盾|困难|误会|什么|疑问)|不在了|不见了|走丢|丢失|飞走|迷路|失踪|离家出走|去(?:了)?火星"
    r"|已[^。\n]{0,6}(?:删除|移除|移走|下架|下线|失效|过期|屏蔽|封禁|清除|关闭|撤销|撤下)"
    r"|被[^。\n]{0,6}(?:删除|移除|屏蔽|封禁|撤下|撤稿)"
    r"|找不到|未找到|没有?找到|无法找到|无法显示|打不开了"
)
_SAYS_GONE = re.compile(
    rf"{_THING}[^。\n]{{0,12}}(?:{_LOST}|(?:涉嫌|因|由于)[^。\n]{{0,10}}(?:违规|侵权|违法))"
    rf"|(?:找不到|未找到|没有?找到|无法找到|不存在|没有|无)(?:了|到)?(?:您|你|所|该|此|这|那|要|需|想|访问|查看|浏览|请求|查找|的|个|条|篇|本|任何|相关|对应){{1,12}}{_THING}"
    rf"|(?:找不到|未找到|没有找到|不存在)[^。\n]{{0,12}}{_THING}"
    r"|已(?:被)?(?:下架|屏蔽)|(?:违规|侵权)(?:内容|作品|章节|页面)?已?[^。\n]{0,6}(?:删除|下架|屏蔽|处理)"
    r"|(?:无|没有|暂无)(?:此|该|这个?|对应的?|相应的?)(?:章节?|页面?|书|小说|作品|内容|文章|帖子|主题)"
    r"|(?:章节?|页面?|书|小说|文章|文档|内容|帖子|主题|参数)[^。\n]{0,4}(?:ID|id|编号|地址|参数)[^。\n]{0,4}(?:错误|有误|不存在|无效)"
    r"|404 ?(?:错误|页面|not found)|(?:错误|error)[^。\n]{0,6}404|http ?404"
    r"|not found|no longer available|has been (?:removed|deleted)|does not exist",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"稍[后候]再?[试来访]|稍后(?:重试|刷新)|维护|(?:请求|访问)(?:过多|过快|太快|太多|频繁)|服务器?[^。\n]{0,4}(?:繁忙|故障|错误|异常)"
    r"|try again|temporar|maintenance|overload",
    re.IGNORECASE,
)  # a temporary failure does not mean that the page is gone
# Other words with which such a page addresses its reader.
_TO_READER = re.compile(
    r"抱歉|对不起|不好意思|很遗憾|您|你[要所访请查]|亲爱的|提示|温馨|返回|回到|首页|跳转|点击|刷新|秒后|系统|管理员|联系|客服|链接|网址|输入"
    r"|删除|下架|不存在|找不到|没有找到|转码|审核|失效|推荐|本站|感谢|谢谢|搜索|浏览|访问|检查|出错|错误|可能|原因|请[先到从重检返选点稍尝]|举报|版权方",
)
_CLAUSE = re.compile(r"[^。！？!?，,；;：:\n]+")


def says_gone(title: str, text: str) -> bool:
    """Return whether a page says that the requested page is gone.

    Args:
        title: title of the page.
        text: its whole text; long texts are not notices.
    """
    shown = fold(text) if len(text) <= _MAX_NOTICE_CHARS else ""
    notice = f"{fold(title)}\n{shown}"
    if _SAYS_GONE.search(notice) is None or _FOR_NOW.search(notice) is not None:
        return False
    return not is_text(shown) or _is_about_page(shown)


def says_try_later(title: str, text: str) -> bool:
    """Return whether a short page says that its text is temporarily unavailable."""
    if len(text) > _MAX_NOTICE_CHARS:
        return False
    shown = fold(text)
    is_about = not is_text(shown) or _is_about_page(shown)
    return is_about and _FOR_NOW.search(f"{fold(title)}\n{shown}") is not None


def _is_about_page(text: str) -> bool:
    """Return whether most of a text is about the page itself and addresses its reader."""
    clauses = _CLAUSE.findall(text)
    about = sum(
        count_han(clause)
        for clause in clauses
        if _SAYS_GONE.search(clause) or _FOR_NOW.search(clause) or _TO_READER.search(clause)
    )
    return about >= _MIN_NOTICE_SHARE * count_han(text)

"""Removal of lines around an article in its container: title, date, source, editor, notices. Pure.

Only lines before the first and after the last sentence are removed, and only labels that newspapers and
portals print in every article. Headings and captions inside the article stay.
"""

import re
from collections.abc import Sequence

from crawler.extraction.outline import Line
from crawler.extraction.title_lines import is_title, squeeze
from fingerprint.text.variants import fold_lines

_DATE = r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_TIME = r"\d{1,2}[:：]\d\d(?:[:：]\d\d)?"
# Fields: a name, a colon or bar, and a short value. A line may contain several fields.
_FIELD = re.compile(
    r"[\[【(（〔]?(?:"
    r"(?:发布|发表|更新|刊发|采集|最后更新|最后编辑|最后修改)?(?:时间|日期|于)"
    r"|(?:文章|稿件|新闻|本文|信息|资料|图片)?(?:来源|出处|摘自|转自|来自|源自)|(?:本文)?(?:作者|记者|撰文|撰稿|通讯员|供稿|文字|摄影|图|文)(?:单位)?"
    r"|(?:责任|本文|执行|本期|值班|网络|见习|实习)?(?:编辑|责编|主编|校对|审核|审校|监制|统筹|初审|复审|终审|签发|美编|编导|制作|策划|剪辑|视觉|视频|配音|主笔|设计)"
    r"|(?:原标题|原题|标题|关键[词字]|标签|分类|栏目|专题|tags?)|(?:您|你)?(?:现在|当前|目前)?(?:所在)?的?(?:当前)?位置"
    r"|(?:阅读|点阅|浏览|点击|访问|查看|人气|播放|评论|跟帖)(?:次数|数|量|人数)?|字号|字体|分享(?:到|至)?|声明|免责声明|版权声明|温馨提示"
    r")\s?[:：/|｜丨].{0,80}",
    re.IGNORECASE,
)
# Labels that are the whole line, except for a number.
_LABEL = re.compile(
    rf"[\[【(（〔>·•\-—|]*(?:(?:{_DATE}|{_TIME}|\d{{1,2}}-\d{{1,2}})[^，。！？]{{0,30}}"
    r"|(?:我要)?(?:分享|转发|收藏|打印|举报|纠错|点赞|评论|跟帖|参与|推荐|订阅|关注|复制链接|字号|字体|大中小|大|中|小|繁体|简体|手机看|扫码|关闭|返回|首页|目录)"
    r"(?:到|line|facebook|微博|微信|本页|本文|窗口|顶部|首页|列表|页面|新闻|给好友|[+\-A＋－｜|/]|(?:分享|转发|收藏|打印|举报|纠错|点赞|评论|跟帖|参与|关闭|大|中|小))*[:：(（]?\d*[)）]?"
    r"|(?:阅读|浏览|点击|访问|查看|人气|播放)(?:次数|数|量|全文|原文|更多)?[:：(（]?\d*[)）]?|(?:语音)?播报文章.{0,12}|阅读剩余全文.{0,6}"
    r"|(?:上一|下一|前一|后一)(?:篇|章|页|条)[:：]?.{0,40}|首页.{0,40}正文|.{0,30}正文|(?:责任)?编辑|本文完|全文完|END|完"
    r"|(?:内容|作品|小说|本书|故事|文章)?(?:简介|介绍)[:：]?"
    # a source and a minute; several tools of the page in brackets
    rf"|[^，。！？:：]{{1,20}}{_DATE}{_TIME}[^，。！？]{{0,30}}"
    r"|(?=.{0,60}(?:收藏|投诉|举报|推荐|书签|字号|打印|打赏))[^\[\]【】，。]{1,12}(?:[\]】][\[【][^\[\]【】，。]{1,12})+"
    r"|(?:关于我们|联系我们|版权所有|copyright|©|all\s?rights).{0,60})[\]】)）〕]*",
    re.IGNORECASE,
)
# Several fields, of which one is well known: 通联：周南 来源：江边网 点击：32次.
_FIELDS = re.compile(
    r"[^，。！？:：]{1,10}[:：][^，。！？:：]{1,20}(?:来源|时间|日期|点击|浏览|阅读|编辑|作者|责编|字数|人气|审核)(?:次数|数|量)?[:：][^，。！？]{0,60}"
)
_NOTICE = re.compile(
    r"未经[^。，]{0,14}(?:授权|许可|允许|同意)[^。]{0,8}(?:不得|禁止|严禁|请勿|转载)|(?:不得|禁止|严禁|请勿|谢绝)[^。，]{0,8}(?:转载|摘编|复制|镜像)"
    r"|转载[^。，]{0,8}(?:请注明|注明|请联系|须经)|版权(?:均?归[^。]{0,16}所有|所有|声明[:：])|(?:仅代表|只代表)(?:作者|个人|其)|不代表本[网站]"
    r"|不构成[^。，]{0,10}(?:投资|买卖|操作)?建议|(?:如有|若有|涉及|如果)[^。]{0,8}侵权|侵权(?:请|必究|联系|投诉)|信息存储(?:空间)?服务"
    r"|(?:扫描|长按|识别|扫一扫)[^。，]{0,12}二维码|(?:欢迎|请|敬请|扫码|点击|长按)[^。，]{0,10}关注[^。]{0,16}(?:公众号|微信|微博|我们)"
    r"|(?:下载|安装|打开)[^。，]{0,12}(?:客户端|app)(?:[,，][^。]{0,20}(?:福利|资讯|精彩|阅读))"
    r"|(?:本文|文章|稿件)(?:来源于?网络|转载自|转自|首发于|系[^。]{0,12}原创)|(?:增值电信|信息网络传播|新闻信息服务)[^。]{0,12}许可证|备案号|icp[备证]|网安备"
    r"|用app看新闻|(?:点|按)我(?:下载|看|前往)|^(?!.*(?:全文|全部|完整|余下|剩|继续|章)).*(?:下载|安装|打开)[^。，]{0,6}app|加入[^。，]{0,12}(?:粉丝|好友|line群|telegram)"
    r"|(?:用户上传并发布|免费提供下载|概不负责|本站不承担)",
    re.IGNORECASE,
)
_RELATED = re.compile(
    r"[\[【(〔>·•]*(?:相关|延伸|扩展|推荐|更多|热门|精彩|猜你|为你|为您|大家都在|网友)[^。，]{0,4}(?:阅读|新闻|文章|推荐|报道|报导|链接|专题|评论|喜欢|资讯|看|搜|专题|稿件)"
    r"[^。，]{0,6}|词条(?:图册|标签|统计).{0,6}"
)
_MAX_LABEL_CHARS = 90
_MAX_NOTICE_CHARS = 220
_MAX_REST_SHARE = 0.3  # maximum share of sentences after a heading such as 相关阅读


def trim(lines: Sequence[Line], *, title: str = "") -> list[Line]:
    """Return the lines without those around the article.

    Args:
        lines: lines of the article's block.
        title: title of the page; it has its own field and is not part of the text.
    """
    squeezed_title = squeeze(title)
    plains = _plain(lines)
    end = _start_of_related(lines, plains)

    def is_head(at: int) -> bool:
        return is_title(lines[at], squeezed_title) or is_label(plains[at])

    def is_tail(at: int) -> bool:
        return is_label(plains[at]) or is_notice(plains[at])

    def is_sentence(at: int) -> bool:
        return lines[at].is_prose and not is_notice(plains[at])

    first = next(filter(is_sentence, range(end)), None)
    if first is None:
        return [lines[at] for at in range(end) if not is_head(at) and not is_tail(at)]
    last = next(filter(is_sentence, range(end - 1, -1, -1)))
    start = max((at + 1 for at in range(first) if is_head(at)), default=0)
    while start < end and is_head(start):
        start += 1
    end = next((at for at in range(last + 1, end) if is_tail(at)), end)
    while end > start and is_tail(end - 1):
        end -= 1
    return list(lines[start:end])


def _plain(lines: Sequence[Line]) -> list[str]:
    """Return the lines simplified, narrow and without white space; empty for long ones."""
    return fold_lines([squeeze(line.text) if line.chars <= _MAX_NOTICE_CHARS else "" for line in lines])


def _start_of_related(lines: Sequence[Line], plains: Sequence[str]) -> int:
    """Return the number of a heading such as 相关阅读 with few sentences after it, else of lines."""
    total = sum(line.chars for line in lines if line.is_prose)
    rest = 0
    start = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        if lines[at].is_prose:
            rest += lines[at].chars
        elif _RELATED.fullmatch(plains[at]) and rest < _MAX_REST_SHARE * total:
            start = at
    return start


def is_label(plain: str) -> bool:
    """Return whether a line, simplified and without white space, is a label of the page."""
    if not plain or len(plain) > _MAX_LABEL_CHARS:
        return False
    return (
        _LABEL.fullmatch(plain) is not None
        or (_FIELD.fullmatch(plain) is not None and "。" not in plain[:-1])
        or _FIELDS.fullmatch(plain) is not None
    )


def is_notice(plain: str) -> bool:
    """Return whether a line, simplified and without white space, is about rights, sources or the site."""
    return len(plain) <= _MAX_NOTICE_CHARS and _NOTICE.search(plain) is not None

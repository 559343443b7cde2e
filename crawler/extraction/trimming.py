"""What stands around an article inside its own container: title, date, source, editor, notices. Pure.

Only lines before the first and after the last sentence are judged, and there only labels that newspapers and
portals print in every article; a heading or a caption inside the article stays.
"""

import re
from collections.abc import Sequence
from typing import Final

from crawler.extraction.anchors import is_title, squeeze
from crawler.extraction.outline import Line

_DATE: Final = r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}"
_LABEL: Final = re.compile(
    rf"[\[【(〔]?(?:"
    rf"{_DATE}|\d{{1,2}}[:：]\d\d|\d{{1,2}}-\d{{1,2}}\s|(?:发布|发表|更新|刊发|采集)?(?:时间|日期)[:：]"
    r"|(?:文章|稿件|新闻|本文|信息|资料)?(?:来源|來源|出处|摘自|转自|来自)[:：于]?|(?:本文)?(?:作者|记者|文|撰文|撰稿|通讯员|供稿)[:：/|]"
    r"|(?:责任|本文|执行|本期|值班|网络|见习|实习)?(?:编辑|責任編輯|編輯|责编|主编|校对|审核|审校|监制|统筹|初审|复审|终审|签发|美编)[:：/|]"
    r"|(?:原标题|原題|原标題|标题|关键[词字]|标签|分类|栏目|专题|tags?)[:：]"
    r"|(?:我要)?(?:分享|转发|收藏|打印|举报|纠错|点赞|评论|跟帖|参与|推荐|订阅|关注|复制链接|字号|字体|大中小|繁体|手机看|扫码)"
    r"|(?:阅读|浏览|点击|访问|查看|人气|播放)(?:次数|数|量|全文|原文)?[:：(（]?\d*"
    r"|(?:相关|延伸|扩展|推荐|更多|热门|精彩|猜你|为你|为您|今日|最新|上一|下一|前一|后一)(?:阅读|新闻|文章|推荐|报道|链接|专题|评论|喜欢|资讯|篇|章|页|条|内容|精彩|热点|热门)"
    r"|(?:您|你)?(?:现在|当前|所在)?的?位置[:：]|首页|返回|关闭|关于我们|联系我们|上一|下一"
    r"|版权|本网|本站|本报讯员|声明|免责|特别提示|郑重声明|风险提示|温馨提示|举报|投诉|(?:c|C)opy(?:r|R)ight|©"
    r"|最后(?:更新|编辑|修改)|标签|未完待续|本文完|全文完|END|end"
    r")",
)
_NOTICE: Final = re.compile(
    r"未经[^。]{0,14}(?:授权|许可|允许|同意|书面)|(?:不得|禁止|严禁|请勿|谢绝)[^。]{0,6}(?:转载|使用|复制)|转载[^。]{0,12}(?:注明|联系|授权|请)"
    r"|版权(?:所有|归|属|声明)|仅代表(?:作者|个人|其)|不代表本|不构成[^。]{0,10}(?:投资|建议)|侵权|免责|著作权"
    r"|信息存储(?:空间)?服务|(?:扫描|长按|识别|扫一扫)[^。]{0,12}二维码|关注[^。]{0,16}(?:公众号|微信|微博)|(?:下载|安装)[^。]{0,12}(?:客户端|APP)"
    r"|(?:本文|文章|稿件|图片|来源|内容)[^。]{0,10}(?:来源于?网络|来自|转载自|摘自|首发于)|欢迎[^。]{0,10}(?:投稿|关注|订阅)"
    r"|许可证|备案号|ICP[备证]|网安备",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"[\[【(〔>·•]*(?:相关|延伸|扩展|推荐|更多|热门|精彩|猜你|为你|为您|大家都在|网友)[^。，]{0,4}(?:阅读|新闻|文章|推荐|报道|链接|专题|评论|喜欢|资讯|看|搜|专题|稿件)"
    r"[^。，]{0,6}"
)
_LONGEST_LABEL: Final = 60
_LONGEST_NOTICE: Final = 220
_REST_SHARE: Final = 0.3  # of the sentences may follow a line that ends the article


def trim(lines: Sequence[Line], *, title: str = "") -> list[Line]:
    """Return the lines without what surrounds the article.

    Args:
        lines: of the article's block.
        title: the page's; it is a field of its own and no part of the text.
    """
    named = squeeze(title)
    kept = _cut(lines)
    sentences = [number for number, line in enumerate(kept) if line.is_prose and not is_notice(line.text)]
    if not sentences:
        return [line for line in kept if not _is_head(line, named) and not _is_tail(line)]
    heads = [number for number in range(sentences[0]) if _is_head(kept[number], named)]
    start = heads[-1] + 1 if heads else 0
    while start < len(kept) and _is_head(kept[start], named):
        start += 1
    tails = [number for number in range(sentences[-1] + 1, len(kept)) if _is_tail(kept[number])]
    end = tails[0] if tails else len(kept)
    while end > start and _is_tail(kept[end - 1]):
        end -= 1
    return list(kept[start:end])


def _cut(lines: Sequence[Line]) -> Sequence[Line]:
    """End the article at a heading such as 相关阅读 when little of it follows."""
    total = sum(line.chars for line in lines if line.is_prose)
    rest = 0
    end = len(lines)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if line.is_prose:
            rest += line.chars
        elif _CUT.fullmatch(line.text) and rest < _REST_SHARE * total:
            end = number
    return lines[:end]


def _is_head(line: Line, named: str) -> bool:
    return is_title(line, named) or is_label(line.text)


def _is_tail(line: Line) -> bool:
    return is_label(line.text) or is_notice(line.text)


def is_label(text: str) -> bool:
    """Return whether a line is a field of the page rather than the article's."""
    plain = squeeze(text)
    return len(plain) <= _LONGEST_LABEL and _LABEL.match(plain) is not None and "。" not in plain[:-1]


def is_notice(text: str) -> bool:
    """Return whether a line speaks of rights, sources or the site instead of the subject."""
    return len(text) <= _LONGEST_NOTICE and _NOTICE.search(squeeze(text)) is not None

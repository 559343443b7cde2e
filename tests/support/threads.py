"""Small pages of posts, as different forums write them, for tests of extraction and crawls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """What a member wrote: paragraphs, a quote above them, and when."""

    author: str
    text: str
    day: int
    quote: str = ""
    signature: str = ""

    @property
    def when(self) -> str:
        """The time as forums write it."""
        return f"2024-3-{self.day} 2{self.day % 4}:1{self.day % 6}"


Template = Callable[[Sequence[Written], int], str]

STORY = (
    "渡口的灯是老许点的，一共七盏，从石阶底下一直排到茶棚门口，四十年里没有灭过。",
    "今晚第三盏灯闪了三下，像是有人在对岸打暗号，然后熄了，江面上什么也看不见。",
    "老许提着马灯走下石阶，听见水里有人叫他的小名，那是他三十年没有听过的声音。",
    "他把缆绳解开，竹篙一点，船就离了岸，雾立刻从四面合拢过来，灯一盏盏地远了。",
    "船到江心，他看见另一条船，船头也站着一个提马灯的人，穿着跟他一样的蓑衣。",
)
WRITERS = ("数灯的人", "北岸客", "数灯的人", "茶棚阿七", "数灯的人")


def discuz(posts: Sequence[Written], first: int = 1) -> str:
    """Return posts as Discuz! shows them."""
    return (
        "<div id='postlist'>"
        + "".join(
            f"<div id='post_{100 + n}'><table id='pid{100 + n}' class='plhin'><tr><td class='pls'>"
            f"<div class='authi'><a href='space-uid-{n}.html' class='xw1'>{post.author}</a></div>"
            f"<p><em><a href='x'>{'金牌会员' if n % 2 else '新手上路'}</a></em></p>"
            f"<dl><dt>积分</dt><dd>{n * 37}</dd></dl></td>"
            f"<td class='plc'><div class='pi'><strong><a>{n}<sup>#</sup></a></strong><div class='authi'>"
            f"<em>发表于 {post.when}</em> | <a href='?authorid={n}'>只看该作者</a></div></div>"
            f"<div class='pct'><table><tr><td class='t_f' id='postmessage_{100 + n}'>"
            + (f"<div class='quote'><blockquote>{post.quote}</blockquote></div>" if post.quote else "")
            + f"{post.text}</td></tr></table></div>"
            + (f"<div class='sign'>{post.signature}</div>" if post.signature else "")
            + "</td></tr><tr><td><div class='po'><a>回复</a> <a>举报</a></div></td></tr></table></div>"
            for n, post in enumerate(posts, first)
        )
        + "</div><p>返回列表</p>"
    )


def tieba(posts: Sequence[Written], first: int = 1) -> str:
    """Return posts as Tieba shows them: date and floor below the text."""
    return (
        "<div class='p_postlist'>"
        + "".join(
            f"<div class='l_post j_l_post'><div class='d_author'><ul><li class='d_name'>"
            f"<a class='p_author_name' href='/home/main?un={n}'>{post.author}</a></li>"
            f"<li><div>{n % 9}</div></li></ul></div>"
            f"<div class='d_post_content_main'><div class='p_content'>"
            f"<div class='d_post_content'>{post.text}</div></div>"
            f"<div class='core_reply'><a>回复</a>"
            f"<div class='post-tail-wrap'><span>{n}楼</span><span>{post.when}</span></div>"
            "</div></div></div>"
            for n, post in enumerate(posts, first)
        )
        + "</div>"
    )


def phpbb(posts: Sequence[Written], first: int = 1) -> str:
    """Return posts as phpBB shows them, each below a link to itself."""
    return (
        "<div id='page-body' class='viewtopic'>"
        + "".join(
            f"<div id='p{n}' class='post bg{n % 2}'><div class='inner'><dl class='postprofile'><dt>"
            f"<a href='./memberlist.php?u={n}' class='username'>{post.author}</a></dt><dd>帖子: {n * 3}</dd>"
            "<dd>注册: 2012年3月5日, 20:15</dd></dl>"
            "<div class='postbody'><h3><a href='#p1'>Re: 渡口的灯</a></h3>"
            f"<p class='author'>由 <a href='./memberlist.php?u={n}' class='username'>"
            f"{post.author}</a> » {post.when}</p>"
            f"<div class='content'>"
            + (
                f"<blockquote><cite>{posts[0].author} 写道：</cite>{post.quote}</blockquote>"
                if post.quote
                else ""
            )
            + f"{post.text}</div>"
            + (f"<div class='signature'>{post.signature}</div>" if post.signature else "")
            + "</div></div></div><hr>"
            for n, post in enumerate(posts, first)
        )
        + "</div>"
    )


def definition_list(posts: Sequence[Written], first: int = 1) -> str:
    """Return posts as old boards show them: a line about each, then its text, side by side."""
    return (
        "<dl id='thread'>"
        + "".join(
            f"<dt>{n} 楼 {post.author} {post.when}</dt><dd>{post.text}</dd>"
            for n, post in enumerate(posts, first)
        )
        + "</dl>"
    )


def bare(posts: Sequence[Written], first: int = 1) -> str:
    """Return posts without a class or an id."""
    return (
        "<div>"
        + "".join(
            f"<div><div><a href='/u/{n}'>{post.author}</a><div>#{n} 发表于 {post.when}</div></div>"
            f"<div><p>{post.text}</p></div><div><a>回复</a> <a>点赞</a></div></div>"
            for n, post in enumerate(posts, first)
        )
        + "</div>"
    )


def answers(posts: Sequence[Written], first: int = 1) -> str:
    """Return a question with its answers in a template of their own."""
    question, *replies = posts
    return (
        (
            f"<div class='question-detail'><h1>渡口的灯</h1><p>{question.author} 提问于 {question.when}</p>"
            f"<div class='body'><p>{question.text}</p></div></div>"
            f"<div class='answers'><h3>{len(replies)} 个回答</h3>"
        )
        + "".join(
            f"<div class='answer'><div class='user'><a class='username' href='/u/{n}'>{post.author}</a></div>"
            f"<div class='rich'><p>{post.text}</p></div>"
            f"<div class='meta'>发布于 {post.when} <a>赞同</a></div></div>"
            for n, post in enumerate(replies, first + 1)
        )
        + "</div>"
    )


TEMPLATES: dict[str, Template] = {
    "discuz": discuz,
    "tieba": tieba,
    "phpbb": phpbb,
    "definition list": definition_list,
    "bare": bare,
    "answers": answers,
}


def story_posts() -> list[Written]:
    """Return a story of five posts by several members."""
    return [
        Written(author, text, day) for day, (author, text) in enumerate(zip(WRITERS, STORY, strict=True), 1)
    ]

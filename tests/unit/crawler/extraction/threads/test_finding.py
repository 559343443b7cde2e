"""Pages of posts: the posts of every template in order, and pages without posts."""

from dataclasses import replace

import pytest
from support.pages import PROSE, page
from support.threads import STORY, TEMPLATES, WRITERS, Written, discuz, phpbb, story_posts

from crawler.extraction import extract
from crawler.extraction.metadata import NO_FIELDS
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.threads import find_posts


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_gives_its_posts(name):
    result = extract(page(TEMPLATES[name](story_posts(), 1)))
    posts = result.as_dict()["posts"]
    assert result.kind == "thread"
    assert result.text == "\n".join(STORY)
    assert [post["text"] for post in posts] == list(STORY)
    assert [post["author"] for post in posts] == list(WRITERS)
    assert [post["published"][:10] for post in posts] == [f"2024-03-0{day}" for day in range(1, 6)]
    assert [post["place"] for post in posts] == [1, 2, 3, 4, 5]
    assert result.confidence == 0.89


@pytest.mark.parametrize("template", [discuz, phpbb])
def test_quotes_of_earlier_posts_and_signatures_are_removed(template):
    posts = [
        Written("数灯的人", STORY[0], 1, signature="灯在人在，人在灯在。"),
        Written("北岸客", STORY[1], 2, quote=STORY[0]),
        Written("数灯的人", STORY[2], 3, signature="灯在人在，人在灯在。"),
    ]
    result = extract(page(template(posts, 1)))
    assert result.text == "\n".join(STORY[:3])
    assert [post.signature for post in result.posts] == ["灯在人在，人在灯在。", "", "灯在人在，人在灯在。"]
    assert STORY[0] in result.posts[1].quotes[0]


def test_quotes_from_elsewhere_stay_text():
    posts = [Written("甲", STORY[0], 1), Written("乙", STORY[1], 2, quote=PROSE), Written("丙", STORY[2], 3)]
    result = extract(page(discuz(posts, 1)))
    assert PROSE in result.text
    assert not result.posts[1].quotes


def test_repeated_signatures_and_forum_notes_are_removed():
    posts = [Written("甲", f"{text}<br>一蓑烟雨任平生", day) for day, text in enumerate(STORY, 1)]
    posts[1] = Written("甲", f"本帖最后由 甲 于 2024-3-2 22:10 编辑<br>{STORY[1]}<br>一蓑烟雨任平生", 2)
    result = extract(page(discuz(posts, 1)))
    assert result.text == "\n".join(STORY)
    assert {post.signature for post in result.posts} == {"一蓑烟雨任平生"}


def test_article_with_comments_stays_an_article():
    comments = TEMPLATES["bare"](story_posts(), 1).replace("#", "No.")
    story = "".join(f"<p>{PROSE}</p>" for _ in range(4))
    result = extract(page(f"<h1>渡口的灯</h1><div class='article'>{story}</div><h3>评论</h3>{comments}"))
    assert result.kind == "article"
    assert STORY[1] not in result.text
    assert not result.posts


@pytest.mark.parametrize("mark", ["<meta name=generator content='WordPress 6.4'>", ""])
def test_comments_of_a_blog_are_not_its_text(mark):
    comments = "".join(
        f"<li class='comment even thread-even'><div class='comment-author'>"
        f"<b class='fn'>{post.author}</b>"
        f"<span>{post.when}</span></div><div class='comment-content'><p>{post.text}</p></div><a>回复</a></li>"
        for post in story_posts()
    )
    body = (
        f"<article class='post entry'><h1>渡口的灯</h1><p>2024-3-1 作者 阿七</p><p>{PROSE}</p></article>"
        f"<div class='comments-area'><h2>《渡口的灯》有 5 条回复</h2><ol>{comments}</ol></div>"
    )
    result = extract(page(body, head=mark))
    assert (result.kind, result.posts) == ("article", ())
    assert STORY[0] not in result.text


def test_days_in_a_text_are_no_posts():
    days = "".join(f"<p>2024年3月{day}日</p><p>{text}{PROSE}</p>" for day, text in enumerate(STORY, 1))
    result = extract(page(f"<h1>渡口的灯</h1><div class='text'>{days}</div>"))
    assert (result.kind, result.posts) == ("article", ())
    assert all(text in result.text for text in STORY)


def test_teasers_with_author_and_date_are_no_thread():
    items = "".join(
        f"<div><h2><a href='/{n}.html'>候鸟北归的第{'一二三四五'[n]}天早上</a></h2>"
        f"<p>作者 阿七 2024-3-{n + 1} 10:20</p><p>{text}</p></div>"
        for n, text in enumerate(STORY)
    )
    assert extract(page(f"<div>{items}</div>")).kind != "thread"


def test_replies_inside_a_post_follow_it_with_its_number():
    def comments(*texts):
        return (
            "<div class='comments'>"
            + "".join(
                f"<div class='reply'><a class='username'>茶客{n}</a> 2024-3-9 10:1{n}<p>{text}</p></div>"
                for n, text in enumerate(texts)
            )
            + "</div>"
        )

    said = ("说得好，我也见过这盏灯。", "第二天它又亮了。")
    posts = "".join(
        f"<li class='floor'><a class='username'>{post.author}</a><span>{n}楼 {post.when}</span>"
        f"<div class='text'><p>{post.text}</p></div>{comments(*said) if n == 2 else ''}</li>"
        for n, post in enumerate(story_posts(), 1)
    )
    result = extract(page(f"<ul class='thread'>{posts}</ul>"))
    assert [post["text"] for post in result.as_dict()["posts"]] == [
        *STORY[:2],
        "说得好，我也见过这盏灯。",
        "第二天它又亮了。",
        *STORY[2:],
    ]
    assert [(post.place, post.author) for post in result.posts[1:4]] == [
        (2, "北岸客"),
        (2, "茶客0"),
        (2, "茶客1"),
    ]


CHAPTER = "".join(f"{text}她说：“{PROSE}”" for text in STORY)


@pytest.mark.parametrize("header", ["", "她说：", "原帖由 老许 写道："])
def test_chapter_that_is_marked_as_a_quote_stays_text(header):
    posts = [Written("甲", STORY[0], 1, quote=header + CHAPTER), *story_posts()[1:]]
    assert CHAPTER in extract(page(discuz(posts, 1))).text


def test_chapter_that_is_marked_as_a_signature_stays_text():
    posts = [Written("甲", STORY[0], 1, signature=CHAPTER), *story_posts()[1:]]
    assert CHAPTER in extract(page(discuz(posts, 1))).text


@pytest.mark.parametrize("mark", ["quote", "signature"])
def test_many_short_passages_of_different_texts_are_not_all_omitted(mark):
    passages = [f"写道：第{n}段，{STORY[n % 5]}{n}{STORY[(n + 1) % 5]}" for n in range(40)]
    posts = [Written("甲", f"{n}楼的话：{PROSE}", 1, **{mark: passage}) for n, passage in enumerate(passages)]
    text = extract(page(discuz(posts, 1))).text
    assert sum(passage in text for passage in passages) > 20


def test_chapter_below_a_dashed_line_stays_text():
    posts = [Written("甲", f"{STORY[0]}<br>--------<br>{CHAPTER}", 1), *story_posts()[1:]]
    assert CHAPTER in extract(page(discuz(posts, 1))).text


def test_quote_longer_than_the_earlier_post_stays_text():
    posts = [Written("甲", STORY[0], 1), Written("乙", STORY[1], 2, quote=f"{STORY[0]}{CHAPTER}")]
    assert CHAPTER in extract(page(discuz([*posts, *story_posts()[2:]], 1))).text


def test_short_quote_from_another_page_is_removed():
    posts = [
        Written("甲", STORY[0], 21),
        Written("乙", STORY[1], 22, quote="老许 发表于 2024-3-1 20:11<br>灯是谁点的？"),
    ]
    assert "灯是谁点的" not in extract(page(discuz([*posts, *story_posts()[2:]], 21))).text


def test_chapter_below_numbered_comments_is_the_text():
    chapter = "".join(f"<p>{PROSE}</p>" for _ in range(8))
    body = f"<h1>第三章 灯</h1>{TEMPLATES['bare'](story_posts()[:3], 1)}<div id='content'>{chapter}</div>"
    result = extract(page(body), url="http://x.example/book/12/3.html")
    assert result.kind == "article"
    assert PROSE in result.text


@pytest.mark.parametrize("blanks", [1_000, 2_000_000])
def test_types_in_scripts_are_searched_in_linear_time(blanks):
    script = f'<script type="application/ld+json">{{"@type":{" " * blanks}x}}</script>'
    assert extract(page(script + discuz(story_posts(), 1))).kind == "thread"


def numbered(*places, texts=STORY):
    """Return posts below a title, some with their number in the thread."""
    return "<h1>渡口的灯</h1>" + "".join(
        f"<div class=post><p>{f'{number}楼 ' if number else ''}<b class=username>客{at}</b> 2024-3-5 20:1{at}"
        f"</p><div class=text>{texts[at % len(texts)]}</div></div>"
        for at, number in enumerate(places)
    )


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ((1, 2, 3), [1, 2, 3]),
        ((None, None, None), [1, 2, 3]),
        ((21, None, 25), [21, 22, 25]),
        ((7, 3, 8), [7, 8, 8]),  # a place before the one above it is a mistake
    ],
)
def test_post_without_a_number_follows_the_last(said, places):
    assert [post.place for post in extract(page(numbered(*said))).posts] == places


def test_thread_needs_two_posts():
    long = [f"{text}{PROSE}" for text in STORY]
    assert extract(page(numbered(1, texts=long))).kind != "thread"
    assert extract(page(numbered(1, 2, texts=long))).kind == "thread"


def test_five_hundred_characters_of_a_quote_are_kept():
    long = "".join(STORY) * 4
    posts = [Written("甲", long, 1), Written("乙", STORY[1], 2, quote=long), Written("丙", STORY[2], 3)]
    (quote,) = extract(page(discuz(posts, 1))).posts[1].quotes
    assert quote == long[:500]


@pytest.mark.parametrize(("titled", "kind"), [(2, "thread"), (3, "list")])
def test_blocks_with_mostly_linked_titles_are_teasers(titled, kind):
    def post(at):
        title = f"<h3><a href='/{at}.html'>候鸟北归的第{'一二三四'[at]}天早上</a></h3>" if at < titled else ""
        return (
            f"<div class=post>{title}<p>{at + 1}楼 <b class=username>客{at}</b> 2024-3-5 20:1{at}</p>"
            f"<div class=text>{STORY[at]}</div></div>"
        )

    result = extract(page("<h1>渡口的灯</h1>" + "".join(map(post, range(4)))))
    assert (result.kind == "thread") is (kind == "thread")


def test_days_above_paragraphs_are_a_chronicle():
    days = "".join(f"<p>2013年4月{day}日</p><p>{text}</p><p>{text}</p>" for day, text in enumerate(STORY, 1))
    result = extract(page(f"<h1>渡口的灯</h1><div class=topic>{days}</div><p>楼主：甲</p>"))
    assert result.kind == "article"
    assert all(text in result.text for text in STORY)


REMARK = "<li><i>{name} 2024-03-1{at} 12:05</i><p>{text}</p><a href='#'>{button}</a></li>"


def commented(*, heading="网友评论", button="赞", text="说得好，支持一下。", name="读者{at}号", times=6):
    remarks = "".join(
        REMARK.format(name=name.format(at=at), at=at, text=f"{at}，{text}", button=button)
        for at in range(times)
    )
    story = "".join(f"<p>{at}，{PROSE}</p>" for at in range(6))
    return (
        f"<html><body><h1>渡口的灯</h1><div>{story}<h3>{heading}</h3><ul>{remarks}</ul></div></body></html>"
    )


@pytest.mark.parametrize(
    ("form", "are_comments"),
    [
        ({}, True),
        ({"heading": "", "button": "回复"}, True),
        ({"heading": "", "button": "详情"}, False),  # dated lines of a list
        ({"name": ""}, False),
        ({"text": PROSE[:60]}, True),
        ({"text": PROSE[:60], "times": 40}, False),  # together longer than the text that they comment on
        ({"text": PROSE * 2, "times": 2}, False),  # a copy in pieces
    ],
)
def test_readers_comments_differ_from_dated_lines_and_copies(form, are_comments):
    tree = parse(commented(**form))
    document = outline(tree.find("body"))
    posts = find_posts(tree, document, fields=replace(NO_FIELDS, title="渡口的灯"))
    lines = [document.lines[at].text for at in posts.comments]
    assert posts.thread is None
    assert any(line.startswith("1，") for line in lines) is are_comments
    assert f"5，{PROSE}" not in lines


def test_readers_comments_are_not_in_the_article():
    result = extract(commented().encode())
    assert result.text == "\n".join(f"{at}，{PROSE}" for at in range(6))


def test_posts_with_numbers_and_without_dates_are_a_thread():
    posts = "".join(
        f"<div class=post><div>{number}楼</div><div>第{number}盏灯。{PROSE}</div></div>"
        for number in range(1, 5)
    )
    found = extract(f"<title>渡口的灯</title><h1>渡口的灯</h1>{posts}".encode())
    assert [post.place for post in found.posts] == [1, 2, 3, 4]
    assert "1楼" not in found.text
    floors = "".join(f"<li>{number}F {name}</li>" for number, name in ((1, "茶棚"), (3, "码头"), (4, "仓库")))
    assert not extract(f"<title>渡口的灯</title><ul>{floors}</ul><p>{PROSE}</p>".encode()).posts

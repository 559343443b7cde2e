"""The kind of a page: every reason not to compare it, and the bounds of each."""

from dataclasses import replace

import pytest
from support.pages import PROSE, article, page

from crawler.extraction import extract
from crawler.extraction.anchors import anchors_of
from crawler.extraction.block import Block
from crawler.extraction.outline import Line, Outline
from crawler.extraction.pagekind import Evidence, is_chapter, is_obfuscated, page_kind
from crawler.extraction.parsing import parse


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b"<html></html>", "empty"),
        (bytes(range(256)) * 9, "empty"),
        (page("<p>加载中</p>"), "empty"),
        (article(PROSE, PROSE), "article"),
        (article(PROSE, PROSE, title="第三章 对岸"), "chapter"),
        (page("".join(f"<li><a href='/{n}.html'>{PROSE[n : n + 20]}</a></li>" for n in range(60))), "list"),
        (article("安全验证：请完成验证码后继续访问", title="安全验证"), "blocked"),
        (article("您的访问过于频繁，请稍后再试。"), "blocked"),
        (article(PROSE, "内容加载失败！请刷新页面。"), "incomplete"),
        (article(PROSE, "（本章未完，请翻页）"), "incomplete"),
        (article(PROSE, PROSE, "（內容加載失敗！請重載或更換瀏覽器）"), "incomplete"),
        (article(PROSE, PROSE, "內容加載失敗！", "<a href='7_2.html'>下一頁</a>"), "article"),
        (article("內容加載失敗！", "<a href='7_2.html'>下一頁</a>"), "incomplete"),
        (article("您的訪問過於頻繁，請稍後再試。"), "blocked"),
        (article("本章为VIP章节，需要订阅后才能阅读。"), "blocked"),
        (article("请先登录后查看全文。"), "blocked"),
        (article(*[PROSE] * 4, "网站一度显示“拒绝访问”，两小时后恢复。"), "article"),
        (article(*(PROSE.replace("，", mark) for mark in "\ue101\ue102\ue103")), "obfuscated"),
        (article(*[PROSE.replace("，", "\ue101")] * 3), "article"),  # one mark of a font
        (
            article(
                *["".join(chr(0x3400 + ord(c) % 6000) if i % 9 == 0 else c for i, c in enumerate(PROSE))] * 2
            ),
            "obfuscated",
        ),
        (
            article(*["".join(chr(0x9000 + ord(c) % 2500) if c > "一" else c for c in PROSE)] * 2),
            "obfuscated",
        ),
    ],
)
def test_page_kinds_are_recognised(data, kind):
    assert extract(data, url="http://x.example/7.html").kind == kind


def test_login_pages_differ_from_briefs_next_to_a_login():
    form = "<form><input type=password name=p>登录</form>"
    assert extract(page(f"<p>您可以使用网盘，随时存，随地取。</p>{form}")).kind == "blocked"
    assert extract(article(PROSE, PROSE, PROSE[::-1]) + form.encode()).kind == "article"


def test_teasers_alone_are_a_list():
    text = "今年的候鸟比往年早到了{0}天，湿地的人忙得很，大家都很高兴。"
    item = f"<div><a href='/{{0}}.html'>候鸟北归的第{{0}}天</a><p>{text}</p></div>"
    assert extract(page("<div>" + "".join(item.format(n) for n in range(30)) + "</div>")).kind == "list"


def test_page_of_links_with_a_remark_is_a_list():
    links = "".join(f"<a href='/{n}.html'>候鸟北归的第{n}天早上</a>" for n in range(300))
    assert extract(page(f"<div>{links}</div><p>{PROSE}</p>")).kind == "list"


def test_poems_and_code_are_not_lists():
    code = "<pre>" + "client.insert(data)\n" * 300 + "</pre>"
    assert extract(article(*[PROSE] * 4, code, *[PROSE] * 4)).kind == "article"


COMMON = "的一是不了人我在有他"
PLAIN = parse("<html><body><p>文</p></body></html>")
PRIVATE = "\ue000\ue001\ue002\ue003\ue004"
LOGIN = parse("<html><body><input type=password></body></html>")


def text_of(chars, *, marks=None):
    """Return a text of common characters, by default with a sentence mark for every fifty."""
    marks = chars // 50 if marks is None else marks
    return "，" * marks + (COMMON * (chars // 10 + 1))[: chars - marks]


def line(chars=20, *, is_prose=False, is_link=False, text="文"):
    return Line(text, chars, chars if is_link else 0, int(is_prose), 0)


def outline_of(chars, *, link_chars=0, text="文"):
    return Outline((Line(text, chars, link_chars, 1, 0),), (parse("<p>"),), (0,), (1,))


def block_of(*lines, prose_chars=1_000, lead=""):
    return Block(lines, lines, 1_000, 0.0, prose_chars, 1.0, lead=lead)


INDEX = replace(block_of(), link_share=0.2)


def kind_of(text, *, tree=PLAIN, **changes):
    options = {
        "title": "渡口的灯",
        "page": outline_of(2_000),
        "block": block_of(),
        "text": text,
        "raw": text,
        "turns_page": False,
        "has_next_page": False,
    }
    return page_kind(tree, Evidence(**{**options, **changes}))


def test_text_has_twenty_han_characters():
    assert kind_of(text_of(20, marks=0), page=outline_of(40)) == "article"
    assert kind_of(text_of(19, marks=0) + "，。abc \n", page=outline_of(40)) == "empty"


def test_short_page_is_a_list_when_half_of_it_is_links():
    assert kind_of(text_of(99), page=outline_of(200, link_chars=100)) == "list"
    assert kind_of(text_of(99), page=outline_of(200, link_chars=99)) == "article"
    assert kind_of(text_of(100), page=outline_of(200, link_chars=100)) == "article"


def test_short_text_with_its_pages_title_is_not_a_list():
    links = outline_of(200, link_chars=150)
    assert kind_of(text_of(60), page=links, block=replace(block_of(), is_titled=True)) == "article"
    assert kind_of(text_of(60), page=links, block=block_of(lead="渡口的灯")) == "article"


def test_few_words_on_a_long_page_are_not_its_article():
    titled = replace(block_of(), is_titled=True)
    assert kind_of(text_of(60), page=outline_of(1_200), block=titled) == "article"
    assert kind_of(text_of(60), page=outline_of(1_201), block=titled) == "list"


def test_posts_of_twenty_characters_are_a_thread():
    links = outline_of(200, link_chars=150)
    assert kind_of(text_of(24), page=links, is_thread=True) == "thread"
    assert kind_of(text_of(19, marks=0), page=links, is_thread=True) == "list"


def test_ban_page_is_short_and_without_a_story():
    ban = "您的访问被拒绝访问"
    for page_chars, prose_chars, kind in [
        (799, 249, "blocked"),
        (800, 249, "article"),
        (799, 250, "article"),
    ]:
        page, block = outline_of(page_chars, text=ban), block_of(prose_chars=prose_chars)
        assert kind_of(text_of(300), page=page, block=block) == kind, (page_chars, prose_chars)
    assert kind_of(text_of(300), page=outline_of(799), title="安全验证") == "blocked"


def test_login_page_has_a_password_field_and_little_text():
    form = "用户登录用户名密码忘记密码立即注册登录"
    for words, kind in [("", "blocked"), ("灯" * 19, "blocked"), ("灯" * 20, "empty")]:
        assert kind_of("", tree=LOGIN, page=outline_of(200, text=form + words)) == kind, words
    assert kind_of("", page=outline_of(200, text=form)) == "empty"


def test_login_page_with_a_menu_is_recognised_by_its_title():
    menu = outline_of(100, link_chars=100, text="首页玄幻武侠都市历史科幻游戏女生排行完本书架充值")
    assert kind_of("", tree=LOGIN, page=menu, title="用户登录 - 小书屋") == "blocked"
    assert kind_of("", tree=LOGIN, page=menu, title="排行 - 小书屋") == "list"
    assert kind_of("", tree=PLAIN, page=menu, title="用户登录 - 小书屋") == "list"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("请登录后查看本章剩余内容", "blocked"),
        ("您需要登录后才可以浏览", "blocked"),
        ("登陆后可以继续阅读", "blocked"),
        ("请先登录后再发表评论", "article"),
        ("您需要登录后才可以回帖", "article"),
    ],
)
def test_page_is_blocked_only_if_it_forbids_reading(words, kind):
    text = text_of(60)
    page = outline_of(160, text=f"{text}\n{words}")
    assert kind_of(text, page=page, block=block_of(prose_chars=60)) == kind


def test_missing_chapter_notice_is_not_a_chapter():
    notice = "抱歉，您访问的章节不存在或者已经被删除，请返回目录重新选择。"
    assert kind_of(notice, page=outline_of(60), is_serial=True) == "article"
    assert kind_of(text_of(60), page=outline_of(60), is_serial=True) == "chapter"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("\u3400", True),
        (text_of(990) + PRIVATE * 2, False),  # one in a hundred
        (text_of(989) + PRIVATE * 2 + "\ue000", True),
        (text_of(200) + "\ue000\ue001\ue002" * 3, False),  # a few icons
        (text_of(200) + PRIVATE * 2, True),
        (text_of(200) + "\ue000\ue001" * 50, False),  # a blank and a bullet
        (text_of(200) + "\ue000\ue001\ue002" * 50, True),
        (text_of(95, marks=0) + "\u3400" * 5, False),  # one in twenty
        (text_of(94, marks=0) + "\u3400" * 6, True),
        ("a" * 50 + "\u3400", True),
        (text_of(50, marks=0) + "龘" * 50, False),  # half of them are common
        (text_of(49, marks=0) + "龘" * 51, True),
        (text_of(49, marks=0) + "龘" * 50, False),  # too few to say
    ],
)
def test_font_shows_other_characters(text, expected):
    assert is_obfuscated(text) is expected


def test_continued_text_is_incomplete_without_a_next_page():
    assert kind_of(text_of(100), turns_page=True) == "incomplete"
    assert kind_of(text_of(100), turns_page=True, has_next_page=True) == "article"
    assert kind_of(text_of(19, marks=0), turns_page=True, has_next_page=True) == "incomplete"
    assert kind_of(text_of(100), raw="内容加载失败") == "incomplete"


def test_text_needs_a_sentence_mark_per_hundred_characters():
    assert kind_of(text_of(1_000, marks=10), block=INDEX) == "article"
    assert kind_of(text_of(1_000, marks=9), block=INDEX) == "list"
    assert kind_of(text_of(9_000, marks=50), block=INDEX) == "article"
    assert kind_of(text_of(9_000, marks=49), block=INDEX) == "list"


def test_text_by_the_sources_rules_is_not_a_list_unless_too_short():
    assert kind_of(text_of(100, marks=0), is_ruled=True) == "article"
    links = outline_of(200, link_chars=200)
    assert kind_of(text_of(20, marks=0), is_ruled=True, page=links) == "article"
    assert kind_of(text_of(19, marks=0), is_ruled=True, page=links) == "list"


def test_small_remark_among_mostly_links_is_a_list():
    for chars, link_chars, kind in [
        (199, 3_604, "list"),
        (199, 3_600, "article"),  # nine tenths of the page
        (200, 3_604, "article"),  # a twentieth of it
    ]:
        page = outline_of(4_000, link_chars=link_chars)
        assert kind_of(text_of(chars), page=page) == kind, (chars, link_chars)


def teasers(count, headed, gap=0, title="题{}"):
    """Return summaries, the first ones each below a link, with labels between the two."""
    lines = []
    for number in range(count):
        lines += [line(is_link=True, text=title.format(number))] if number < headed else [line()] * 4
        lines += [line()] * gap
        lines.append(line(is_prose=True))
    return lines


def test_summaries_below_links_are_a_list():
    for block, kind in [
        (block_of(*teasers(4, 3)), "list"),
        (block_of(*teasers(3, 3)), "article"),  # too few
        (block_of(*teasers(10, 7)), "article"),  # no more than seven of ten
        (block_of(*teasers(10, 8)), "list"),
        (block_of(*teasers(4, 4, gap=2)), "list"),
        (block_of(*teasers(4, 4, gap=3)), "article"),  # too far from the link
        (block_of(*teasers(4, 4), lead=PROSE), "article"),
        (block_of(*teasers(4, 4, title="编辑")), "article"),  # an encyclopedia's sections
    ]:
        assert kind_of(text_of(500), block=block) == kind, block


def test_beginnings_of_articles_below_linked_titles_are_a_list():
    story = f"<p>{PROSE}</p>" * 5
    entries = "".join(f"<h2><a href='/{n}.html'>候鸟北归的第{n}天</a></h2>{story}" for n in range(3))
    heading = "<h1>候鸟北归日记</h1>"
    assert extract(page(f"<div>{entries}</div>", title="候鸟日记")).kind == "list"
    assert extract(page(f"<div>{heading}{entries}</div>", title="候鸟北归日记")).kind == "article"
    parts = entries.replace("href='/", "href='#")
    assert extract(page(f"<div>{parts}</div>", title="候鸟日记")).kind == "article"


def test_few_sentences_on_a_page_of_links_are_not_an_article():
    few, links = block_of(prose_chars=249), outline_of(2_000, link_chars=1_401)
    assert kind_of(text_of(200), block=few, page=links) == "list"
    assert kind_of(text_of(200), block=few, page=outline_of(2_000, link_chars=1_400)) == "article"
    assert kind_of(text_of(200), block=block_of(prose_chars=250), page=links) == "article"
    assert kind_of(text_of(200), block=replace(few, is_titled=True), page=links) == "article"
    assert kind_of(text_of(200), block=replace(few, lead=PROSE), page=links) == "article"


def test_headings_and_verse_are_not_a_list_unless_linked():
    for link_share, kind in ((0.1, "article"), (0.11, "list")):
        block = replace(block_of(), link_share=link_share)
        assert kind_of(text_of(600, marks=0), block=block) == kind, link_share


VERSE = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"


def verse(count=40):
    """Return a poem of lines without marks, 17 of them distinct."""
    return "".join(f"<p>{VERSE[n % 17 : n % 17 + 7]}</p>" for n in range(count))


def test_text_without_sentence_marks_is_an_article():
    menu = "".join(f"<li><a href='/{n}.html'>候鸟北归的第{n}天</a></li>" for n in range(9))
    result = extract(page(f"<ul>{menu}</ul><div>{verse()}</div><p>本站内容来自网友，请勿转载。</p>"))
    assert result.kind == "article"
    assert result.text.split("\n")[0] == "天地玄黄宇宙洪"
    assert len(result.text.split("\n")) == 40
    linked = verse().replace("<p>", "<p><a href='/'>").replace("</p>", "</a></p>")
    assert extract(page(f"<div>{linked}</div>")).kind == "list"


def test_table_of_few_distinct_cells_is_not_a_text():
    cells = "".join(f"<td>{VERSE[n % 9 : n % 9 + 4]}</td>" for n in range(200))
    assert extract(page(f"<table><tr>{cells}</tr></table>")).kind != "article"


def test_sentences_that_end_in_a_full_width_point_are_sentences():
    result = extract(article(*[PROSE.replace("。", "．").replace("，", "、")] * 4))
    assert (result.kind, len(result.text)) == ("article", 4 * len(PROSE) + 3)


@pytest.mark.parametrize("label", ["上一章", " 下 一章\n", "<b>章节</b>目录"])
def test_chapter_is_recognised_by_its_links(label):
    tree = parse(f"<html><body><a href=/1>首页</a><a href=/2>{label}</a></body></html>")
    assert kind_of(text_of(200), is_serial=is_chapter("", anchors_of(tree))) == "chapter"


@pytest.mark.parametrize(
    ("title", "kind"),
    [("第 12 章", "chapter"), ("番外 雾", "chapter"), ("雾", "article"), ("县志第三卷征稿启事", "article")],
)
def test_chapter_is_recognised_by_its_title(title, kind):
    assert kind_of(text_of(200), is_serial=is_chapter(title, [])) == kind


def portal(*, lists=3, note=PROSE, title="渡口镇人民政府", heading=""):
    menu = "".join(f"<li><a href='/{at}'>渡口镇召开第{at}次会议</a></li>" for at in range(8))
    boxes = "".join(
        f"<div><h3>栏目</h3><a href='/l'>更多&gt;&gt;</a><ul>{menu}</ul></div>" for _ in range(lists)
    )
    return page(f"{heading}<div><p>{note}</p><p>{note[::-1]}</p></div>{boxes}", title=title)


def test_note_on_a_page_of_several_lists_is_a_list():
    assert extract(portal()).kind == "list"
    assert extract(portal(lists=2)).kind == "article"
    assert extract(portal(note=PROSE * 4)).kind == "article"


def test_text_without_title_or_description_is_less_sure():
    named = extract(page(f"<h1>渡口的灯火</h1><p>{PROSE}</p><p>{PROSE}</p>", title="渡口的灯火"))
    unnamed = extract(page(f"<p>{PROSE}</p><p>{PROSE}</p>", title="渡口的灯火"))
    assert unnamed.confidence == pytest.approx(0.8 * named.confidence)


def entry(heading, link, number):
    return f"<div class=s>{heading.format(number)}{link.format(number)}<p>{number}，{PROSE}</p></div>"


@pytest.mark.parametrize(
    ("heading", "link", "kind"),
    [
        ("", "<div><a href='/{0}'>另一篇文章的标题{0}号</a></div>", "list"),
        ("<h2>第{0}节</h2>", "<div><a href='/{0}'>另一篇文章的标题{0}号</a></div>", "list"),
        ("<div><a href='/{0}'>另一篇文章的标题{0}号</a></div><h2>第{0}节</h2>", "", "article"),
        ("", "<div><a href='/s'>分享到微博分享到微信</a></div>", "article"),
        ("", "<div><a href='/s'>分享</a></div><i>2024-03-0{0} 12:00</i>", "list"),
    ],
    ids=["titles", "titles below headings", "titles above headings", "links to share", "dates"],
)
def test_headings_separate_summaries_from_sections(heading, link, kind):
    entries = "".join(entry(heading, link, number) for number in range(6))
    assert extract(page(f"<h1>渡口的灯火</h1>{entries}", title="渡口的灯火")).kind == kind


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_list_of_summaries_may_have_columns(columns):
    item = "<li><a href='/{0}.html'>候鸟北归的第{0}天</a><p>今年的候鸟早到了{0}天，人们忙得很。</p></li>"
    items = [item.format(number) for number in range(24)]
    boxes = "".join(f"<div><ul>{''.join(items[at::columns])}</ul></div>" for at in range(columns))
    assert extract(page(f"<div>{boxes}</div>")).kind == "list"


@pytest.mark.parametrize(
    ("above", "kind"),
    [
        ("<h3>2012年3月{0}日</h3><div><a href='/e'>编辑</a></div>", "article"),
        ("<h3>第{0}节</h3><div><a href='/e'>编辑</a></div><i>2012年3月{0}日</i>", "list"),
    ],
    ids=["a chronicle", "comments"],
)
def test_date_above_a_heading_s_link_is_its_heading(above, kind):
    days = "".join(entry(above, "", number) for number in range(1, 9))
    assert extract(page(f"<h1>渡口的灯火</h1>{days}", title="渡口的灯火")).kind == kind


@pytest.mark.parametrize(
    ("heading", "kind"),
    [("渡口镇人民政府", "list"), ("渡口镇第一中学", "list"), ("渡口镇的灯火通明", "article")],
)
def test_office_name_is_not_the_title_of_a_note(heading, kind):
    assert extract(portal(heading=f"<h1>{heading}</h1>", title=heading)).kind == kind


def test_text_in_latin_pinyin_is_an_article():
    line = "geng chen nian jiu yue shi qi, lan shui shang luo le ru qiu yi lai zui da de yi chang yu. "
    page = extract(
        f"<html><body><div>{f'<p>{line * 3}</p>' * 3}</div></body></html>".encode(), url="http://a.cn/1"
    )
    assert page.kind == "article"
    assert "jiu yue" in page.text


BLURB = "一个老船匠造了一辈子的船，临终前把最后一条船交给徒弟。十年之后，徒弟带着船回到河边，渡口已经不在了。"


def novel(title, links):
    chapters = "".join(f"<li><a href='/{n}.html'>第{n}章 春水</a></li>" for n in range(1, 13))
    return extract(
        page(
            f"<h1>{title}</h1><div><h3>内容简介</h3><p>{BLURB}</p>{links}</div><ul>{chapters}</ul>",
            title=title,
        )
    )


def test_information_page_of_a_novel_is_a_list_with_the_blurb():
    found = novel("船匠与河的故事", "<a href='/1.html'>开始阅读</a>")
    assert (found.kind, found.text) == ("list", BLURB)


def test_a_short_chapter_next_to_a_catalogue_stays():
    assert novel("第七章 下水", "").kind == "chapter"
    assert novel("船匠与河的故事", "<a href='/2.html'>下一章</a>").kind != "list"


def test_names_with_dates_are_a_list():
    names = "".join(
        f"<li>许文{n}，{1950 + n}年{n}月{n}日</li>" for n in "一二三四五六七八九" for n in [ord(n) % 9 + 1]
    )
    assert (
        extract(page(f"<h1>渡口会员名录一览</h1><ul>{names}</ul>", title="渡口会员名录一览")).kind == "list"
    )


def test_topics_beside_a_password_form_are_a_list():
    form = "<form>用户名<input name=u>密码<input type=password><button>登录</button></form>"
    topics = "".join(
        f"<li><a href='/t/{n}'>{name}</a></li>" for n, name in enumerate(("春天的船", "夏天的河", "秋天的桥"))
    )
    menu = "".join(
        f"<li><a href='/{n}'>{name}</a></li>" for n, name in enumerate(("首页", "注册", "找回密码"))
    )
    assert extract(page(f"{form}<ul>{topics}</ul>")).kind == "list"
    assert extract(page(f"{form}<ul>{menu}</ul>")).kind == "blocked"


def test_names_of_texts_with_dates_are_a_list():
    titles = [f"第{n}盏灯为什么会自己亮起来？渡口的老人这样说" for n in range(9)]
    rows = "".join(f"<li><a href='/{n}'>{name}</a><b>2023-01-1{n}</b></li>" for n, name in enumerate(titles))
    body = f"<h2>渡口通知公告</h2><ul>{rows}</ul>"
    assert extract(f"<title>渡口通知公告-江岸</title><body>{body}".encode()).kind == "list"

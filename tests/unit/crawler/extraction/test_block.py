"""The article among menus, teasers, comments and notices, by the score of its lines."""

import pytest

from crawler.extraction.block import NO_BLOCK, main_block
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.trimming import trim

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
MORE = "江水拍着木桩，一下，又一下。他在这里守了四十年，从来没有见过哪一盏自己灭掉。"
TEASER = (
    "<li><a href='/{0}.html'>候鸟北归的第{0}天</a><p>今年的候鸟比往年早到了{0}天，湿地保护站的人忙得很。</p>"
    "<i>09:1{0}</i></li>"
)


def page(body):
    return outline(parse(f"<html><body>{body}</body></html>").find("body"))


def texts(body, **options):
    lines = main_block(page(body), **options).lines
    return [line.text for line in trim(lines, title=options.get("title", ""))]


def paragraphs(*lines):
    return "".join(f"<p>{line}</p>" for line in lines)


def test_menus_and_footers_are_omitted():
    menu = "<ul>" + "".join(f"<li><a href='/{n}'>频道{n}</a></li>" for n in range(20)) + "</ul>"
    footer = f"<div>{menu}江岸日报社版权所有，2026。</div>"
    body = f"{menu}<div class='x'>{paragraphs(PROSE, MORE, PROSE)}</div>{footer}"
    assert texts(body) == [PROSE, MORE, PROSE]


def test_menu_inside_the_article_is_pruned_and_a_heading_is_not():
    menu = "<ul>" + "".join(f"<li><a href='/{n}'>相关报道第{n}篇</a></li>" for n in range(6)) + "</ul>"
    body = f"<div>{paragraphs(PROSE, '一、渡口')}{menu}{paragraphs(MORE, PROSE)}</div>"
    assert texts(body) == [PROSE, "一、渡口", MORE, PROSE]


VERSE = ["白日依山尽", "黄河入海流", "欲穷千里目", "更上一层楼"]


@pytest.mark.parametrize(
    "held",
    [
        f"<div>{''.join(f'<div>{line}</div>' for line in VERSE)}</div>{paragraphs(MORE)}",
        f"<ul>{''.join(f'<li>{line}</li>' for line in VERSE)}</ul>",
        f"<table><tr>{''.join(f'<td>{line}</td>' for line in VERSE)}</tr></table>",
    ],
    ids=["verse", "list", "table"],
)
def test_lines_without_a_full_stop_are_no_menu_unless_they_are_links(held):
    body = f"<div>{paragraphs(PROSE, PROSE)}{held}</div>"
    assert texts(body)[2:6] == VERSE
    linked = held
    for line in VERSE:
        linked = linked.replace(line, f"<a href='/'>{line}</a>")
    assert not set(VERSE) & set(texts(f"<div>{paragraphs(PROSE, PROSE)}{linked}</div>"))


def test_controls_behind_the_article_are_a_menu_without_links():
    controls = "".join(
        f"<div>{label}</div>" for label in ("轻点两下", "继续滑动", "微信扫一扫", "使用小程序")
    )
    assert texts(f"<div>{paragraphs(PROSE, MORE)}<div>{controls}</div></div>") == [PROSE, MORE]


def test_list_of_addresses_behind_the_article_is_a_menu():
    notes = "".join(f"<p><span>[{n}]</span> 渡口 <em>https://x.example/{n}</em></p>" for n in range(5))
    assert texts(f"<div>{paragraphs(PROSE, MORE, PROSE)}<div>{notes}</div></div>") == [PROSE, MORE, PROSE]


def test_article_section_far_below_the_description_stays():
    menu = "<ul>" + "".join(f"<li><a href='/{n}'>相关报道第{n}篇</a></li>" for n in range(30)) + "</ul>"
    noted = paragraphs(MORE, PROSE) + "".join(f"<p><a href='#{n}'>[{n}]</a></p>" for n in range(5))
    body = f"<div>{paragraphs(PROSE)}{menu}<div>{noted}</div>{paragraphs(*[PROSE] * 20)}</div>"
    assert MORE in texts(body, descriptions=[PROSE])


def test_comments_longer_than_the_article_are_not_the_article():
    remark = "<b>路人</b><p>富士康的确如此，我早就说过了，大家都知道！</p><a href='#'>回复</a>"
    comments = f"<div class='comment-list'>{f'<div>{remark}</div>' * 30}</div>"
    body = f"<h1>苹果回应质疑</h1><div>{paragraphs(PROSE, MORE)}</div>{comments}"
    assert texts(body, title="苹果回应质疑") == [PROSE, MORE]


def test_brief_among_longer_teasers_is_recognised_by_the_description():
    teasers = "".join(TEASER.format(n) for n in range(9))
    body = f"<h1>日企信心持稳</h1><div><p>{PROSE}</p></div><div><ul>{teasers}{teasers}{teasers}</ul></div>"
    assert texts(body, title="日企信心持稳", descriptions=[PROSE[:30] + "……"]) == [PROSE]


def test_abstract_above_the_article_does_not_hide_it():
    body = f"<div class='summary'>核心提示：{PROSE}</div><div>{paragraphs(*[MORE] * 6)}</div>"
    assert texts(body, title="灯", descriptions=[PROSE])[-6:] == [MORE] * 6


@pytest.mark.parametrize("tag", ["aside", "div class='related-story'", "div class='book-ads'"])
def test_aside_is_not_the_article_after_an_abstract(tag):
    story = f"<{tag}>{paragraphs(*[MORE] * 6)}</{tag.split()[0]}>"
    body = f"<h1>渡口守灯人</h1><div>{paragraphs(PROSE)}</div>{story}"
    assert texts(body, title="渡口守灯人", descriptions=[PROSE]) == [PROSE]


def test_sentences_between_the_title_and_the_line_of_the_description_count():
    summary = "守灯人许长河今年七十三岁，他守着渡口的七盏灯，一守就是四十年。"
    labels = "".join(
        f"<i>{label}</i><br>" for label in ("江岸日报", "记者甲", "摄影乙", "八版", "字号", "大", "小")
    )
    body = f"<div><h1>渡口守灯人</h1>{labels}{paragraphs(summary)}<div>{paragraphs(PROSE)}</div></div>"
    assert texts(body, title="渡口守灯人", descriptions=[PROSE])[-2:] == [summary, PROSE]


def test_notices_in_a_box_after_the_chapter_are_pruned():
    notice = paragraphs(
        "如果您发现本章有错误，请及时通知我们，您的热心是对本站最大的支持。",
        "本书与本站立场无关，如有质疑，请联系我们。",
    )
    body = f"<div><div id='a'>{'<br>'.join([PROSE, MORE] * 6)}</div><div id='b'>{notice}</div></div>"
    assert texts(body) == [PROSE, MORE] * 6


def test_second_section_with_the_same_signature_stays():
    parts = (paragraphs(*[PROSE] * 9), paragraphs(MORE))
    body = "".join(f"<div class='part'>{paragraph}</div>" for paragraph in parts)
    assert texts(f"<div>{body}</div>") == [PROSE] * 9 + [MORE]


def test_tables_and_forms_hold_articles_too():
    menu = "<a href=/>首页</a><br>" * 9
    layout = f"<table><tr><td>{menu}</td><td>{paragraphs(PROSE, MORE)}</td></tr></table>"
    assert texts(f"<form>{layout}</form>") == [PROSE, MORE]


def test_code_is_neither_sentence_nor_menu():
    code = "<pre>import redis\nclient = redis.Redis()\ndef run():\n    pass</pre>"
    assert len(texts(f"<div>{paragraphs(PROSE)}{code}{paragraphs(MORE)}</div>")) == 3


def test_classes_of_whole_pages_are_ignored():
    body = f"<div class='wrap hot share-open ad-free a b c d'>{paragraphs(PROSE, MORE, PROSE)}</div>"
    assert texts(body) == [PROSE, MORE, PROSE]


def test_page_without_sentences_has_no_block():
    assert main_block(page("<p><a href='/'>首页</a></p>")) == NO_BLOCK
    assert main_block(page("")) == NO_BLOCK


def test_preformatted_prose_is_text_and_code_is_not():
    assert texts(f"<pre>{PROSE}</pre><ul>{'<li><a href=/1>频道一二三</a></li>' * 9}</ul>") == [PROSE]
    assert main_block(page("<pre>for (a, b) in c; print(a); // 灯</pre>")) == NO_BLOCK


@pytest.mark.parametrize(("name", "is_part"), [("para", True), ("note", False)])
def test_abstract_with_the_same_class_above_the_contents_is_kept(name, is_part):
    def part(name, lines):
        return "<div>" + "".join(f"<div class={name}>{line}</div>" for line in lines) + "</div>"

    abstract, story = "渡口的灯，江上最老的一排。", [f"{at}，{PROSE}" for at in range(9)]
    contents = "<ol>" + "<li><a href='/1'>历史沿革</a></li>" * 4 + "</ol>"
    entry = f"<h1>渡口的七盏灯</h1>{part(name, [abstract])}{contents}{part('para', story)}"
    lines = texts(f"<div>{entry}</div>", title="渡口的七盏灯")
    assert (abstract in lines) is is_part
    assert lines[-9:] == story


SOURCE = "<li>{at}. ↑ 渡口的灯火，至今还亮着，{at}．江岸日报．2024-03-05</li>"


@pytest.mark.parametrize(("item", "are_sources"), [(SOURCE, True), (SOURCE.replace("↑ ", ""), False)])
def test_sources_with_backlinks_are_pruned(item, are_sources):
    items = "".join(item.format(at=at) for at in range(1, 5))
    lines = texts(f"<div>{paragraphs(PROSE, PROSE[::-1], PROSE)}<ul>{items}</ul></div>")
    assert (not any("江岸日报" in line for line in lines)) is are_sources


def test_few_citation_marks_are_not_a_list_of_sources():
    items = SOURCE.format(at=1) + SOURCE.format(at=2) + f"<li>{PROSE}</li>" * 3
    assert any("江岸日报" in line for line in texts(f"<div>{paragraphs(PROSE, PROSE)}<ul>{items}</ul></div>"))


@pytest.mark.parametrize(("sentences", "is_text"), [(2, False), (4, True)])
def test_several_paragraphs_below_a_link_are_not_a_summary(sentences, is_text):
    story = "".join(f"<p>{at}，{PROSE}</p>" for at in range(sentences))
    items = "".join(
        f"<div class=i><div><a href='/u{at}'>某某写的第{at}篇</a></div>{story}</div>" for at in range(3)
    )
    lines = texts(
        f"<div><h1>渡口的七盏灯</h1>{paragraphs(*[PROSE] * 9)}<div>{items}</div></div>", title="渡口的七盏灯"
    )
    assert any(line.startswith("0，") for line in lines) is is_text

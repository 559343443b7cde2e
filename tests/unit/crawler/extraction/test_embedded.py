"""Articles in scripts, templates and text areas."""

import base64
import json
from urllib.parse import quote

import pytest
from support.mutations import STORY

from crawler.extraction import extract
from crawler.extraction.block import NO_BLOCK
from crawler.extraction.embedded import embedded_text, hidden_article
from crawler.extraction.encoded_data import decode_data
from crawler.extraction.optional_steps import OptionalSteps
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.visible_outline import remove_hidden

URL = "http://x.example/b/7.html"
PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
LINES = [f"{number}，{PROSE}" for number in range(8)]


def lines_of_page(page):
    tree = parse(page)
    _, hidden = remove_hidden(tree, {}, "", OptionalSteps())
    text = embedded_text(tree, hidden.data)
    return [] if text is None else list(text.lines)


@pytest.mark.parametrize(
    "holder",
    [
        "<textarea style='display:none'><p>{0}</p></textarea>",
        "<script type='text/template'><p>{0}</p></script>",
        "<script>var page = {{'content': '{0}'}}</script>",
        '<script type="application/ld+json">{{"articleBody": "{0}"}}</script>',
        '<script>window.data = {{"a": "\\u003cp\\u003e{0}\\u003c/p\\u003e", "b": "c"}}</script>',
        '<script>x = {{"a": "&lt;p&gt;{0}&lt;/p&gt;"}}</script>',
    ],
)
def test_articles_in_scripts_are_read(holder):
    text = "".join(LINES)
    assert lines_of_page(f"<html><body>{holder.format(text)}</body></html>") == [text]


@pytest.mark.parametrize(
    "holder",
    [
        "<script>var a = 'x'; // it's a \"quote\nvar b = '{0}';</script>",
        '<script>var r = /"/;\nvar b = \'{0}\', c = "d";</script>',
        "<script>/* don't */ var b = `{0}`</script>",
        "<template><p>{0}</p></template>",
        "<template>{0}</template>",
        "<noscript><div>{0}</div></noscript>",
        '<div data-state=\'{{"content": "{0}"}}\'></div>',
        '<textarea>{{"content": "{0}"}}</textarea>',
    ],
)
def test_quotes_in_comments_and_patterns_start_no_string(holder):
    text = "".join(LINES) * 2  # attributes of some sentences are descriptions
    assert lines_of_page(f"<html><body>{holder.format(text)}</body></html>") == [text]


@pytest.mark.parametrize(
    "escaped",
    [r"\x0a", r"\n", r"\u000a", r"\u{a}", r"<br\/>", r"\x3cbr\x3e", r"&lt;br\x3e"],
)
def test_escapes_of_scripts_are_undone(escaped):
    text = escaped.join(LINES).replace("雾", r"\u96fe", 1)
    assert lines_of_page(f"<html><body><script>f('{text}')</script></body></html>") == LINES


def test_surrogate_pairs_are_a_single_character():
    text = "".join(LINES)
    assert lines_of_page(rf"<script>a = '\ud83d\ude00{text}'</script>") == [f"\U0001f600{text}"]


def test_data_inside_data_are_read():
    text = "".join(LINES)
    state = json.dumps({"page": json.dumps({"content": text}, ensure_ascii=False)}, ensure_ascii=False)
    assert lines_of_page(f"<script>window.state = {state}</script>") == [text]


def shown(blurb, data, *, title=""):
    page = f"<html><head><title>{title}</title></head><body><div><p>{blurb}</p></div>{data}</body></html>"
    return extract(page.encode(), url=URL).text


def test_whole_story_in_data_beats_the_beginning_that_the_page_shows():
    story = "\n".join(f"{number}，{PROSE}" for number in range(60))
    held = f"<textarea hidden>{json.dumps({'content': story}, ensure_ascii=False)}</textarea>"
    for data in (held, held.replace("textarea", "div"), f"<script>a = {json.dumps(story)}</script>"):
        assert shown(story[:200], data) == story
        blurb = "开篇有一段话介绍这本书，说它写的是一座渡口和七盏灯。" * 5
        assert shown(blurb, data) == story
        assert shown(f"{blurb}</p><h1>渡口的七盏灯火</h1><p>{blurb}", data, title="渡口的七盏灯火") != story


def test_non_article_data_in_scripts_is_ignored():
    data = '{"url": "https://x.example/a,b,c", "items": "' + "a,b;c.d! " * 60 + '"}'
    assert lines_of_page(f"<html><body><script>var a = {data}</script></body></html>") == []


def test_texts_in_scripts_are_storable_where_they_enter():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    assert lines_of_page(f"<body><script>var a = {text};</script>") == [STORY * 3]


def test_texts_in_scripts_can_be_stored():
    text = json.dumps(STORY.replace("，", "\ud800，\x07", 1) * 3)
    page = f"<html><body><script>var a = {text};</script></body></html>"
    assert extract(page.encode(), url=URL).text == STORY * 3


PARAGRAPHS = [f"第{number}盏灯还亮着，雾从江心漫过来，老许没有说话。" for number in range(9)]


def lines_in(body):
    return lines_of_page(f"<html><body>{body}</body></html>")


@pytest.mark.parametrize(
    "script",
    [
        f"a = {json.dumps({'blocks': [{'id': at, 'text': text} for at, text in enumerate(PARAGRAPHS)]})};",
        "var story = {}".format(json.dumps({"title": "渡口", "content": PARAGRAPHS}, ensure_ascii=False)),
        "var story = {title: '渡口', body: [" + ",".join(f"{{p: '{text}'}}" for text in PARAGRAPHS) + "]}",
        "".join(f"document.write('<p>{text}</p>');" for text in PARAGRAPHS),
        "show('{}')".format(json.dumps({"body": PARAGRAPHS}).replace("\\", "\\\\")),
    ],
)
def test_strings_of_a_script_become_paragraphs(script):
    assert lines_in(f"<script>{script}</script>") == PARAGRAPHS


@pytest.mark.parametrize("is_json", [True, False])
def test_percent_encoded_data_are_decoded(is_json):
    html = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    encoded = quote(json.dumps({"text": html}) if is_json else html)
    assert lines_in(f"<script type='application/json'>{encoded}</script>") == PARAGRAPHS
    assert lines_in(f"<script>var text = decodeURIComponent('{encoded}')</script>") == PARAGRAPHS


@pytest.mark.parametrize(
    "items",
    [
        [{"title": f"新闻{at}", "text": text} for at, text in enumerate(PARAGRAPHS)],
        [{"text": text, "nickname": f"客{at}"} for at, text in enumerate(PARAGRAPHS)],
        [{"text": text, "url": f"/{at}"} for at, text in enumerate(PARAGRAPHS)],
    ],
)
def test_summaries_and_comments_are_no_paragraphs(items):
    assert lines_in(f"<script>var items = {json.dumps(items, ensure_ascii=False)}</script>") == []


def test_complete_text_is_not_joined_with_other_texts():
    whole = "\n".join(PARAGRAPHS)
    texts = [{"text": whole}, *({"text": "另一篇文章的开头写在这里，很短。"} for _ in range(4))]
    assert lines_in(f"<script>var texts = {json.dumps(texts, ensure_ascii=False)}</script>") == PARAGRAPHS


HTML = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)


@pytest.mark.parametrize("data", [HTML, json.dumps({"content": HTML}), quote(HTML)])
@pytest.mark.parametrize("holder", ["<script>var a = atob('{0}')</script>", "<div data-body='{0}'></div>"])
def test_base64_in_scripts_and_attributes_is_decoded(data, holder):
    assert lines_in(holder.format(base64.b64encode(data.encode()).decode())) == PARAGRAPHS


def test_sixteen_bit_escapes_are_decoded():
    escaped = "".join(char if char.isascii() else f"%u{ord(char):04X}" for char in HTML)
    assert lines_in(f"<script>document.write(unescape('{escaped}'))</script>") == PARAGRAPHS


def test_pictures_in_base64_are_no_texts():
    picture = base64.b64encode(bytes(range(256)) * 9).decode()
    assert lines_in(f"<script>var a = '{picture}'</script>") == []


def test_text_area_shows_markup_to_no_reader():
    page = f"<html><body><textarea>{HTML.replace('<', '&lt;')}</textarea></body></html>"
    assert extract(page.encode(), url=URL).text.split("\n") == PARAGRAPHS


OTHER = [f"另一条新闻的第{number}段，说的是大桥通车的事，全长三公里，双向六车道。" for number in range(20)]


def described(body, description):
    head = f"<head><title>江上</title><meta name=description content='{description}'></head>"
    return extract(f"<html>{head}<body>{body}</body></html>".encode(), url=URL)


def test_described_text_is_chosen_among_several():
    texts = json.dumps([{"content": "<br>".join(text), "url": "/"} for text in (PARAGRAPHS, OTHER)])
    result = described(f"<script>var a = {texts}</script>", PARAGRAPHS[0])
    assert (result.text.split("\n"), result.confidence) == (PARAGRAPHS, 0.9)
    other = described(f"<script>var a = {texts}</script>", "江上新闻网每天为您报道江上发生的各种新闻。")
    assert (other.text.split("\n"), other.confidence) == (OTHER, 0.5)


def test_description_is_not_used_as_the_text():
    blurb = "".join(PARAGRAPHS[:5])
    shown = "".join(f"<p>{text}</p>" for text in OTHER[:4])
    assert PARAGRAPHS[0] not in described(f"{shown}<script>a = {json.dumps(blurb)}</script>", blurb).text


def test_data_with_the_title_are_the_story_below_that_title():
    story = "\n".join(f"{number}，{PROSE}" for number in range(60))
    blurb = "开篇有一段话介绍这本书，说它写的是一座渡口和七盏灯。" * 5
    body = f"</p><h1>渡口的七盏灯火</h1><p>{blurb}"
    for title, is_story in (("渡口的七盏灯火", True), ("大桥今日通车了", False)):
        data = f"<script>a = {json.dumps({'title': title, 'content': story})}</script>"
        assert (shown(body, data, title="渡口的七盏灯火") == story) == is_story


def chapters(**fields):
    parts = ["<br>".join(f"{volume}之{at}，{PROSE}" for at in range(30)) for volume in ("上", "下")]
    return parts, json.dumps([{"content": volume, **fields} for volume in parts], ensure_ascii=False)


def test_whole_texts_side_by_side_are_chapters():
    parts, data = chapters(title="第一节")
    assert lines_in(f"<script>var a = {data}</script>") == "<br>".join(parts).split("<br>")


def test_whole_texts_with_separate_authors_are_several_articles():
    parts, data = chapters(author="江上客")
    assert lines_in(f"<script>var a = {data}</script>") == parts[0].split("<br>")


def test_described_data_beat_a_page_of_other_stories():
    frame = "".join(f"<p>{text}</p>" for text in OTHER)
    for times, is_taken in ((9, True), (1, False)):
        story = "<br>".join(PARAGRAPHS * times)
        result = described(f"{frame}<script>a = {json.dumps({'content': story})}</script>", PARAGRAPHS[0])
        assert (PARAGRAPHS[0] in result.text) == is_taken
    described_elsewhere = described(f"{frame}<script>a = {json.dumps(story * 9)}</script>", OTHER[0])
    assert PARAGRAPHS[0] not in described_elsewhere.text


def test_data_with_a_title_that_the_page_hides_are_the_story():
    blurb = "本站每天为您带来江上发生的各种新闻，欢迎您把它介绍给更多的朋友，也欢迎您来信。" * 5
    story = "\n".join(f"{number}，{PROSE}" for number in range(15))
    for title, is_story in (("渡口的七盏灯火", True), ("大桥今日通车了", False)):
        state = json.dumps({"title": title, "content": story})
        for data in (state, json.dumps(state)):
            script = f"<script>a = {data}</script>"
            assert (shown(blurb, script, title="渡口的七盏灯火") == story) == is_story


def test_data_do_not_replace_a_pages_titled_text():
    heading = "<h1>大桥今日通车了</h1>"
    data = f"<script>a = {json.dumps({'content': '<br>'.join(PARAGRAPHS * 9)})}</script>"
    head = f"<head><title>大桥今日通车了</title><meta name=description content='{PARAGRAPHS[0]}'></head>"
    for lines, is_own in ((OTHER, True), (OTHER[:9], False)):
        page = f"<html>{head}<body>{heading}{''.join(f'<p>{line}</p>' for line in lines)}{data}</body></html>"
        text = extract(page.encode(), url=URL).text
        assert PARAGRAPHS[0] in text  # kept next to it, because the description summarises it
        assert (OTHER[0] in text) == is_own


def test_text_shown_below_the_title_is_not_read_twice():
    data = f"<script>a = {json.dumps({'content': '<br>'.join((*OTHER, *PARAGRAPHS))})}</script>"
    head = f"<head><title>大桥今日通车了</title><meta name=description content='{PARAGRAPHS[0]}'></head>"
    lines = "".join(f"<p>{line}</p>" for line in OTHER)
    page = f"<html>{head}<body><h1>大桥今日通车了</h1>{lines}{data}</body></html>"
    assert extract(page.encode(), url=URL).text.count(OTHER[0]) == 1


def test_summaries_lose_to_described_data():
    story = f"<script>a = {json.dumps({'content': '<br>'.join(PARAGRAPHS)})}</script>"
    lists = "".join(
        f"<h3><a href='/{at}'>江边的新闻第{at}条</a></h3><p>{line}</p>" for at, line in enumerate(OTHER)
    )
    result = described(f"{lists}{story}", PARAGRAPHS[0])
    assert result.text == "\n".join(PARAGRAPHS)
    assert described(f"{lists}{story}", "与此无关的一句话，页面上下都没有它的踪影。").kind == "list"


def test_answers_in_data_follow_their_question():
    title = "渡口的灯火还亮着吗？"
    answers = [
        {"author": {"name": "甲"}, "content": "".join(f"<p>{at}，{line}</p>" for line in PARAGRAPHS)}
        for at in "甲乙丙"
    ]
    state = json.dumps({"title": title, "answers": answers}, ensure_ascii=False)
    question = "我小时候去过一次，灯是七盏，今年有人去过吗？"
    head = f"<head><title>{title}</title></head>"
    page = f"<html>{head}<body><h1>{title}</h1><p>{question}</p><script>a = {state}</script></body></html>"
    text = extract(page.encode(), url=URL).text
    assert text.split("\n") == [question, *(f"{at}，{line}" for at in "甲乙丙" for line in PARAGRAPHS)]


@pytest.mark.parametrize(("times", "is_taken"), [(1, False), (20, True)])
def test_block_without_sentences_is_no_beginning_of_a_text(times, is_taken):
    notes = "".join(f"<p>{line}</p>" for line in OTHER)
    script = f"<script>a = {json.dumps('<br>'.join(PARAGRAPHS * times))}</script>"
    tree = parse(f"<body>{notes}{script}</body>")
    assert (hidden_article(tree, (), outline(tree.find("body")), NO_BLOCK) is not None) == is_taken


@pytest.mark.parametrize(
    "title", ["渡口·七盏灯火", "渡口的灯火\U0001f600", '他说"灯灭了"之后', "“灯灭了”之后"]
)
@pytest.mark.parametrize("is_ascii", [True, False])
def test_data_name_a_title_as_json_writes_it(title, is_ascii):
    state = json.dumps({"title": title, "content": "<br>".join(PARAGRAPHS)}, ensure_ascii=is_ascii)
    for data in (state, json.dumps(state, ensure_ascii=is_ascii)):
        text = embedded_text(parse(f"<script>a = {data}</script>"), title=title)
        assert text is not None
        assert text.is_named


def test_percent_u_escapes_are_sixteen_bit_code_units():
    text = f"张·王\U0001f600é{''.join(PARAGRAPHS)}"
    units = text.encode("utf-16-be")
    codes = [int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2)]
    escaped = "".join(f"%u{code:04X}" if code > 0xFF else f"%{code:02X}" for code in codes)
    assert decode_data(escaped) == text
    assert decode_data(quote(text)) == text


@pytest.mark.parametrize(
    ("size", "end", "is_encoded"), [(100, "", True), (100, " \n", True), (100, " !", False), (96, "", False)]
)
def test_base64_is_a_hundred_letters_and_white_space(size, end, is_encoded):
    encoded = base64.b64encode("雾".encode() * 25).decode()[:size]
    assert (decode_data(encoded + end) is not None) == is_encoded


def short_data(body="", **fields):
    data = {"content": "<br>".join(PARAGRAPHS[:7]), **fields}
    links = "".join(f"<li><a href='/{at}'>{line}</a></li>" for at, line in enumerate(OTHER))
    script = f"<script>a = {json.dumps(data)}</script>"
    head = "<head><title>渡口的七盏灯火</title></head>"
    return extract(f"<html>{head}<body>{body}<ul>{links}</ul>{script}</body></html>".encode(), url=URL)


def test_short_data_with_the_title_are_text_on_a_page_of_links():
    named, unnamed = short_data(title="渡口的七盏灯火"), short_data()
    assert named.text == unnamed.text == "\n".join(PARAGRAPHS[:7])
    assert (named.kind, unnamed.kind) == ("article", "list")


def test_noscript_passages_inside_sentences_do_not_split_lines():
    held = "".join(f"<p>{line}</p>" for line in LINES[1:])
    first = LINES[0].replace("老许", "<b>老许</b>").replace("渡口", "<a href='/1'>渡口</a>")
    for holder in ("noscript", "template"):
        assert lines_of_page(f"<{holder}>{first}{held}</{holder}>") == LINES

"""Rows of facts, edit links and notes are not the text of an encyclopedia's entry."""

from support.pages import PROSE, page

from crawler.extraction import extract

PARAGRAPHS = "".join(f"<p>第{number}次：{PROSE}</p>" for number in "一二三")
FACTS = {
    "dl": "<dl><dt>中文名</dt><dd>渡口</dd><dt>外文名</dt><dd>Ferry</dd><dt>用途</dt><dd>过河。</dd></dl>",
    "table": "<table><tr><th>地点</th><td>河东镇</td></tr><tr><th>建成</th><td>1902年</td></tr></table>",
    "class": "<div class='basic-info cmn'><div>中文名</div><div>渡口，码头。</div></div>",
}


def entry(facts, *, edit="<span>[<a href='/e'>编辑</a>]</span>", note=""):
    body = "".join(f"<h2>{name}{edit}</h2>{note}{PARAGRAPHS}" for name in ("历史", "建筑", "影响"))
    return extract(page(f"<h1>渡口</h1>{facts}<p>{PROSE}</p>{body}", title="渡口 - 江边百科"))


def test_facts_of_an_entry_are_in_the_rest():
    for facts in FACTS.values():
        found = entry(facts)
        assert found.text.startswith("雾从江心")
        assert "中文名" in found.rest or "河东镇" in found.rest


def test_long_sentences_in_a_box_of_facts_stay():
    assert f"<p>{PROSE}" not in entry("").text
    found = entry(f"<div class='lemma-info'><p>{'摘要。' + PROSE}</p><div>中文名</div></div>")
    assert "摘要。" in found.text
    assert "中文名" not in found.text


def test_edit_links_and_missing_pictures_are_no_text():
    found = entry("", edit="<i>播报</i><br><i>编辑</i>", note="<div>暂无图片</div>")
    assert not {"播报", "编辑", "暂无图片"} & set(found.text.split("\n"))
    assert "历史\n" in entry("").text


def test_a_table_of_another_text_stays():
    assert "河东镇" in entry(FACTS["table"], edit="").text

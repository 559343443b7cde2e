"""The container of a site's texts, learnt from its pages, and its effect on later pages."""

import pytest
from support.strategies import story

from crawler.extraction import NO_CONTEXT, PageContext, extract, voting
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.repeats import sentence_hash
from crawler.extraction.template import (
    MAX_CONTAINERS,
    MAX_FRAME,
    NO_TEMPLATE,
    Template,
    find_container,
    form_of,
    learn_containers,
    learn_frame,
)

HOT = "本站今日推荐：候鸟北归的第七天，渡口来了一位背着竹箱的说书人。"
NAMED = ('<div class="wrap" id="post-{number}">', '<div class="text w{number}">')
BARE = ("<div>", "<div>")


def prose(seed, count=9):
    numbers = range(100 * seed, 100 * seed + count)
    return [f"{story(30, number)}，{story(30, 70_000 + number)}。" for number in numbers]


def paragraphs(lines):
    return "".join(f"<p>{line}</p>" for line in lines)


def page(number, *, tags=NAMED, text=None, below=""):
    wrap, inner = (tag.format(number=number) for tag in tags)
    text = paragraphs(prose(number) if text is None else text)
    return (
        f"<html><head><title>渡口</title></head><body><div><a href='/'>首页</a></div>"
        f"{wrap}<div><a href='/{number}'>目录</a></div>{inner}{text}</div></div>"
        f"<div><p>{HOT}</p></div>{below}</body></html>"
    )


def read(html, context=NO_CONTEXT):
    return extract(html.encode(), declared="utf-8", context=context)


def taught(pages):
    forms = [read(html).form for html in pages]
    return Template(
        frozenset(learn_containers([form.paths for form in forms])),
        frozenset(learn_frame(form.outside for form in forms)),
    )


def outlined(html):
    return outline(parse(html).find("body"))


@pytest.mark.parametrize(
    ("tags", "path"),
    [(NAMED, "div#post- > div.text"), (BARE, "div:1 > div:1")],
    ids=["names", "no-names"],
)
def test_three_pages_teach_the_container_and_the_frame(tags, path):
    template = taught(page(number, tags=tags) for number in range(3))
    assert template == Template(frozenset({path}), frozenset({sentence_hash(HOT)}))
    fourth = outlined(page(4, tags=tags))
    block = find_container(fourth, template)
    texts = [line.text for line in fourth.lines if block <= line.block < fourth.ends[block]]
    assert texts == prose(4)


def test_two_pages_teach_nothing():
    assert taught(page(number) for number in range(2)) == NO_TEMPLATE


def test_missing_or_ambiguous_container_gives_none():
    template = taught(page(number) for number in range(3))
    twice = page(3).replace("</body>", f'<div id="post-9"><div class="text">{HOT}</div></div></body>')
    for html in (page(3, tags=BARE), twice):
        assert find_container(outlined(html), template) is None
    assert find_container(outlined(page(3)), NO_TEMPLATE) is None


def test_container_with_most_sentences_is_chosen():
    page_outline = outlined(page(3))
    template = Template(frozenset({"div:0", "div#post- > div.text", "div:1"}))
    assert page_outline.elements[find_container(page_outline, template)].get("class") == "text w3"


def test_spread_or_uncertain_texts_teach_nothing():
    whole = outlined("".join(f"<p>{line}</p>" for line in prose(1)))
    assert form_of(whole, prose(1)) is None
    assert form_of(outlined(page(1)), []) is None
    assert read("<html><body><ul><li><a href='/1'>目录</a></li></ul></body></html>").form is None


def test_only_element_of_a_page_may_be_its_container():
    assert form_of(outlined(f"<body><div>{paragraphs(prose(1))}</div></body>"), prose(1)).paths == ("div:0",)


@pytest.mark.parametrize(("share", "is_place"), [(9, True), (8, False)])
def test_container_has_nine_tenths_of_the_text(share, is_place):
    text = [f"{story(9, number)}。" for number in range(10)]
    html = f"<body><div id=a>{paragraphs(text[:share])}</div>{paragraphs(text[share:])}</body>"
    form = form_of(outlined(html), text)
    assert (form.paths if form else ()) == (("div#a",) if is_place else ())


@pytest.mark.parametrize(("other_sentences", "is_place"), [(2, True), (3, False)])
def test_four_fifths_of_the_containers_sentences_are_the_text(other_sentences, is_place):
    text, other = ([f"{story(9, number)}。" for number in range(10 * n, 10 * n + 8)] for n in (1, 2))
    html = f"<body><div id=a>{paragraphs(text)}{paragraphs(other[:other_sentences])}</div></body>"
    form = form_of(outlined(html), text)
    assert (form.paths if form else ()) == (("div#a",) if is_place else ())


def test_labels_count_only_in_the_text():
    text, verses = prose(1), [story(30, number) for number in range(40)]
    html = f"<body><div id=a>{paragraphs(text)}{'<li>频道</li>' * 500}</div></body>"
    assert form_of(outlined(html), text).paths == ("div#a",)
    html = f"<body><div id=a>{paragraphs(verses)}{paragraphs(text)}</div></body>"
    assert form_of(outlined(html), verses + text).paths == ("div#a",)


def test_form_is_not_printed():
    assert "form" not in read(page(1)).as_dict()


def test_single_paragraph_does_not_teach_itself():
    forms = [read(page(number, text=["".join(prose(number))])).form for number in range(3)]
    assert "div#post- > div.text" in learn_containers([form.paths for form in forms])


def test_innermost_container_of_most_pages_is_learnt():
    forms = [("a > b", "a"), ("a > b", "a"), ("a > b", "a"), ("a > b > p:0", "a > b", "a")]
    assert learn_containers(forms) == {"a > b": 4}
    assert learn_containers([*forms, *[("c", "a")] * 2]) == {"a > b": 4}
    assert learn_containers([*forms, *[("c", "a")] * 3]) == {"a": 7}


def test_new_layout_of_a_site_is_learnt():
    old, new = ("div.old",), ("div.new",)
    assert learn_containers([old] * 5 + [new] * 2) == {"div.old": 5}
    assert learn_containers([old] * 4 + [new] * 3) == {"div.old": 4, "div.new": 3}
    assert learn_containers([old] * 2 + [new] * 9) == {"div.new": 9}


def test_learnt_templates_are_bounded():
    many = [(f"div.c{kind}",) for kind in range(20) for _ in range(3)]
    assert len(learn_containers(many)) == MAX_CONTAINERS
    assert len(learn_frame([range(1_000)] * 3)) == MAX_FRAME
    deep = outlined("<div>" * 300 + paragraphs(prose(1)) + "</div>" * 300)
    assert form_of(deep, prose(1)) is None
    shouting = form_of(outlined(page(1, below=paragraphs(prose(2, 300)))), prose(1))
    assert len(shouting.outside) == 100


def test_long_name_is_cut():
    html = page(1, tags=(f'<div id="{"x" * 500}">', "<div>"))
    form = form_of(outlined(html), prose(1))
    assert max(map(len, form.paths)) < 100


def lines_of(choice):
    return list(choice.lines)


def choice_of(monkeypatch, *, article, site, second=(), third=(), frame=(), rest=()):
    """Return the choice where the block and the template differ, and which libraries were asked."""
    calls = []
    monkeypatch.setattr(voting, "trafilatura_lines", lambda _: calls.append(2) or list(second))
    monkeypatch.setattr(voting, "readability_lines", lambda _: calls.append(3) or list(third))
    tree = parse(f"<html><body><div>{paragraphs(article)}</div><div>{paragraphs(rest)}</div></body></html>")
    block = voting_block(article, share=len("".join(article)) / len("".join([*article, *rest])))
    template_block = voting.TemplateBlock(voting_block(site, share=1.0), frozenset(map(sentence_hash, frame)))
    return voting.choose(tree, outlined_tree(tree), block, template_block=template_block), calls


def outlined_tree(tree):
    return outline(tree.find("body"))


def voting_block(lines, *, share):
    whole = voting.Block((), (), 0, 0.0, 0, share)
    outline_lines = outlined(f"<html><body>{paragraphs(lines)}</body></html>").lines
    chars = sum(line.chars for line in outline_lines)
    return type(whole)(outline_lines, outline_lines, chars, 0.0, chars, share)


def test_template_that_agrees_with_the_block_spares_the_libraries(monkeypatch):
    article = prose(1, 4)
    choice, calls = choice_of(monkeypatch, article=article, site=article, rest=prose(2, 3))
    assert (lines_of(choice), calls) == (article, [])


def test_template_alone_counts_half(monkeypatch):
    article = prose(1, 4)
    choice, _ = choice_of(monkeypatch, article=article, site=article, rest=prose(2, 3))
    block_alone = len("".join(article)) / len("".join([*article, *prose(2, 3)]))
    assert choice.confidence == pytest.approx((block_alone + 1.0) / 2)


def test_template_does_not_confirm_a_block_with_little_of_the_page(monkeypatch):
    article, elsewhere = prose(1, 2), prose(2, 9)
    choice, calls = choice_of(
        monkeypatch, article=article, site=article, rest=elsewhere, second=elsewhere, third=elsewhere
    )
    assert (lines_of(choice), calls) == (elsewhere, [3, 2])


@pytest.mark.parametrize(("second", "calls"), [(True, [2]), (False, [2, 3])], ids=["second", "third"])
def test_template_and_a_library_overrule_the_block(monkeypatch, second, calls):
    site = prose(1, 8)
    agreeing, other = (site, ()) if second else ((), site)
    choice, asked_libraries = choice_of(
        monkeypatch, article=site[:3], site=site, second=agreeing, third=other
    )
    assert (lines_of(choice), asked_libraries) == (site, calls)


def test_template_alone_does_not_overrule_the_block(monkeypatch):
    article, site = prose(1, 5), prose(1, 8)
    choice, calls = choice_of(monkeypatch, article=article, site=site, second=prose(5, 3), third=prose(6, 3))
    assert (lines_of(choice), calls) == (article, [2, 3])


def test_frame_does_not_count_as_lost_text(monkeypatch):
    site = prose(1, 3)
    appended = [HOT, HOT[6:]]
    article = [*site, *appended]
    assert (
        lines_of(choice_of(monkeypatch, article=article, site=site, second=site, frame=appended)[0]) == site
    )
    assert lines_of(choice_of(monkeypatch, article=article, site=site, second=site, frame=())[0]) == article


def test_frame_as_long_as_a_chapter_is_no_frame(monkeypatch):
    site, chapter = prose(1, 9), prose(2, 30)
    choice, _ = choice_of(monkeypatch, article=[*site, *chapter], site=site, second=site, frame=chapter)
    assert lines_of(choice) == [*site, *chapter]


@pytest.mark.parametrize("where", ["after", "within", "before"])
def test_copy_outside_the_learnt_container_is_read(where):
    """The site teaches a container with clean pages, then puts a novel outside of it."""
    template = taught(page(number) for number in range(5))
    novel = prose(50, 40)
    block = f'<div class="comments">{paragraphs(novel)}</div>'
    html = {
        "after": page(9, text=prose(9, 3), below=block),
        "within": page(9, text=prose(9, 3)).replace("</div></div>", f"</div>{block}</div>", 1),
        "before": page(9, text=prose(9, 3)).replace("<body>", f"<body>{block}"),
    }[where]
    without, with_template = read(html), read(html, PageContext(template=template))
    assert with_template.text == without.text
    assert all(line in with_template.text for line in novel)

"""The extractors that run, and whose text is taken."""

from support.pages import page

from crawler.extraction import extract, voting
from crawler.extraction.block import main_block
from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse

PROSE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。"
LINES = [f"{number}，{PROSE}" for number in range(8)]


def choose_with(body, monkeypatch, *, second=(), third=(), descriptions=()):
    """Return the choice on a page, with the other extractors' lines given."""
    tree = parse(f"<html><body>{body}</body></html>")
    page = outline(tree.find("body"))
    calls = []
    monkeypatch.setattr(voting, "trafilatura_lines", lambda _: calls.append(2) or list(second))
    monkeypatch.setattr(voting, "readability_lines", lambda _: calls.append(3) or list(third))
    return voting.choose(tree, page, main_block(page, descriptions=descriptions)), calls


def article(*lines):
    return "<div>" + "".join(f"<p>{line}</p>" for line in lines) + "</div>"


def test_no_library_runs_if_a_single_block_has_everything(monkeypatch):
    choice, calls = choose_with(article(*LINES), monkeypatch)
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES), 0.985, [])


def test_agreement_is_confidence(monkeypatch):
    choice, calls = choose_with(article(*LINES[:2]), monkeypatch, second=LINES[:2])
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES[:2]), 1.0, [3, 2])


def test_readability_that_agrees_spares_trafilatura(monkeypatch):
    choice, calls = choose_with(article(*LINES[:2]), monkeypatch, second=LINES[4:], third=LINES[:2])
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES[:2]), 1.0, [3])


def test_two_agreeing_libraries_overrule_the_block(monkeypatch):
    choice, calls = choose_with(article(LINES[0]), monkeypatch, second=LINES[4:], third=LINES[4:])
    assert (choice.lines, choice.confidence, calls) == (tuple(LINES[4:]), 1.0, [3, 2])


def test_text_without_the_description_does_not_overrule_the_block(monkeypatch):
    story = ["第二条新闻说的是另一件事，" + "与这座渡口没有什么关系。" * 9]
    for other, taken in ((story, [PROSE]), ([PROSE, *story], [PROSE, *story])):
        choice, _ = choose_with(article(PROSE), monkeypatch, second=other, third=other, descriptions=[PROSE])
        assert list(choice.lines) == taken


def test_disagreeing_libraries_do_not_overrule_the_block(monkeypatch):
    choice, _ = choose_with(article(LINES[0]), monkeypatch, second=["甲。" * 40], third=["乙。" * 40])
    assert choice.lines == (LINES[0],)
    assert choice.confidence < 0.5


def test_libraries_decide_without_a_block(monkeypatch):
    choice, _ = choose_with("<p>甲乙丙丁</p>", monkeypatch, second=["甲乙丙丁戊己"], third=["甲乙丙丁戊己"])
    assert (choice.lines, choice.confidence) == (("甲乙丙丁戊己",), 1.0)


def test_no_library_is_run_on_a_page_of_links(monkeypatch):
    links = "".join(f"<p><a href='/{n}'>候鸟北归的第{n}天</a></p>" for n in range(40))
    assert choose_with(links, monkeypatch, second=["甲"])[1] == []


def test_text_with_many_dates_is_less_certain():
    plain = "".join(f"<p>{line}</p>" for line in LINES)
    dated = plain.replace("<p>", "<div>2024-03-01 10:20</div><p>")
    certain, uncertain = (extract(page(f"<div>{body}</div>")) for body in (plain, dated))
    assert uncertain.confidence < certain.confidence

"""Set phrases: short stretches that many works of the corpus hold, though no candidate of the page does."""

import pytest
from support.corpora import corpus_of, untitled
from support.strategies import story

from deploy.demo.disguises import traditional
from deploy.demo.samples import load_samples
from tracker.comparison import ComparedText, compare
from tracker.comparison.phrases import holders

STRANGER = load_samples()["竹坞旧事:1"].text
PHRASES = [
    "各地各部门要高度重视防汛抗旱工作切实加强组织领导落实责任",
    "为进一步提升人民群众的获得感幸福感安全感提供坚强保障",
    "坚持问题导向目标导向结果导向相统一推动各项工作取得实效",
    "以时不我待只争朝夕的精神状态抓好各项任务的贯彻落实",
]
PAGE = (
    "".join(STRANGER[300 * n : 300 * n + 300] + each for n, each in enumerate(PHRASES)) + STRANGER[1200:1500]
)
HOMOPHONES = "各第各部门药高度中视防讯抗汗工作切时加墙组织灵导落时责任"  # of the first
ESSAY = "".join(story(150, n) + each for n, each in enumerate(PHRASES)) + story(150, 9)
SHARING = [  # each phrase in four more works, of which none has another one
    story(300, 10 * n + copy) + each + story(300, 10 * n + copy + 500)
    for n, each in enumerate(PHRASES)
    for copy in range(4)
]


def by(author, text):
    return [text], {"kind": "news", "author": author}


def test_page_with_the_same_set_phrases_does_not_quote_an_essay():
    alone = compare(ComparedText(PAGE), corpus_of(untitled(by("甲", ESSAY))))
    assert alone.verdict == "quote"
    assert alone.copied_chars >= 70
    many = [by(f"作者{n}", text) for n, text in enumerate(SHARING)]
    result = compare(ComparedText(PAGE), corpus_of(untitled(by("甲", ESSAY), *many)))
    assert result.verdict == "common"
    assert {match.verdict for match in result.matches} == {"common"}


def test_phrase_in_many_articles_of_an_author_does_not_identify_the_copied():
    own = [by("甲", text) for text in SHARING]
    assert compare(ComparedText(PAGE), corpus_of(untitled(by("甲", ESSAY), *own))).verdict == "common"


def test_reprints_of_an_essay_are_a_single_text():
    reprints = [by(f"作者{n}", story(40, n) + ESSAY + story(40, n + 50)) for n in range(5)]
    result = compare(ComparedText(PAGE), corpus_of(untitled(*reprints)))
    assert result.verdict == "quote"
    assert len(result.matches) == 1


def test_phrase_of_fewer_works_belongs_to_them():
    few = [by(f"作者{n}", text) for n, text in enumerate(SHARING) if n % 4 < 2]
    assert compare(ComparedText(PAGE), corpus_of(untitled(by("甲", ESSAY), *few))).verdict == "quote"


def test_long_stretch_next_to_phrases_still_counts():
    many = [by(f"作者{n}", text) for n, text in enumerate(SHARING)]
    result = compare(ComparedText(PAGE + ESSAY[170:470]), corpus_of(untitled(by("甲", ESSAY), *many)))
    assert result.verdict == "partial"


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (story(80, 1) + PHRASES[0] + story(80, 2), True),
        (story(80, 1) + traditional(PHRASES[0]) + story(80, 2), True),
        (
            story(80, 1) + HOMOPHONES + story(80, 2),
            False,
        ),
        (story(200, 3), False),
    ],
)
def test_work_holds_a_window_when_its_characters_are_there(text, there):
    page = ComparedText(PHRASES[0])
    found = holders(page, [(0, len(page.letters))], corpus_of(untitled([text])))
    assert {holding.work.id for holding in found} == ({1} if there else set())
    assert all(holding.letters[1] - holding.letters[0] == 9 for holding in found)


def test_text_shorter_than_a_window_has_no_holders():
    corpus = corpus_of(untitled([PHRASES[0] * 20]))
    assert holders(ComparedText(PHRASES[0]), [(0, 5)], corpus) == []
    assert holders(ComparedText(PHRASES[0]), [], corpus) == []

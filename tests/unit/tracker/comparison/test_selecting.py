"""Pages with many candidates: those that add information are aligned, the others are counted."""

import pytest
from support.corpora import corpus_of

from tracker.comparison import ComparedText, compare
from tracker.comparison.matching import candidates_of
from tracker.comparison.selecting import MANY, informative

FORMULAS = (
    "违反本条例规定，有下列行为之一的，由主管部门责令限期改正；逾期不改正的，处一万元以上十万元以下罚款；"
    "构成犯罪的，依法追究刑事责任。国家机关工作人员玩忽职守、滥用职权、徇私舞弊的，依法给予处分。"
)
SUBJECTS = "山水花鸟鱼虫草木金石书画琴棋诗酒茶饭衣帽鞋袜桌椅灯烛刀剑弓箭"
SENTENCE = "{0}户把{0}担到渡口，船家点着{0}数过一遍，说第{1}夜起风，{0}与{0}不可同舱，天亮前要分两处堆放。"


def statute(number):
    subject = SUBJECTS[number]
    return SENTENCE.format(subject, number + 3) * 2 + FORMULAS + f"第{number}章由{subject}务机关解释。"


@pytest.fixture(scope="module")
def statutes():
    return corpus_of({f"{subject}条例": [statute(number)] for number, subject in enumerate(SUBJECTS)})


def test_candidates_with_the_same_formulas_are_omitted_and_counted(statutes):
    page = ComparedText("本市集贸市场摊位的编号由所在街道另行公布。" + FORMULAS)
    candidates = candidates_of(page, statutes)
    assert len(candidates.ranked) > MANY
    chosen = informative(page, candidates, statutes)
    assert len(chosen.ranked) < MANY
    assert chosen.dropped == len(candidates.ranked) - len(chosen.ranked)
    result = compare(page, statutes)
    assert result.dropped >= chosen.dropped
    assert result.verdict in ("common", "clear", "quote")


def test_work_with_unique_text_on_the_page_is_never_omitted(statutes):
    copied = statute(17)[:120]
    page = ComparedText(FORMULAS + copied + "其余事项见附表。")
    chosen = informative(page, candidates_of(page, statutes), statutes)
    assert chosen.dropped > 0
    assert compare(page, statutes).matches[0].work.title == f"{SUBJECTS[17]}条例"


def test_few_candidates_are_unchanged():
    page = ComparedText(statute(3)[:90])
    corpus = corpus_of({"甲": [statute(3)], "乙": [statute(4)]})
    few = candidates_of(page, corpus)
    assert informative(page, few, corpus) is few

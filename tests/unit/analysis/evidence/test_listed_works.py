"""A package whose lists contradict the inputs of its matches."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from analysis.evidence.listed_works import ListedWorks, contradictions
from analysis.evidence.rejudging import JudgementInputs
from storage.records import PassageHead, SiteLicence, Work
from tracker.judgement.profiles import PROFILES

WORK = Work(id=1, key="k", title="青灯渡", kind="novel", origin="", holder="甲出版社")
HEAD = PassageHead(id=7, work_id=1, ordinal=0, title="一", sha256="0" * 64)
INPUTS = JudgementInputs(profiles=PROFILES, works=(WORK,), passages=(HEAD,))
MATCHES = (SimpleNamespace(passage_id=7),)


def lines(work=WORK, head=HEAD):
    return contradictions(ListedWorks({work.id: work}, {head.id: head}), INPUTS, MATCHES)


def test_lists_that_agree_with_the_inputs_have_no_contradiction():
    assert lines() == []
    later = replace(WORK, status="indexed", updated=datetime(2027, 1, 1, tzinfo=UTC), origin="x.txt")
    assert lines(later) == []


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"title": "别的书"}, "work 1 title: 别的书 → 青灯渡"),
        ({"holder": "乙出版社"}, "work 1 holder: 乙出版社 → 甲出版社"),
        ({"licences": (SiteLicence(site="a.cn"),)}, "work 1 licences: −(a.cn"),
        ({"id": 2}, "work: 1 → –"),
    ],
)
def test_work_that_differs_from_the_judged_work_is_named(changed, line):
    (found,) = lines(replace(WORK, **changed))
    assert found.startswith(line)


def test_passage_that_differs_from_the_judged_passage_is_named():
    assert lines(head=replace(HEAD, title="二")) == ["passage 7: 二 → 一"]
    assert lines(head=replace(HEAD, id=8)) == ["passage: 7 → –"]

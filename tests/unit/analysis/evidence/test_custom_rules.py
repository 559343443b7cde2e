"""What comes out of a page without its maker's rules, thresholds and learnt lines."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from support.sample_novels import CHAPTERS

from analysis.evidence.custom_rules import differences_by_builtin_rules, forged_profiles, maker_statement
from analysis.evidence.documents import json_of, record_of
from analysis.evidence.inputs import RecordedInputs
from analysis.evidence.rejudging import JudgementInputs, judge_again
from analysis.evidence.rereading import LearntLayout, LearntLine, ReadingInputs, ReadingPart, read_again
from crawler.extraction.template import Template
from storage.records import PassageHead, SiteRules, Work
from tracker.judgement.profiles import EARLIER, PROFILES

PASSAGE = CHAPTERS["青灯渡"][0]
URL = "http://site.cn/1.html"
OWN = "".join(f"<p>第{n}天，我自己写的日记：今天的晚饭是豆腐和青菜，天气不算太冷。</p>" for n in range(60))
HTML = (
    f"<html><head><meta charset=utf-8><title>转</title></head><body><article>{OWN}"
    f"<div id=q><p>{''.join(PASSAGE.split())[:300]}</p></div>{OWN}</article></body></html>"
).encode()
CONTENTS = {hashlib.sha256(HTML).hexdigest(): HTML}
(PART,) = (ReadingPart(url=URL, sha256=sha256) for sha256 in CONTENTS)


class Here:
    """Answers questions in this process."""

    def ask(self, question):
        return question.answer(), 0.0


def forged(profile=PROFILES["novel"], **reading):
    """The inputs, the page and its matches of a package whose maker chose what had a say."""
    inputs = RecordedInputs(
        reading=ReadingInputs(parts=(PART,), **reading),
        judgement=JudgementInputs(
            profiles={**PROFILES, "novel": profile},
            works=(
                Work(id=1, key="k", title="t", kind="novel", origin="", passage_ids=(1,), status="indexed"),
            ),
            passages=(PassageHead(id=1, work_id=1, ordinal=0, title="一", sha256="0" * 64),),
        ),
    )
    page = read_again(inputs.reading, CONTENTS, Here()).page
    matches = [replace(match, number=1) for match in judge_again(page, inputs.judgement, {1: PASSAGE})]
    return page, matches, inputs


def otherwise(page, matches, inputs):
    return differences_by_builtin_rules(
        page, matches, inputs, contents=CONTENTS, texts={1: PASSAGE}, reader=Here()
    )


@pytest.mark.parametrize(
    "chosen",
    [
        {"rules": SiteRules(text=("#q",))},
        {"profile": replace(PROFILES["novel"], name="strict", copy_coverage=0.01)},
    ],
    ids=["rules", "thresholds"],
)
def test_copy_that_only_custom_rules_make_is_reported(chosen):
    page, matches, inputs = forged(**chosen)
    assert [match.verdict for match in matches] == ["copy"]
    assert len(maker_statement(inputs)) == 1
    assert otherwise(page, matches, inputs)["m1"].data["verdict"] != "Copy"


def test_built_in_rules_need_no_statement_of_the_maker():
    page, matches, inputs = forged()
    assert [match.verdict for match in matches] != ["copy"]
    assert (maker_statement(inputs), otherwise(page, matches, inputs)) == ((), {})
    page, matches, inputs = forged(EARLIER["novel@2"], learnt=(LearntLine(hash=1, text="广告", texts=3),))
    assert [word.data for word in maker_statement(inputs)] == [{"lines": 1, "characters": 2}]
    assert otherwise(page, matches, inputs) == {}


def test_container_chosen_by_the_maker_is_reported():
    page, matches, inputs = forged(layout=LearntLayout(containers=("div#q",), frame=(1,)))
    assert [match.verdict for match in matches] != ["copy"]
    assert [word.data for word in maker_statement(inputs)] == [{"places": "div#q"}]
    assert otherwise(page, matches, inputs) == {}


def test_page_is_read_again_with_the_learnt_container_of_its_site():
    questions = []

    class Noting(Here):
        def ask(self, question):
            questions.append(question.context.template)
            return super().ask(question)

    layout = LearntLayout(containers=("div#q",), frame=(1 << 62,))
    inputs = record_of(ReadingInputs, json_of(ReadingInputs(parts=(PART,), layout=layout)))
    read_again(inputs, CONTENTS, Noting())
    assert questions == [Template(frozenset({"div#q"}), frozenset({1 << 62}))]
    earlier = {name: value for name, value in json_of(inputs).items() if name != "layout"}
    assert record_of(ReadingInputs, earlier).layout == LearntLayout()


def test_profile_of_pindnas_name_has_pindnas_thresholds():
    _, _, inputs = forged(replace(PROFILES["novel"], copy_coverage=0.01))
    assert forged_profiles(inputs.judgement) == ["novel@6"]
    assert forged_profiles(forged()[2].judgement) == []


def test_relative_dates_are_computed_from_the_fetch():
    fetched = datetime(2026, 3, 5, 2, 30, tzinfo=UTC)
    html = HTML.replace(b"<article>", "<h1>转</h1><div>昨天 22:15</div><article>".encode())
    sha256 = hashlib.sha256(html).hexdigest()
    inputs = ReadingInputs(parts=(ReadingPart(url=URL, sha256=sha256),), fetched=fetched)
    assert read_again(inputs, {sha256: html}, Here()).page.published.iso() == "2026-03-04+08:00"
    assert record_of(ReadingInputs, json_of(inputs)) == inputs

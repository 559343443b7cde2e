"""Texts that are built to break a comparison: the right verdict, in bounded time and memory.

One process asks them all, so that its peak memory is theirs; the bounds are several times what is needed.
"""

import json
import subprocess
import sys

import pytest
from support.corpora import corpus_of
from support.strategies import story

from tracker.comparison import ComparedText, compare

SENTENCE = "老船工披着蓑衣坐在船头，听见对岸有人唤渡，便把竹篙往石上一点。"
MAX_CPU_S = 60
MAX_MEGABYTES = 700
_EXTREMES = f"""
import json, time
from support.faults.memory import own_memory
from support.corpora import corpus_of
from support.strategies import story
from tracker.comparison import ComparedText, compare

sentence = "{SENTENCE}"
prose = story(20_000, 5)
works = {{"故事": [prose, sentence + story(600, 6)], "一字": ["的" * 50_000], "一句": [sentence * 1_500]}}
corpus = corpus_of(works)
pages = {{
    "one character": "的" * 1_000_000,
    "two characters": "哈呀" * 500_000,
    "a character a line": "的\\n" * 150_000,
    "one Latin letter": "a" * 3_000_000,
    "one syllable": "ma " * 200_000,
    "syllables without end": "qingdengdukou" * 230_000,
    "Han and Latin in turns": "的a" * 150_000,
    "lone surrogates": "\\ud800" * 1_000_000,
    "surrogates in a copy": "\\udc00".join(prose),
    "white space": " \\u200b" * 1_500_000,
    "combining marks": "的" + "\\u0301" * 1_000_000,
    "a copy in three megabytes": story(500_000, 7) + prose + story(480_000, 8),
    "one sentence again and again": sentence * 30_000,
}}
started = time.process_time()
verdicts = {{name: compare(ComparedText(page), corpus).verdict for name, page in pages.items()}}
used = time.process_time() - started
megabytes = own_memory("VmHWM")
print(json.dumps([verdicts, used, megabytes]))
"""
COPIES = {"surrogates in a copy", "a copy in three megabytes", "one sentence again and again"}


def test_extreme_pages_get_the_right_verdict_in_bounded_time_and_memory():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _EXTREMES],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    verdicts, seconds, megabytes = json.loads(done.stdout)
    assert {name for name, verdict in verdicts.items() if verdict == "copy"} == COPIES
    assert {verdict for name, verdict in verdicts.items() if name not in COPIES} == {"clear"}
    assert seconds < MAX_CPU_S
    assert megabytes < MAX_MEGABYTES


@pytest.mark.parametrize("times", [17, 200, 1_500])
def test_passage_of_a_repeated_sentence_is_matched_completely(times):
    work = corpus_of({"一句": [SENTENCE * times], "别的": [story(3_000, 1)]})
    result = compare(ComparedText(SENTENCE * times), work)
    (match,) = result.matches
    assert (result.verdict, result.coverage, match.passage_coverage) == ("copy", 1, 1)
    assert match.work.title == "一句"


def test_sentence_of_such_a_passage_is_a_quotation_of_it():
    work = corpus_of({"一句": [SENTENCE * 1_500]})
    result = compare(ComparedText(story(300, 2) + SENTENCE * 3 + story(300, 3)), work)
    (match,) = result.matches
    assert result.verdict == "quote"
    (span,) = match.spans
    assert (span.page_start, span.page_end) == (300, 300 + 3 * len(SENTENCE))


@pytest.mark.parametrize("laughter", ["哈", "哈呀", "呜呜哇"])
def test_laughter_that_a_passage_repeats_anchors_nothing(laughter):
    work = corpus_of({"笑": [story(400, 1) + laughter * 60 + story(400, 2)]})
    assert compare(ComparedText(laughter * 300), work).verdict == "clear"


def test_lone_surrogates_in_a_work_hide_nothing():
    text = story(2_000, 9)
    work = corpus_of({"断": ["\ud800".join(text[at : at + 7] for at in range(0, len(text), 7))]})
    result = compare(ComparedText(text), work)
    assert (result.verdict, result.coverage) == ("copy", 1)

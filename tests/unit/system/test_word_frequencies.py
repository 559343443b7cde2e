"""jieba's data files, read without its code: the IDF table, and the dictionary that rjieba cuts by."""

import json
import logging
import math
import re
import subprocess
import sys

import pytest
from rjieba import Jieba
from support.strategies import story

from deploy.demo.samples import SAMPLES
from system.segmentation import segmenter
from system.word_frequencies import jieba_idf, read_jieba_file

# jieba's cut, with its cache in a temporary folder: texts in, words out, as JSON.
CUT_BY_JIEBA = """
import json, sys
import jieba
jieba.dt.tmp_dir = sys.argv[1]
print(json.dumps([jieba.lcut(text) for text in json.load(sys.stdin)]))
"""


@pytest.fixture(scope="module")
def dictionary():
    rows = (line.split(" ") for line in read_jieba_file("dict.txt").decode().splitlines())
    return [(word, int(frequency), tag) for word, frequency, tag in rows]


def test_table_equals_the_frequencies_of_jieba():
    idf = jieba_idf()
    rows = [line.split(" ") for line in read_jieba_file("analyse", "idf.txt").decode().splitlines()]
    assert len(rows) == len(idf.counts) > 200_000
    for word, value in rows[::97]:
        assert math.log(idf.documents / idf.counts[word]) == pytest.approx(float(value), abs=1e-9)


def test_common_words_weigh_less_than_rare_words_and_names():
    idf = jieba_idf()
    weights = [idf(word) for word in ("的", "一个", "渡口", "青灯")]
    assert weights == sorted(weights)
    assert weights[0] == pytest.approx(math.log(1_088_900 / 449_521) + 1)


def test_word_that_the_table_lacks_has_its_median():
    idf = jieba_idf()
    values = sorted(map(idf, idf.counts))
    assert idf("没有这个词") == values[len(values) // 2]


def test_table_is_read_once_and_named_by_its_content():
    assert jieba_idf() is jieba_idf()
    assert jieba_idf().name == "jieba501b70ec"  # in stored parameter ids: another table is another name


def test_rjieba_has_every_word_of_jieba_with_its_frequency(dictionary):
    built_in, loaded = Jieba(), Jieba.empty()
    for entry in dictionary:
        loaded.add_word(*entry)
    words = [word for word, _, _ in dictionary]
    assert len(words) > 300_000
    assert all(map(built_in.has_word, words))
    assert list(map(built_in.suggest_freq, words)) == list(map(loaded.suggest_freq, words))


def test_rjieba_cuts_chinese_as_jieba_does(tmp_path):
    """They differ within numbers and Latin words only: jieba keeps R-17 whole, rjieba cuts at the hyphen."""
    texts = [path.read_text(encoding="utf-8")[:6_000] for path in sorted(SAMPLES.rglob("*.txt"))]
    texts = [re.sub("[!-~]", "", text) for text in [*texts, *(story(600, seed) for seed in range(20))]]
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CUT_BY_JIEBA, tmp_path],
        input=json.dumps(texts).encode(),
        capture_output=True,
        check=True,
    )
    assert list(map(segmenter().cut, texts)) == json.loads(process.stdout)


def test_no_code_of_jieba_runs():
    code = (
        "import sys; from system.word_frequencies import jieba_idf; jieba_idf(); "
        "from system.segmentation import segmenter; segmenter().cut('雨夜渡口'); "
        "sys.exit('jieba' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (0, b"", b"")
    assert not logging.getLogger("jieba").handlers


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("system.word_frequencies.find_spec", lambda _name: None)
    with pytest.raises(ModuleNotFoundError, match="jieba"):
        read_jieba_file("dict.txt")

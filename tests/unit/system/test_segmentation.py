"""The segmenter: what it cuts, users' dictionaries, and what it says of bad ones."""

import subprocess
import sys

import pytest

from system.local_files import MissingFile
from system.segmentation import (
    WORDS_ID,
    BadDictionaryLine,
    UnreadableDictionary,
    segmenter,
)


def test_segmenter_cuts_like_jieba():
    assert segmenter().cut("这只皮靴号码大了。那只号码合适") == [
        "这", "只", "皮靴", "号码", "大", "了", "。", "那", "只", "号码", "合适",
    ]  # fmt: skip


def test_segmentation_loses_nothing():
    text = "　雨夜 渡口\n青灯如豆，NBA 2024年！\U00020000"
    assert "".join(segmenter().cut(text)) == text


def test_dictionary_is_loaded_once():
    assert segmenter() is segmenter()
    assert segmenter().words_id == WORDS_ID


def test_custom_words_are_segmented_as_a_unit(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("\ufeff青灯渡口\n\n老船工 20000 n\n缆绳木桩 9000\n雨夜行 nz\n", encoding="utf-8")
    cut = segmenter(path).cut("他到青灯渡口问老船工，缆绳木桩和雨夜行")
    assert {"青灯渡口", "老船工", "缆绳木桩", "雨夜行"} <= set(cut)
    assert "青灯渡口" not in segmenter().cut("他到青灯渡口问老船工")


def test_another_dictionary_is_another_name(tmp_path):
    names = {WORDS_ID}
    for number, words in enumerate(("青灯渡口", "缆绳木桩")):
        path = tmp_path / f"{number}.txt"
        path.write_text(words, encoding="utf-8")
        names.add(segmenter(path).words_id)
    assert len(names) == 3


@pytest.mark.parametrize("line", ["青灯 渡口 n x", "青灯 渡口", "青灯 多 n"])
def test_bad_line_is_named(tmp_path, line):
    path = tmp_path / "own.txt"
    path.write_text(f"渡口\n{line}\n", encoding="utf-8")
    with pytest.raises(BadDictionaryLine, match=f"Line 2 of dictionary {path}"):
        segmenter(path)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFile, match=r"none\.txt does not exist"):
        segmenter(tmp_path / "none.txt")


def test_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "gb.txt"
    path.write_bytes("青灯渡口".encode("gb18030"))
    with pytest.raises(UnreadableDictionary, match="not UTF-8"):
        segmenter(path)


def test_loading_prints_nothing_and_warns_of_nothing():
    code = "from system.segmentation import segmenter; segmenter().cut('雨夜渡口')"
    process = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, check=True)
    assert (process.stdout, process.stderr) == (b"", b"")

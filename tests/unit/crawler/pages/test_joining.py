"""The texts of consecutive pages become one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.joining import join_texts


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["一。\n二。", "三。"], "一。\n二。\n三。"),
        (["一。\n二。", "二。\n三。"], "一。\n二。\n三。"),
        (["题\n一。", "题\n二。"], "题\n一。\n二。"),
        (["他回头一", "看。\n三。"], "他回头一看。\n三。"),
        (["一。", "", "二。"], "一。\n二。"),
        (["", "一。"], "一。"),
    ],
)
def test_joining(texts, expected):
    assert join_texts(texts) == expected


@given(
    st.lists(st.integers(0, 999).map(lambda n: f"第{n}盏灯。"), min_size=1, max_size=30, unique=True),
    st.data(),
)
def test_joining_cut_and_overlapping_lines_gives_the_text_back(lines, data):
    cut = data.draw(st.integers(0, len(lines)))
    overlap = data.draw(st.integers(0, min(cut, 5)))
    parts = ["\n".join(lines[:cut]), "\n".join(lines[cut - overlap :])]
    assert join_texts(parts) == "\n".join(lines)


def test_at_most_twenty_lines_count_once():
    lines = [f"第{number}盏灯。" for number in range(21)]
    repeated = "\n".join(lines[1:])
    assert join_texts(["\n".join(lines), f"{repeated}\n完。"]) == "\n".join([*lines, "完。"])
    text = "\n".join(lines)
    assert join_texts(["前。\n" + text, text]) == f"前。\n{text}\n{text}"


@pytest.mark.parametrize("end", "。！？…”’」』）)》】!?.~—；;：:")
def test_a_sentence_that_ends_is_not_continued(end):
    assert join_texts([f"一{end}", "二。"]) == f"一{end}\n二。"


@pytest.mark.parametrize("end", "，、一az09(（“")
def test_a_sentence_that_does_not_end_is_continued(end):
    assert join_texts([f"一{end}", "二。"]) == f"一{end}二。"

"""What stands in a mother work is found there, however it is written."""

import pytest

from crawler.protected_sentences import find_sentences

WORK = "且说唐敖听了，暗暗点头。未知如何，下回分解。\n第二回　那林之洋道：妹夫说的是，俺们且到前面看看去。"
FORMULA = "未知如何，下回分解。"


@pytest.mark.parametrize(
    "sentence",
    [
        FORMULA,
        "未知如何 下回分解",
        "未知如何!下回分解!",
        "那林之洋道：妹夫说的是，俺们且到前面看看去。",
        "那林之洋道：妹夫說的是，俺們且到前面看看去。",
        "那临之阳道：妹夫说的是，俺们且到前面看看去。",  # homophones
        "妹夫说的是，俺们且到前面看看去，请收藏望江书屋。",  # a part of it
        "暗暗点头。未知如何，下回分解。望江书屋",
        "第二回",
    ],
)
def test_sentence_of_a_work_is_recognised(sentence):
    assert find_sentences({"it": sentence}, ["别的一章。", WORK]) == {"it"}


@pytest.mark.parametrize(
    "sentence",
    [
        "望江书屋的书友们都在这里等着您回来呢。",
        "天才一秒记住本站地址，最新章节请看望江书屋。",
        "未完待续",
        "为之如何，下回分街",  # of a short one the characters count: by sound everything is somewhere
        "* * *",
        "",
    ],
)
def test_sentence_of_only_the_site_is_not_recognised(sentence):
    assert find_sentences({"it": sentence}, [WORK]) == set()


def test_many_sentences_are_distinguished():
    sentences = {1: FORMULA, 2: "请收藏", 3: "俺们且到前面看看去呀看看去。", 4: "唐敖听了"}
    assert find_sentences(sentences, [WORK]) == {1, 4}
    assert find_sentences(sentences, []) == find_sentences({}, [WORK]) == set()

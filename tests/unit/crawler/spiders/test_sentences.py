"""The sentences that find copies of a work."""

from crawler.spiders.sentences import distinctive_sentences

STOCK = "他点了点头没有说话只是看了看窗外的天色。"
RARE = "苍梧渡的青灯照见铁皮箱上锈蚀的徽记。"


def test_rare_sentences_come_before_stock_phrases():
    passage = STOCK * 30 + RARE + STOCK * 5
    assert distinctive_sentences([passage], count=1) == [RARE.rstrip("。")]


def test_set_wording_comes_after_prose_of_the_same_length():
    formula = "违反本条例规定的由主管部门责令限期改正。"
    assert len(formula) >= len(RARE)
    assert distinctive_sentences([formula + RARE], count=1) == [RARE.rstrip("。")]


def test_short_sentence_with_more_information_precedes_a_long_sentence():
    long = "中华人民共和国国务院办公厅关于印发工作方案的通知各省自治区直辖市人民政府。"
    assert distinctive_sentences([long + RARE], count=1) == [RARE.rstrip("。")]


def test_refrain_of_the_work_comes_last():
    passage = RARE * 30 + "船工把缆绳绕在木桩上回头望了一眼江面。"
    assert distinctive_sentences([passage], count=2)[1] == RARE.rstrip("。")


def test_traditional_characters_weigh_as_simplified_characters():
    traditional = "他點了點頭沒有說話只是看了看窗外的天色。"
    assert distinctive_sentences([traditional + RARE], count=1) == [RARE.rstrip("。")]


def test_too_short_and_too_long_sentences_are_omitted():
    assert distinctive_sentences(["好。" * 9 + "长" * 99 + "。"], count=5) == []
    assert distinctive_sentences([], count=5) == []


def test_passages_take_turns_and_the_next_crawl_goes_on():
    passages = [
        f"第一处{mark}号渡口的旧碑上刻着三个人的名字。第二处{mark}号山门前的石阶长满了青苔。"
        for mark in "甲乙丙"
    ]
    first, then = distinctive_sentences(passages, count=3), distinctive_sentences(passages, count=3, skip=3)
    assert len({item[3] for item in first}) == 3
    assert not set(first) & set(then)
    assert distinctive_sentences(passages, count=3, skip=6) == first

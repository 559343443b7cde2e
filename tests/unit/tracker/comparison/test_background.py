"""Background texts are nobody's: what is shared with them is common; what a work has of its own counts."""

from datetime import datetime
from random import Random

import pytest
from support.corpora import corpus_of
from support.strategies import story

from deploy.demo import disguises
from storage.records import SiteLicence
from storage.records.times import claim
from tracker.comparison import ComparedText, Facts, compare

# An official notice as offices fill it in; written for this test.
FORM = (
    "各有关单位：现将本年度河道清淤工作安排通知如下，请遵照执行。一、各单位应于接到本通知之日起十个工作日内，"
    "对辖区内河道、沟渠、涵闸逐一登记，填写登记表，由主要负责人签字后报送工程科备案。二、清淤所需经费列入年度预算，"
    "专款专用，任何单位和个人不得截留、挪用。三、施工期间应当设置警示标志，夜间须有专人值守，确保行人和船只安全。"
    "四、淤泥应运至指定地点堆放，严禁随意倾倒。五、工作结束后，由工程科会同有关部门组织验收，验收不合格的，责令限期整改；"
    "逾期不改的，依照有关规定追究责任。特此通知。"
)
BACKGROUND = {"role": "background", "kind": "news"}
NEWS = {"kind": "news"}


def filled(place, day, number):
    """The notice as one office published it, with a heading and a line of its own."""
    return f"{place}水务局关于清淤工作的通知（{number}号）\n{FORM}\n{place}水务局\n{day}"


ONE = filled("青石县", "三月二日", "十二")
OTHER = filled("白沙镇", "四月十九日", "三十一")


def result_of(page, works):
    return compare(ComparedText(page), corpus_of(works))


def covered(spans):
    return sum(span.page_end - span.page_start for span in spans)


def test_two_notices_on_the_same_template_are_not_copies():
    works = {"青石县通知": ([ONE], NEWS)}
    assert result_of(OTHER, works).verdict == "copy"
    result = result_of(OTHER, {**works, "通知样式": ([FORM], BACKGROUND)})
    assert (result.verdict, result.copied_chars, result.coverage) == ("common", 0, 0.0)
    assert [match.verdict for match in result.matches] == ["common"]
    assert [match.work.title for match in result.matches] == ["青石县通知"]


def test_shared_background_text_is_listed_with_its_name():
    result = result_of(OTHER, {"青石县通知": ([ONE], NEWS), "通知样式": ([FORM], BACKGROUND)})
    (listed,) = result.background
    assert (listed.work, listed.work_id) == ("通知样式", 2)
    assert "".join(OTHER[span.page_start : span.page_end] for span in listed.spans) == FORM
    assert listed.chars == len(FORM)


def test_page_with_only_a_background_text_is_common_without_a_match():
    result = result_of(OTHER, {"别书": [story(400, 1)], "通知样式": ([FORM], BACKGROUND)})
    assert (result.verdict, result.matches, result.is_joint) == ("common", (), False)
    assert [listed.work for listed in result.background] == ["通知样式"]
    phrase = story(600, 2) + FORM[30:60] + story(600, 3)
    assert result_of(phrase, {"通知样式": ([FORM], BACKGROUND)}).verdict == "clear"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: disguises.edit(text, 0.1, Random(1)),
        lambda text: disguises.homophones(text, 0.3, Random(1)),
        disguises.traditional,
    ],
    ids=["as it is", "edited", "homophones", "traditional"],
)
def test_of_a_work_that_quotes_a_background_text_the_rest_counts(change):
    own = story(300, 1), story(300, 2)
    page = story(200, 8) + change(own[0] + FORM + own[1]) + story(200, 9)
    works = {"评述": ([own[0] + FORM + own[1]], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of(page, works)
    (match,) = result.matches
    assert match.verdict == result.verdict == "copy"  # all that is the work's own was taken
    assert match.copied_chars == pytest.approx(600, abs=40)
    assert covered(match.common) == pytest.approx(len(FORM), abs=20)
    assert {listed.work for listed in result.background} == {"通知样式"}
    assert match.passage_coverage == pytest.approx(600 / (600 + len(FORM)), abs=0.05)


def test_quotation_alone_is_no_copy_of_the_work():
    works = {"评述": ([story(300, 1) + FORM + story(300, 2)], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of(story(300, 8) + FORM + story(300, 9), works)
    assert result.verdict == "common"
    assert [match.verdict for match in result.matches] == ["common"]


def test_short_text_next_to_a_long_quotation_is_not_a_whole_work():
    works = {"转发": ([story(60, 1) + FORM], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of(story(60, 1)[5:55] + FORM, works)
    assert result.verdict == "quote"


@pytest.mark.parametrize(("own", "expected"), [(60, "quote"), (110, "partial"), (144, "copy"), (200, "copy")])
def test_whole_passage_is_judged_by_its_text_outside_the_background(own, expected):
    """The passage is a stub of a longer work, and so is its remaining text: the page share decides."""
    passage = story(own // 2, 1) + FORM + story(own // 2, 2)
    works = {"沙洲": ([passage, story(2000, 3)], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of(passage, works)
    assert (result.verdict, result.matches[0].verdict) == (expected, expected)
    assert result.coverage == pytest.approx(own / len(passage), abs=0.05)  # told as a share of all of it


def test_background_text_missing_in_the_passage_counts_as_page_text():
    own = story(160, 1)
    works = {"沙洲": ([own + story(2000, 3)], NEWS), "通知样式": ([FORM], BACKGROUND)}
    assert result_of(own + FORM, works).verdict == "partial"


def test_adaptation_of_a_background_text_belongs_to_its_author():
    """The page follows the work wherever the work differs from the classic."""
    classic = story(900, 1)
    adapted = disguises.edit(classic, 0.25, Random(3))
    works = {"改写": ([adapted], NEWS), "古文": ([classic], BACKGROUND)}
    assert result_of(adapted, works).verdict == "copy"
    assert result_of(classic, works).verdict == "common"
    other = disguises.edit(classic, 0.25, Random(4))  # somebody else's adaptation
    assert result_of(other, works).verdict == "common"


def test_insertion_into_a_background_text_belongs_to_the_work():
    mine = story(80, 1)
    text = FORM[:120] + mine + FORM[120:]
    works = {"加注": ([text], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of(story(300, 8) + text + story(300, 9), works)
    (match,) = result.matches
    assert match.copied_chars == pytest.approx(80, abs=12)
    assert mine[10:70] in text[match.spans[0].passage_start : match.spans[0].passage_end]


def test_background_phrases_are_common_without_a_candidate():
    phrases = [
        "老船夫把缆绳系在石柱上看雨脚从竹林那边移过河来",
        "灯笼挂进舱里时她才想起鱼汤还在灶上咕嘟咕嘟响着",
    ]
    essay = "".join(story(150, n) + phrase for n, phrase in enumerate(phrases)) + story(150, 9)
    page = "".join(story(250, 50 + n) + phrase for n, phrase in enumerate(phrases)) + story(250, 59)
    works = {"时评": ([essay], NEWS)}
    assert result_of(page, works).verdict == "quote"
    for n, phrase in enumerate(phrases):  # a text of each, which shares no more than that with the page
        works[f"样式{n}"] = [story(300, 20 + n) + phrase + story(300, 30 + n)], BACKGROUND
    result = result_of(page, works)
    assert (result.verdict, result.copied_chars) == ("common", 0)
    listed = [page[span.page_start : span.page_end] for own in result.background for span in own.spans]
    assert len(listed) == len(phrases)
    assert all(any(phrase in own for own in listed) for phrase in phrases)


def test_repeated_background_text_is_common_every_time():
    works = {"转发": ([story(300, 1) + FORM], NEWS), "通知样式": ([FORM], BACKGROUND)}
    result = result_of((story(120, 7) + FORM) * 4, works)
    assert (result.verdict, result.copied_chars) == ("common", 0)


def test_two_versions_of_a_background_text_are_listed_once():
    versions = {f"样式{n}": ([FORM + story(50, n)], BACKGROUND) for n in range(2)}
    result = result_of(OTHER, {"青石县通知": ([ONE], NEWS), **versions})
    assert result.verdict == "common"
    assert [listed.chars for listed in result.background] == [len(FORM)]


def test_background_text_quoted_by_very_many_works_is_recognised():
    quoting = {f"转发{n}": ([story(40, 100 + n) + FORM], NEWS) for n in range(300)}
    result = result_of(OTHER, {"通知样式": ([FORM], BACKGROUND), **quoting})
    assert result.capped
    assert (result.verdict, result.copied_chars) == ("common", 0)


DAY, LATER = (claim(datetime(year, 3, 1)) for year in (2012, 2020))  # noqa: DTZ001 - local time
COLUMN = story(500, 1)
BOOK = [COLUMN + story(700, 2), story(900, 3)]


def earlier(**fields):
    return {"专栏": ([COLUMN], {"role": "earlier", "published": DAY, "kind": "news", **fields})}


def told(page, works, **fields):
    facts = Facts(site="a.cn", host="a.cn", published=claim(datetime(2015, 1, 1)))  # noqa: DTZ001 - local
    result = compare(ComparedText(page), corpus_of(works), facts=facts, **fields)
    return {
        match.work.title: (match.verdict, match.copied_chars, match.page_older_by) for match in result.matches
    }


def test_earlier_publication_gets_the_match_and_its_date():
    book = {"文集": (BOOK, {"published": LATER})}
    assert told(COLUMN, book)["文集"][2] == "claimed-date"  # as if the copying had gone the other way
    assert told(COLUMN, {**book, **earlier()}) == {"专栏": ("copy", 500, "")}


def test_new_text_of_the_later_work_belongs_to_the_later_work():
    found = told(BOOK[0], {"文集": (BOOK, {"published": LATER}), **earlier()})
    assert found["专栏"] == ("copy", 500, "")
    assert found["文集"][1] == pytest.approx(700, abs=10)


def test_work_of_another_holder_is_not_put_behind_an_earlier_publication():
    book = {"文集": (BOOK, {"holder": "甲社"})}
    assert told(BOOK[0], {**book, **earlier(holder="甲社")})["文集"][1] == pytest.approx(700, abs=10)
    assert told(BOOK[0], {**book, **earlier(holder="乙社")})["文集"][1] == len(BOOK[0])


def test_licence_of_the_earlier_publication_covers_its_text():
    licences = (SiteLicence(site="a.cn"),)
    found = told(COLUMN, {"文集": (BOOK, {}), **earlier(licences=licences)})
    assert {title: verdict for title, (verdict, *_) in found.items()} == {"专栏": "licensed"}

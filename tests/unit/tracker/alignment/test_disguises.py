"""Disguises read off columns, and the order of spans."""

import re
from itertools import cycle
from random import Random

import numpy as np
import pytest
from pypinyin import lazy_pinyin

from deploy.demo import disguises
from deploy.demo.disguises import is_han
from deploy.demo.samples import load_samples
from storage.records import Span
from tracker.alignment.align import align
from tracker.alignment.bounds import AlignmentBounds
from tracker.alignment.columns import Columns
from tracker.alignment.degrees import Degree, degrees_of
from tracker.alignment.disguises import disguises_of, order_disguises
from tracker.alignment.homophones import read_pair
from tracker.alignment.text import ComparedText

TEXT = load_samples()["雾港来信:1"].text
OTHER = load_samples()["竹坞旧事:1"].text


def pairwise_of(characters):
    """Each two characters that stand together."""
    return zip(characters[::2], characters[1::2], strict=True)


SAME, VARIANT, LATIN = ("灯", "灯"), ("燈", "灯"), ("ta", "他")
# Pages put the first for the second: the same syllable, in the same tone or another, or a near one.
PAIRS = list(pairwise_of("清青十石四寺买卖南蓝是事心新话化天填马妈师狮山衫云匀月越东冬西希门闷北背会汇公工"))
EDITS = list(pairwise_of("我灯渡石青马山话南灯买心天东西狗门我青渡"))


def some(pairs, count):
    """So many of the pairs, again from the first when they are used up."""
    return [tuple(pair) for _, pair in zip(range(count), cycle(pairs), strict=False)]


def disguises_in(columns=100, *, homophones=0, edits=0, variants=0, latin=0):
    """Disguises of a stretch with so many columns of each kind, an equal one at either end."""
    kinds = some(EDITS, edits) + some(PAIRS, homophones) + [VARIANT] * variants + [LATIN] * latin
    pairs = [SAME, *kinds, *[SAME] * (columns - len(kinds) - 1)]
    return between("".join(pair[0] for pair in pairs), "".join(pair[1] for pair in pairs))


def between(page, passage):
    """Disguises of two texts, letter by letter."""
    ours, theirs = ComparedText(page), ComparedText(passage)
    assert len(ours.letters) == len(theirs.letters)
    places = np.arange(len(ours.letters))
    columns = Columns(places, places, degrees_of(ours, theirs, places, places))
    return set(disguises_of(ours, theirs, columns, AlignmentBounds(0, len(page), 0, len(passage))))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, set()),
        ({"homophones": 1}, set()),
        ({"homophones": 2}, {"edited"}),
        ({"homophones": 3}, {"homophones"}),
        ({"homophones": 30}, {"homophones"}),
        ({"variants": 2}, {"traditional"}),
        ({"latin": 1}, set()),
        ({"latin": 2}, {"pinyin"}),
        ({"edits": 2}, {"edited"}),
        ({"edits": 1, "variants": 1}, set()),
        ({"edits": 1, "variants": 1, "homophones": 1}, {"edited"}),
        ({"edits": 5, "homophones": 5, "variants": 5}, {"edited", "homophones", "traditional"}),
        ({"columns": 1000, "homophones": 19}, set()),
        ({"columns": 1000, "homophones": 20}, {"homophones"}),
        ({"columns": 1000, "homophones": 20, "edits": 19}, {"homophones"}),
        ({"columns": 40, "edits": 2}, {"edited"}),
    ],
)
def test_every_disguise_needs_its_share_of_the_columns(columns, expected):
    assert disguises_in(**columns) == expected


def test_letters_that_agree_by_chance_beyond_the_copy_are_no_homophones():
    assert between("她她" + "灯" * 26 + "我她", "他我" + "灯" * 26 + "他他") == set()


def test_stretch_of_homophones_only_is_named():
    assert between("".join(pair[0] for pair in PAIRS), "".join(pair[1] for pair in PAIRS)) == {"homophones"}


def test_random_edits_are_not_homophones():
    """Of the differing pairs after random edits, one in thirty sounds alike."""
    many = [(chr(0x4E00 + 7 * n), "灯") for n in range(300)]
    many = [pair for pair in many if read_pair(*pair).degree == Degree.OTHER][:200]
    for alike, expected in [(14, {"edited"}), (17, {"edited", "homophones"})]:
        pairs = [SAME, *many, *some(PAIRS, alike), *[SAME] * 400]
        assert between("".join(pair[0] for pair in pairs), "".join(pair[1] for pair in pairs)) == expected


def test_name_changed_everywhere_is_edited():
    """However similar it sounds: 凌 for 林, and 月 for 云, which shares only its initial."""
    assert between("灯凌渡" * 30, "灯林渡" * 30) == {"edited"}
    assert between("灯月渡口" * 30, "灯云渡口" * 30) == {"edited"}


def test_same_initial_is_no_homophone():
    """Ten different characters that share nothing but their initials."""
    page, passage = "月青大天马山工心东北", "云七地他木书干喜多不"
    ours, theirs = ComparedText(page), ComparedText(passage)
    assert (ours.codes == theirs.codes).all()
    assert between("灯" + page + "灯" * 10, "灯" + passage + "灯" * 10) == {"edited"}


def test_interchangeable_forms_among_homophones_are_no_second_disguise():
    page, passage = "".join(pair[0] for pair in PAIRS), "".join(pair[1] for pair in PAIRS)
    assert between("灯" + page + "得著灯", "灯" + passage + "的着灯") == {"homophones"}
    assert between("灯" + page + "燈國灯", "灯" + passage + "灯国灯") == {"homophones", "traditional"}


def test_interchangeable_forms_are_another_spelling_and_no_homophones():
    assert between("他看著那张像作好了的灯" * 4, "他看着哪张象做好了底灯" * 4) == {"traditional"}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("渡口的灯，亮了。“谁？”——他问……", set()),
        ("渡口\n\n　　的灯 亮了!?", set()),
        ("渡★口※的◆灯", {"noise"}),
        ("渡\u200b口\u200b的\u200b灯", {"noise"}),
        ("渡\ue123口\uf8ff的灯", {"noise"}),
        ("“渡”口的‘灯’", {"noise"}),
        ("渡'口'的'灯", {"noise"}),
        ("渡_口_的灯", {"noise"}),
        ("“渡口”的灯", set()),
        ("渡口的灯" * 10 + "★", set()),
    ],
)
def test_unreadable_characters_are_noise(page, expected):
    passage = "".join(each for each in page if each in "渡口的灯亮了谁他问")
    assert between(page, passage) == expected


def test_noise_of_the_original_is_no_disguise():
    assert between("★渡★口★", "★渡★口★") == set()


def test_insertion_within_a_stretch_is_a_slogan_and_no_edit():
    page = TEXT[:200] + "请记住本站域名" + TEXT[200:]
    (aligned,) = align(ComparedText(page), ComparedText(TEXT))
    assert aligned.span.disguises == ("slogans",)


@pytest.mark.parametrize(("between_", "expected"), [(15, {"slogans"}), (60, {"slogans"}), (200, set())])
def test_advert_between_two_stretches_is_a_slogan_but_a_comment_is_not(between_, expected):
    page = TEXT[:200] + OTHER[:between_] + TEXT[200:]
    assert disguise(page) == expected


def spans(*starts):
    return [
        Span(
            page_start=100 * number,
            page_end=100 * number + 50,
            passage_start=start,
            passage_end=start + 50,
            char_identity=1,
            sound_identity=1,
        )
        for number, start in enumerate(starts)
    ]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ((), ()),
        ((500, 100), ()),
        ((0, 100, 200, 300), ()),
        ((300, 200, 100), ("shuffled",)),
        ((0, 200, 100, 400, 300), ("shuffled",)),
        ((0, 100, 50, 200, 300), ()),
        ((*range(0, 1100, 100), 5, 6, 4), ()),
        ((500, 0, 600, 100, 700, 200), ("shuffled",)),
    ],
)
def test_order_disguises_are_recognised_by_the_sequence_of_spans(starts, expected):
    assert order_disguises(spans(*starts), TEXT, TEXT) == expected
    assert order_disguises(spans(*starts)[::-1], TEXT, TEXT) == expected


def disguise(page):
    aligned = [each.span for each in align(ComparedText(page), ComparedText(TEXT))]
    return {name for span in aligned for name in span.disguises} | set(order_disguises(aligned, page, TEXT))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (TEXT, set()),
        (disguises.homophones(TEXT, 0.3, Random(1)), {"homophones"}),
        (disguises.traditional(TEXT), {"traditional"}),
        (disguises.edit(TEXT, 0.1, Random(1)), {"edited"}),
        (disguises.shuffle_sentences(TEXT, Random(1)), {"shuffled"}),
        ("\u200b".join(TEXT), {"noise"}),
        (TEXT.replace("的", "de").replace("一", "yi"), {"pinyin"}),
        (TEXT.replace("她", "“她”").replace("的", "“的”"), {"noise"}),
        (disguises.traditional(disguises.homophones(TEXT, 0.3, Random(1))), {"homophones", "traditional"}),
    ],
)
def test_every_disguise_of_a_real_text_is_named_and_no_other(page, expected):
    assert disguise(page) == expected


PARAGRAPH = "渡口的灯亮了一夜，没有人来过江，也没有船从对岸开过来。"


@pytest.mark.parametrize("mark", ["．", "｡", "‧", "～", "─"])
def test_other_forms_of_punctuation_are_no_noise(mark):
    page = PARAGRAPH.replace("。", mark).replace("，", mark)
    assert {name for span in aligned_spans(page, PARAGRAPH) for name in span.disguises} == set()


@pytest.mark.parametrize("mark", [" ", "　", ".", "．", "·", "-", "—", "~", " . "])
@pytest.mark.parametrize("every", [1, 2])
def test_mark_between_all_characters_is_noise(mark, every):
    page = "".join(char + (mark if number % every == 0 else "") for number, char in enumerate(PARAGRAPH))
    (span,) = aligned_spans(page, PARAGRAPH)
    assert span.disguises == ("noise",)


def test_mark_that_the_passage_has_too_is_no_noise():
    spaced = " ".join(PARAGRAPH)
    (span,) = aligned_spans(spaced, spaced)
    assert span.disguises == ()


def test_words_apart_are_no_noise():
    """As in a list of names, or in verse with a blank in the middle of each line."""
    passage = "".join(PARAGRAPH.split("，")) * 2
    page = "".join(char + (" " if number % 5 == 4 else "") for number, char in enumerate(passage))
    (span,) = aligned_spans(page, passage)
    assert span.disguises == ()


def aligned_spans(page, passage):
    return [each.span for each in align(ComparedText(page), ComparedText(passage))]


def test_clauses_that_change_places_are_no_slogans():
    page = clauses_swapped(TEXT)
    assert len(page) == len(TEXT)
    assert not disguise(page) & {"slogans", "homophones", "noise"}


def clauses_swapped(text):
    """Each two clauses of a line the other way round."""
    lines = []
    for line in text.split("\n"):
        clauses = re.split("(?<=[，。！？；])", line)
        pairs = zip(clauses[1::2], clauses[::2], strict=False)
        odd = clauses[-1:] if len(clauses) % 2 else []
        lines.append("".join([clause for pair in pairs for clause in pair] + odd))
    return "\n".join(lines)


@pytest.mark.parametrize(
    "page",
    [
        re.sub(r"关闭通告", "关闭通告（guānbì tōnggào）", TEXT),
        re.sub(r"([一-鿿]{6})(?=[，。])", r"\1（hai mian shang yi pian bai）", TEXT),
        re.sub(r"([一-鿿]{6})(?=[，。])", r"\1[bai wu mang mang]", TEXT),
    ],
)
def test_pinyin_in_brackets_is_no_slogan(page):
    assert page != TEXT
    assert "slogans" not in disguise(page)


@pytest.mark.parametrize(
    "advert", ["【www.example.com】", "（请到 example.com 看最新章节）", "手机用户请浏览阅读"]
)
def test_advert_is_a_slogan_in_brackets_too(advert):
    assert "slogans" in disguise(TEXT[:200] + advert + TEXT[200:])


def labels(page):
    """Disguises of a page that copies the first half of the text."""
    return {
        name for aligned in align(ComparedText(page), ComparedText(TEXT)) for name in aligned.span.disguises
    }


def replaced(form):
    """The text with every tenth character in another form."""
    han = [at for at, character in enumerate(TEXT[:800]) if is_han(character)]
    pieces = list(TEXT[:800])
    for at in han[::10]:
        pieces[at] = form(pieces[at])
    return "".join(pieces)


@pytest.mark.parametrize("form", [" {} ", "（{}）", "[{}]", "“{}”", "-{}-"])
def test_pinyin_in_blanks_or_marks_is_pinyin_and_no_edit(form):
    assert labels(replaced(lambda character: form.format(lazy_pinyin(character)[0]))) == {"pinyin"}


def test_other_words_instead_of_characters_are_no_pinyin():
    assert "pinyin" not in labels(replaced(lambda _: " xyz "))


def test_punctuation_at_random_places_is_noise():
    chance = Random(1)
    assert labels(replaced(lambda character: character + chance.choice("，。、；！"))) == {"noise"}
    assert labels(TEXT[:800]) == set()


def test_text_without_punctuation_may_be_punctuated():
    bare = re.sub(r"[^\w\n]", "", TEXT)
    (aligned,) = align(ComparedText(TEXT[:800]), ComparedText(bare))
    assert aligned.span.disguises == ()

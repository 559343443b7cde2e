"""Pages in odd orders and scripts, against a corpus: found, named, and told where they stand."""

import re
from random import Random

import pytest
from pypinyin import Style, lazy_pinyin
from support.sample_novels import CHAPTERS, STRANGER

from tracker.comparison import ComparedText, compare

TEXT = CHAPTERS["青灯渡"][0]


def twice(text):
    return "".join(character * 2 for character in text)


def in_columns(text):
    text = re.sub(r"\s", "", text)
    blocks = (text[start : start + 150] for start in range(0, len(text), 150))
    return "\n\n".join("\n".join(block[row::10][::-1] for row in range(10)) for block in blocks)


def spread(text, fillers, every=1):
    rng = Random(1)
    return "".join(text[at : at + every] + rng.choice(fillers) for at in range(0, len(text), every))


def spelt(text, *, style=Style.NORMAL, between=" "):
    return re.sub("[\u4e00-\u9fff]+", lambda run: between.join(lazy_pinyin(run[0], style=style)), text)


def with_ruby(text, marks="()"):
    return "".join(
        f"{own}{marks[:1]}{spelt(own, style=Style.TONE)}{marks[1:]}" if "\u4e00" <= own <= "\u9fff" else own
        for own in text
    )


DISGUISED = {
    "doubled": ("doubled", twice(TEXT)),
    "reversed": ("reversed", TEXT[::-1]),
    "reversed by line": ("reversed", "\n".join(line[::-1] for line in TEXT.splitlines())),
    "columns": ("columns", in_columns(TEXT)),
    "spaced": ("pinyin", spelt(TEXT)),
    "glued": ("pinyin", spelt(TEXT, between="")),
    "capitals": ("pinyin", spelt(TEXT).title()),
    "tone marks": ("pinyin", spelt(TEXT, style=Style.TONE)),
    "tone marks, glued": ("pinyin", spelt(TEXT, style=Style.TONE, between="")),
    "tone digits": ("pinyin", spelt(TEXT, style=Style.TONE3)),
    "no punctuation": ("pinyin", re.sub(r"[^a-z]+", " ", spelt(TEXT))),
    "letters between all": ("noise", spread(TEXT, "abcdefghijklmnopqrstuvwxyz")),
    "letters between pairs": ("noise", spread(TEXT, "qxz", 2)),
    "three letters between all": ("noise", "abc".join(TEXT)),
    "kana": ("noise", spread(TEXT, "アイウエオ")),
    "rare characters": ("noise", spread(TEXT, "\U00020123\U00020456\U0002a6d0龘", 2)),
    "radicals": ("noise", spread(TEXT, "⼀⼆⽇⽔", 3)),
    "one character": ("noise", spread(TEXT, "水")),
    "thrice": ("doubled", "".join(character * 3 for character in TEXT)),
    "ruby": ("pinyin", with_ruby(TEXT)),
    "ruby, full-width": ("pinyin", with_ruby(TEXT, "（）")),
    "ruby, bare": ("pinyin", with_ruby(TEXT, "")),
}


@pytest.mark.parametrize("name", DISGUISED)
def test_chapter_in_an_odd_order_or_script_is_matched_and_named(novels, name):
    disguise, page = DISGUISED[name]
    result = compare(ComparedText(page), novels)
    match = result.matches[0]
    assert (result.verdict, match.work.title, match.passage.ordinal) == ("copy", "青灯渡", 0)
    also = {"rare characters", "radicals", "one character"} & {name} and {
        "edited"
    }  # some of the text's own go
    assert set(match.disguises) <= {disguise, "slogans", *(("noise",) if "ruby" in name else ()), *also}
    assert all(disguise in span.disguises for span in match.spans)
    assert match.sound_identity > 0.9
    assert 0.9 < result.coverage <= 1
    assert result.chars == len(page)


@pytest.mark.parametrize("name", ["doubled", "reversed", "columns"])
def test_characters_of_another_order_are_those_of_the_work(novels, name):
    result = compare(ComparedText(DISGUISED[name][1]), novels)
    assert result.matches[0].char_identity > 0.99
    assert set(result.matches[0].disguises) == {name}


@pytest.mark.parametrize(
    ("disguise", "change"),
    [
        ("doubled", twice),
        ("reversed", lambda text: text[::-1]),
        ("columns", in_columns),
        ("pinyin", spelt),
        ("pinyin", lambda text: spelt(text, between="")),
    ],
)
def test_disguised_paragraph_of_a_page_is_located(novels, disguise, change):
    copied = change(re.sub(r"\s", "", TEXT)[:400])
    before, behind = STRANGER[:500].replace("\n", "") + "\n", "\n" + STRANGER[500:1000].replace("\n", "")
    result = compare(ComparedText(before + copied + behind), novels)
    (match,) = result.matches
    assert disguise in match.disguises
    start, end = match.spans[0].page_start, max(span.page_end for span in match.spans)
    assert len(before) <= start < len(before) + 30
    assert abs(end - len(before + copied)) < 40
    assert 350 < result.matches[0].copied_chars < 450


def test_reversed_text_is_located_by_the_characters_of_the_page(novels):
    """After an ordinary sentence of another chapter: positions refer to the page."""
    other = CHAPTERS["雾港来信"][0][:200].replace("\n", "")
    page = other + "\n" + TEXT[:600].replace("\n", "")[::-1]
    matches = {match.work.title: match for match in compare(ComparedText(page), novels).matches}
    plain, turned = matches["雾港来信"].spans[0], matches["青灯渡"].spans[0]
    assert (plain.page_start, plain.disguises) == (0, ())
    assert page[plain.page_start : plain.page_end] == other
    assert "reversed" in turned.disguises
    assert turned.page_end == len(page)
    assert turned.passage_start == 0
    assert (plain.backwards, turned.backwards) == (False, True)


def test_lines_reversed_separately_are_in_the_order_of_the_passage(novels):
    result = compare(ComparedText(DISGUISED["reversed by line"][1]), novels)
    (span, *_) = result.matches[0].spans
    assert span.page_end - span.page_start > 2 * max(map(len, TEXT.splitlines()))
    assert not span.backwards


@pytest.mark.parametrize(
    "page",
    [
        STRANGER[::-1],
        in_columns(STRANGER),
        twice(STRANGER),
        spread(STRANGER, "abcdefghijklm"),
        spread(STRANGER, "魑魅魍魉", 2),
        spread(STRANGER, "的", 2),
        spelt(STRANGER),
        spelt(STRANGER, between=""),
        "The quick brown fox can name me a fan in the sun, and then he ran to an open lane. " * 40,
        "Nǐ hǎo, wǒ shì Lǐ Míng. Nǐ jiào shénme míngzi? Wǒ hěn gāoxìng rènshi nǐ. Xièxie, zàijiàn! " * 20,
        "watashi wa gakusei desu. kore wa hon desu. sore wa nan desu ka. " * 30,
    ],
)
def test_foreign_text_is_clear_in_any_order_and_script(novels, page):
    result = compare(ComparedText(page), novels)
    assert (result.verdict, result.matches) == ("clear", ())


def test_pinyin_for_every_second_character_is_no_noise(novels):
    page = re.sub("([\u4e00-\u9fff])([\u4e00-\u9fff])", lambda two: two[1] + spelt(two[2]), TEXT)
    match = compare(ComparedText(page), novels).matches[0]
    assert (match.work.title, match.verdict) == ("青灯渡", "copy")
    assert "pinyin" in match.disguises
    assert "noise" not in match.disguises

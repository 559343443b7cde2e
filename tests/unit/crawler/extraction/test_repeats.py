"""A site's sentences are learnt from its texts; a protected text that is everywhere is not one of them."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.strategies import story

from crawler.extraction import PageContext, extract
from crawler.extraction.repeats import (
    MAX_CHARS,
    MAX_SENTENCES,
    MIN_BOOKS,
    MIN_TEXTS,
    SAMPLE_TEXTS,
    SampledText,
    bottom_k_sample,
    hash_sentences,
    repeated_sentences,
    sampled_sentences,
    sentence_hash,
    sentences,
    text_key,
    without_repeats,
)

SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"
LINE = "望江书屋"


def own(number):
    """Return a text of sentences that no other number has."""
    return "\n".join(
        story(18, number * 100 + line) + "。" + story(14, number * 100 + line + 50) + "！"
        for line in range(8)
    )


def texts(count, extra=SLOGAN):
    return [f"{own(number)}{extra}\n{LINE}" for number in range(count)]


def sample_of(text):
    return SampledText(text_key(text), frozenset(hash_sentences(text)))


def repeats_in(all_texts):
    return repeated_sentences(bottom_k_sample(map(sample_of, all_texts)))


def test_sentences_of_many_texts_belong_to_the_site():
    assert repeats_in(texts(8)) == {sentence_hash(SLOGAN): 8, sentence_hash(LINE): 8}


def in_books(all_texts, count):
    """Return texts that are chapters of a number of books."""
    return [
        SampledText(text_key(text), frozenset(hash_sentences(text)), book=1 + number % count)
        for number, text in enumerate(all_texts)
    ]


def test_sentences_of_few_books_belong_to_the_books():
    formula = "未知如何，下回分解且听下回。"
    for count in (1, MIN_BOOKS - 1):
        assert repeated_sentences(in_books(texts(30, extra=formula), count)) == {}
        hashes = {sentence_hash(formula)}
        assert repeated_sentences(in_books(texts(30, extra=formula), count), hashes) == {}
    assert sentence_hash(formula) in repeated_sentences(in_books(texts(30, extra=formula), MIN_BOOKS))


def test_books_formula_is_not_the_sites_with_other_books():
    """The novel is most of the site, so most of the texts have its formula."""
    formula = "未知如何，下回分解且听下回。"
    novel = in_books([f"{own(number)}{formula}\n{LINE}" for number in range(30)], 1)
    other_books = [sample_of(f"{own(number)}\n{LINE}") for number in range(30, 50)]
    assert repeated_sentences([*novel, *other_books]).keys() == {sentence_hash(LINE)}


def test_few_texts_are_not_enough():
    assert repeats_in(texts(MIN_TEXTS - 1)) == {}
    assert repeats_in([*texts(MIN_TEXTS), *(own(100 + number) for number in range(30))]) == {}


def test_chapter_fetched_many_times_teaches_no_repeats():
    chapter = own(1)
    versions = [f"{chapter}\n第{number}次抓取时的页脚在这里。" for number in range(20)]
    assert repeats_in(versions) == {}
    assert sentence_hash(chapter.split("。")[0] + "。") not in repeats_in([*versions, *texts(8)])


def test_short_sentences_belong_to_the_stories():
    assert repeats_in(texts(8, extra="他点了点头。")) == {sentence_hash(LINE): 8}


def test_only_learnt_sentences_are_removed():
    hashes = {sentence_hash(SLOGAN), sentence_hash(LINE)}
    lines = [f"雾来了。{SLOGAN}灯灭了。", LINE, f"{LINE}是个好地方。"]
    assert without_repeats(lines, hashes) == (["雾来了。灯灭了。", f"{LINE}是个好地方。"], [SLOGAN, LINE])
    assert without_repeats(lines, frozenset()) == (lines, [])


def test_extraction_omits_learnt_sentences():
    body = "".join(f"<p>{line}</p>" for line in texts(1)[0].split("\n"))
    page = f"<html><body><div>{body}</div></body></html>".encode()
    result = extract(
        page, context=PageContext(repeated=frozenset({sentence_hash(SLOGAN), sentence_hash(LINE)}))
    )
    assert result.text == own(0)
    assert result.whole == extract(page).text
    assert result.dropped == {"repeated": len(SLOGAN + LINE)}
    assert "repeated" not in result.as_dict()


@given(st.lists(st.integers(0, 400), max_size=300))
def test_sample_is_the_same_in_any_order(numbers):
    sample = [sample_of(f"第{number}个很长很长很长的句子。") for number in numbers]
    shuffled = [*sample, *sample[: len(sample) // 2]]
    Random(1).shuffle(shuffled)
    assert bottom_k_sample(sample) == bottom_k_sample(shuffled)
    assert len(bottom_k_sample(sample)) <= SAMPLE_TEXTS


@given(st.text(alphabet="雾灯。！？…”a \n", max_size=80))
def test_sentences_join_to_the_line(line):
    assert "".join(sentences(line)) == line


def test_hashes_are_stable_and_ignore_width_and_script():
    assert sentence_hash("燈　滅了，Ａ") == sentence_hash("灯灭了，A") == 88344186554597492
    assert hash_sentences("灯") == {}


def test_sample_of_a_long_text_has_its_first_and_last_sentences():
    lines = [f"第{number}行的正文" for number in range(MAX_SENTENCES + 1)]
    assert list(sampled_sentences("\n".join(lines[1:])).values()) == lines[1:]
    half = MAX_SENTENCES // 2
    assert list(sampled_sentences("\n".join(lines)).values()) == lines[:half] + lines[-half:]


def test_overlong_sentences_never_belong_to_the_site():
    assert sampled_sentences("书" * MAX_CHARS).keys() == {sentence_hash("书" * MAX_CHARS)}
    assert sampled_sentences("书" * (MAX_CHARS + 1)) == {}

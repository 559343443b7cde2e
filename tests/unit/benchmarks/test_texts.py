"""Corpora are prefixes of one another, pages are cut as said, real pairs find their chapters."""

import json

import pytest
from support.changed.corpora import SAMPLES, first_passages, load
from support.changed.pairs import chapters, heading_number
from support.changed.texts import PAGE_CHARS, Text, cut_pages, draw, stable

from fingerprint.text.variants import fold, unfold


@pytest.fixture(scope="module")
def samples():
    return load(chars=150_000, pages=20, folder=SAMPLES)


def test_samples_make_a_corpus(samples):
    assert samples.source == "samples"
    assert samples.pairs == {}
    assert {page.kind for page in samples.questions} == {"novel", "news"}
    assert samples.distractors
    assert samples.around.hosts


def test_corpus_has_the_requested_size(samples):
    longest = max(len(passage.text) for passage in samples.passages)
    assert 150_000 <= samples.chars < 150_000 + longest
    assert [passage.id for passage in samples.passages] == list(range(1, len(samples.passages) + 1))


def test_smaller_corpus_is_a_prefix_of_a_larger_corpus(samples):
    larger = load(chars=300_000, pages=20, folder=SAMPLES)
    assert larger.passages[: len(samples.passages)] == samples.passages
    assert first_passages(larger.passages, 150_000) == samples.passages


def test_questions_answer_to_their_passage(samples):
    by_id = {passage.id: passage for passage in samples.passages}
    for page in samples.questions:
        (answer,) = page.answers
        assert page.text in by_id[answer].text


def test_growth_permutes_every_passage(samples):
    larger = load(chars=400_000, pages=20, folder=SAMPLES)
    permuted = [passage for passage in larger.passages if passage.source.work.endswith(" (1)")]
    assert permuted
    by_name = {passage.source.name: passage.text for passage in samples.passages}
    for passage in permuted[:3]:
        original = by_name[f"{passage.source.work.removesuffix(' (1)')}/{passage.source.ordinal}"]
        assert sorted(passage.text) == sorted(original)
        assert passage.text != original


def test_distractors_are_not_in_the_corpus(samples):
    mother = "".join(passage.text for passage in samples.passages)
    assert not any(page.text[:50] in mother for page in samples.distractors)


def test_pages_of_a_text_are_the_text():
    text = Text(work="w", ordinal=3, kind="novel", title="", text="渡" * (2 * PAGE_CHARS + 1))
    pages = list(cut_pages(text, {7}))
    assert [len(page.text) for page in pages] == [PAGE_CHARS, PAGE_CHARS, 1]
    assert [page.id for page in pages] == ["w/3/0", "w/3/3000", "w/3/6000"]
    assert pages[0].answers == {7}


def test_sample_has_full_pages_and_half_as_many_articles():
    novel = Text(work="n", ordinal=0, kind="novel", title="", text="渡" * (4 * PAGE_CHARS + 10))
    news = [Text(work=f"{a}", ordinal=0, kind="news", title="", text="口" * (598 + a)) for a in range(5)]
    pages = [*cut_pages(novel), *(page for text in news for page in cut_pages(text))]
    drawn = draw(pages, 3)
    assert [page.kind for page in drawn] == ["novel"] * 3 + ["news"] * 2
    assert all(len(page.text) >= 600 for page in drawn)
    assert drawn == draw(reversed(pages), 3)


def test_order_of_texts_is_the_same_everywhere():
    assert stable("青灯渡/0").hex() == "0c962db745fbe206"


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("第四十二回　开女试", 42),
        ("第100回　徑回東土", 100),
        ("第一百回", 100),
        ("第十回 诛大虫", 10),
        ("第一百零三章", 103),
        ("第廿一回", 21),
        ("第二〇回", 20),
        ("楔子", None),
        ("", None),
    ],
)
def test_heading_numbers_are_parsed(title, number):
    assert heading_number(title) == number


def test_numbering_survives_a_missing_and_a_misprinted_heading():
    titles = ["第一回", "第二回", "第四回", "第四回", "第六回"]
    passages = [Text(work="w", ordinal=0, kind="novel", title=title, text="") for title in titles]
    assert chapters(passages) == [{1}, {2, 3}, {4}, {5}, {6}]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A folder like the shared data, made of samples."""
    folder = tmp_path_factory.mktemp("data")
    novels = {path.stem: path.read_text(encoding="utf-8") for path in (SAMPLES / "novels").glob("*.txt")}
    edition, copied, _ = sorted(novels)
    for path, text in {
        "mother/novels/" + edition: novels[edition],
        "distractors/novels/other": (SAMPLES / "others" / "竹坞旧事.txt").read_text(encoding="utf-8"),
        f"pairs/editions/{edition}.traditional": unfold(novels[edition]),
        "pairs/reuse/pair/万花楼": novels[copied][:30_000],
        "pairs/reuse/pair/" + copied: novels[copied],
    }.items():
        target = folder / f"{path}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    news = (SAMPLES / "news.jsonl").read_text(encoding="utf-8").splitlines()
    row = {"a": json.loads(news[0]), "b": {"title": "b", "text": "转载。" + json.loads(news[0])["text"]}}
    (folder / "pairs" / "reprints").mkdir()
    (folder / "pairs" / "reprints" / "pairs.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return load(chars=10_000, pages=50, folder=folder)


def test_works_of_real_pairs_are_held_beyond_the_size(shared):
    assert shared.source == "shared data"
    assert shared.chars > 30_000  # two whole novels and an article
    assert len({passage.source.name for passage in shared.passages}) == len(shared.passages)


def test_page_of_an_edition_answers_to_its_chapter_and_the_neighbours(shared):
    by_id = {passage.id: passage for passage in shared.passages}
    assert shared.pairs["editions"]
    for page in shared.pairs["editions"]:
        ordinal = int(page.id.split("/")[1])
        held = {by_id[answer].source.ordinal for answer in page.answers}
        assert ordinal in held
        assert held <= {ordinal - 1, ordinal, ordinal + 1}
        assert any(fold(page.text) in fold(by_id[answer].text) for answer in page.answers)


def test_answer_to_a_page_of_a_copying_novel_is_the_copied_novel(shared):
    works = {passage.id: passage.source.work for passage in shared.passages}
    assert shared.pairs["reuse"]
    for page in shared.pairs["reuse"]:
        assert page.id.startswith("万花楼/")
        assert len({works[answer] for answer in page.answers}) == 1


def test_reprint_answers_to_the_other_publishers_article(shared):
    by_id = {passage.id: passage for passage in shared.passages}
    (page,) = shared.pairs["reprints"]
    (answer,) = page.answers
    assert page.text == "转载。" + by_id[answer].text

"""The rest of a page is compared too: what is found there, what it amounts to, and what is not said twice."""

from dataclasses import replace

import pytest
from pypinyin import lazy_pinyin
from support.corpora import corpus_of
from support.sample_novels import CHAPTERS, STRANGER
from support.strategies import story

from storage.index.memory import MemoryIndex
from storage.records import Decision, RestPiece, SiteLicence
from tracker.comparison import ComparedText, Facts, RestText, compare
from tracker.comparison.matching import look_up
from tracker.comparison.reading import read_rest
from tracker.comparison.rest import MAX_FOUND_IN, found_in
from tracker.judgement.verdict import OUTSIDE_QUOTE_CHARS

ARTICLE = ComparedText(story(600, 99))
CHAPTER = story(1_200, 1)
MENU = ["首页", "玄幻小说", "都市言情", "完本", "我的书架", "手机阅读", "加入收藏", "投推荐票"]


def rest_with(*texts, reason="hidden"):
    """A rest of some texts, a piece each."""
    pieces, at = [], 0
    for number, text in enumerate(texts):
        pieces.append(RestPiece(start=at, end=at + len(text), reason=reason, place=f"body > div.n{number}"))
        at += len(text) + 1
    return RestText(text=ComparedText("\n".join(texts)), pieces=tuple(pieces))


@pytest.fixture(scope="module")
def corpus():
    return corpus_of({"故事": [CHAPTER]})


class Counting(MemoryIndex):
    """An index that counts how often it is asked."""

    def __init__(self):
        super().__init__()
        self.looked_up = 0

    def lookup_many(self, asked):
        self.looked_up += 1
        return super().lookup_many(asked)


class Decided:
    """Decisions on one passage."""

    def __init__(self, *decisions):
        self.decisions = decisions

    def of_passages(self, shas, *, site):
        own = [decision for decision in self.decisions if decision.site == site]
        return {sha: [one for one in own if one.passage_sha256 == sha] for sha in shas}


def dismissal(start, end):
    return Decision(
        id="d1",
        state="dismissed",
        site="a.cn",
        work_id=1,
        passage_id=1,
        passage_sha256="sha1",
        start=start,
        end=end,
        because="公版",
    )


def test_copy_in_the_rest_is_matched_and_doubtful(corpus):
    result = compare(ARTICLE, corpus, rest=rest_with("\n".join(MENU), CHAPTER))
    (match,) = result.matches
    assert (result.verdict, result.rest_verdict, result.is_doubtful) == ("copy", "copy", True)
    assert (match.part, match.verdict, match.copied_chars) == ("rest", "copy", len(CHAPTER))
    assert [(piece.place, piece.reason) for piece in match.found_in] == [("body > div.n1", "hidden")]
    assert (result.coverage, result.copied_chars) == (0.0, 0)  # they are the article's


def test_offsets_of_a_match_in_the_rest_count_in_the_rest(corpus):
    rest = rest_with("\n".join(MENU), CHAPTER)
    (match,) = compare(ARTICLE, corpus, rest=rest).matches
    copied = "".join(rest.text.text[span.page_start : span.page_end] for span in match.spans)
    assert copied == CHAPTER


def test_shares_of_the_page_are_of_article_and_rest_together(corpus):
    rest = rest_with(CHAPTER)
    (match,) = compare(ARTICLE, corpus, rest=rest).matches
    assert match.extent.page_chars == len(ARTICLE.text) + len(rest.text.text)
    assert match.coverage == pytest.approx(len(CHAPTER) / match.extent.page_chars, abs=1e-4)


@pytest.mark.parametrize("name", CHAPTERS)
def test_article_comes_out_as_without_a_rest(novels, name):
    page, rest = ComparedText(CHAPTERS[name][0]), rest_with(STRANGER)
    with_rest, without = compare(page, novels, rest=rest), compare(page, novels)
    assert with_rest.rest_chars == len(STRANGER)
    assert replace(with_rest, rest_chars=0) == without


def test_page_has_the_graver_verdict_and_lists_both(novels):
    page = ComparedText(STRANGER + CHAPTERS["青灯渡"][0][:100])
    result = compare(page, novels, rest=rest_with(CHAPTERS["星槎纪事"][0]))
    assert [(match.part, match.verdict) for match in result.matches] == [
        ("rest", "copy"),
        ("article", "quote"),
    ]
    assert (result.verdict, result.rest_verdict, result.is_doubtful) == ("copy", "copy", True)


def test_page_is_not_doubtful_if_its_article_is_equally_grave(novels):
    page = ComparedText(CHAPTERS["青灯渡"][0])
    result = compare(page, novels, rest=rest_with(CHAPTERS["星槎纪事"][0]))
    assert (result.verdict, result.rest_verdict, result.is_doubtful) == ("copy", "copy", False)


def test_page_without_an_article_is_compared_by_its_rest(corpus):
    result = compare(ComparedText(""), corpus, rest=rest_with(CHAPTER))
    assert (result.verdict, result.chars, result.rest_chars) == ("copy", 0, len(CHAPTER))
    assert not result.low_confidence
    assert compare(ComparedText(""), corpus, rest=rest_with(CHAPTER[:200])).low_confidence


def test_copy_in_the_article_is_not_repeated_in_the_rest(corpus):
    result = compare(ComparedText(CHAPTER), corpus, rest=rest_with(CHAPTER[:300], CHAPTER[500:900]))
    assert [match.part for match in result.matches] == ["article"]
    assert (result.rest_verdict, result.is_doubtful) == ("clear", False)


def test_rest_reports_only_the_text_that_the_article_lacks(corpus):
    result = compare(
        ComparedText(CHAPTER[:600]), corpus, rest=rest_with(CHAPTER[100:400], MENU[0], CHAPTER[600:])
    )
    article, rest = sorted(result.matches, key=lambda match: match.part)
    assert [(span.passage_start, span.passage_end) for span in article.spans] == [(0, 600)]
    assert [(span.passage_start, span.passage_end) for span in rest.spans] == [(600, len(CHAPTER))]


def test_repeated_stretch_is_charged_to_no_other_work():
    text = story(400, 5)
    anthology = corpus_of({"文集": [text + story(400, 6)], "短篇": ([text], {"holder": "乙"})})
    page = ComparedText(text + story(400, 6))
    before = compare(page, anthology)
    result = compare(page, anthology, rest=rest_with(text))
    assert [match.work.title for match in result.matches] == [match.work.title for match in before.matches]


def test_copy_in_many_pieces_is_a_single_match(corpus):
    parts = [CHAPTER[start : start + 40] for start in range(0, len(CHAPTER), 40)]
    result = compare(ARTICLE, corpus, rest=rest_with(*parts))
    (match,) = result.matches
    assert (match.verdict, match.copied_chars) == ("copy", len(CHAPTER))
    assert len(match.found_in) == len(parts)


def test_copy_that_the_rest_repeats_counts_once(corpus):
    (match,) = compare(ARTICLE, corpus, rest=rest_with(CHAPTER[:300], CHAPTER[:300], CHAPTER[:300])).matches
    assert match.copied_chars == 300


@pytest.mark.parametrize("chars", [60, 90, 120])
@pytest.mark.parametrize("works", [1, 4, 20])
def test_twenty_teasers_of_a_list_are_only_quotes(chars, works):
    chapters = [story(1_500, number) for number in range(20)]
    books = {f"书{book}": chapters[book::works] for book in range(works)}
    teasers = [chapter[:chars] for chapter in chapters]
    for page in (ComparedText(""), ARTICLE):
        result = compare(page, corpus_of(books), rest=rest_with(*teasers, reason="outside"))
        assert result.verdict == "quote"
        assert {match.verdict for match in result.matches} == {"quote"}


def test_teasers_of_short_passages_are_only_quotes():
    passages = [story(chars, number) for number, chars in enumerate(range(60, 120, 3))]
    result = compare(ComparedText(""), corpus_of({"诗": passages}), rest=rest_with(*passages))
    assert (result.verdict, len(result.matches)) == ("quote", len(passages))


@pytest.mark.parametrize(
    ("chars", "verdict"), [(OUTSIDE_QUOTE_CHARS - 1, "quote"), (OUTSIDE_QUOTE_CHARS, "copy")]
)
def test_so_few_characters_of_the_rest_are_a_quotation_at_most(chars, verdict):
    passage = story(chars, 3)
    result = compare(ComparedText(story(2_000, 4)), corpus_of({"短文": [passage]}), rest=rest_with(passage))
    assert result.verdict == verdict


def test_menu_is_clear(corpus):
    result = compare(ARTICLE, corpus, rest=rest_with(*MENU))
    assert (result.verdict, result.matches, result.rest_chars) == ("clear", (), len("\n".join(MENU)))


def test_rest_that_is_too_short_for_a_fingerprint_is_not_looked_up(novels):
    page, index = ComparedText(STRANGER), Counting()
    (found,) = look_up([page], novels)
    result = compare(page, replace(novels, index=index), candidates=found, rest=rest_with("首页", "书架"))
    assert (result.rest_chars, index.looked_up) == (5, 0)


def test_candidates_that_were_looked_up_are_not_looked_up_again(novels):
    page, rest, index = ComparedText(STRANGER), rest_with(CHAPTERS["青灯渡"][0]), Counting()
    of_page, of_rest = look_up([page, rest.text], novels)
    asked, rest = replace(novels, index=index), replace(rest, candidates=of_rest)
    assert compare(page, asked, candidates=of_page, rest=rest).verdict == "copy"
    assert index.looked_up == 0


def test_dismissed_stretch_in_the_rest_is_listed_and_does_not_count():
    corpus = corpus_of({"故事": [CHAPTER]}, decisions=Decided(dismissal(0, len(CHAPTER))))
    result = compare(ARTICLE, corpus, site="a.cn", rest=rest_with(CHAPTER))
    (match,) = result.matches
    assert (result.verdict, match.counts, match.reviewed.review) == ("clear", False, "dismissed")
    assert result.decisions.keys() == {"sha1"}


def test_licensed_site_is_licensed_in_its_rest_too():
    licence = SiteLicence(site="a.cn")
    corpus = corpus_of({"故事": ([CHAPTER], {"licences": (licence,)})})
    assert compare(ARTICLE, corpus, site="a.cn", rest=rest_with(CHAPTER)).verdict == "licensed"
    assert compare(ARTICLE, corpus, site="b.cn", rest=rest_with(CHAPTER)).verdict == "copy"


def test_author_named_in_the_article_attributes_a_copy_in_the_rest():
    licence = SiteLicence(site="a.cn", attribution=True)
    corpus = corpus_of({"长夜行舟": ([CHAPTER], {"licences": (licence,), "author": "沈听澜"})})
    facts, rest = Facts(site="a.cn"), rest_with(CHAPTER)
    named = ComparedText(f"作者：沈听澜\n{ARTICLE.text}")
    assert compare(named, corpus, facts=facts, rest=rest).verdict == "licensed"
    assert compare(ARTICLE, corpus, facts=facts, rest=rest).verdict == "copy"


def test_background_text_in_the_rest_is_clear():
    law = story(500, 7)
    corpus = corpus_of({"书": [law], "法律": ([law], {"role": "background"})})
    result = compare(ARTICLE, corpus, rest=rest_with(law))
    assert (result.verdict, result.matches) == ("clear", ())
    assert [(own.work, own.part) for own in result.background] == [("法律", "rest")]


def test_phrase_that_many_works_share_is_not_listed_of_a_rest():
    phrase = story(40, 8)
    works = {f"书{number}": [story(300, number) + phrase + story(300, 50 + number)] for number in range(9)}
    result = compare(ARTICLE, corpus_of(works), rest=rest_with(phrase))
    assert (result.verdict, result.matches) == ("clear", ())


def test_rest_with_many_works_matches_every_work():
    texts = [story(400, number) for number in range(30)]
    corpus = corpus_of({f"书{number}": [text] for number, text in enumerate(texts)})
    result = compare(ARTICLE, corpus, rest=rest_with(*texts))
    assert {match.verdict for match in result.matches} == {"copy"}
    assert len(result.matches) == len(texts)


def test_match_names_the_pieces_that_it_is_in(corpus):
    rest = rest_with(MENU[0], CHAPTER[:300], MENU[1], CHAPTER[300:700])
    (match,) = compare(ARTICLE, corpus, rest=rest).matches
    places = [piece.place for piece in match.found_in]
    assert places[0] == "body > div.n1"
    assert places[-1] == "body > div.n3"
    assert "body > div.n0" not in places


def test_of_many_pieces_those_with_most_of_a_match_are_named(corpus):
    (match,) = compare(ARTICLE, corpus, rest=rest_with(CHAPTER)).matches
    (span,) = match.spans
    pieces = [RestPiece(start=at, end=at + 1 + at % 2, reason="script") for at in range(0, 600, 2)]
    named = found_in([span], [replace(piece, end=piece.start + 2) for piece in pieces])
    assert len(named) == MAX_FOUND_IN
    assert list(named) == sorted(named, key=lambda piece: piece.start)


def test_rest_without_pieces_is_compared(corpus):
    (match,) = compare(ARTICLE, corpus, rest=RestText(text=ComparedText(CHAPTER))).matches
    assert (match.verdict, match.found_in) == ("copy", ())


def test_reversed_copy_in_the_rest_is_matched(novels):
    rest = rest_with(CHAPTERS["青灯渡"][0][::-1])
    (match,) = compare(ComparedText(STRANGER), novels, rest=rest).matches
    assert (match.part, match.verdict, match.found_in) == ("rest", "copy", rest.pieces)
    assert "reversed" in match.disguises


def test_copy_in_pinyin_in_the_rest_is_matched(novels):
    written = " ".join(lazy_pinyin(CHAPTERS["青灯渡"][0]))
    (match,) = compare(ComparedText(STRANGER), novels, rest=rest_with(*MENU, written)).matches
    assert (match.part, match.verdict) == ("rest", "copy")


def test_latin_words_of_a_menu_are_not_looked_up_as_pinyin(novels):
    menu, index = rest_with("APP下载", "VIP会员", *MENU, STRANGER), Counting()
    _, found = look_up([ARTICLE, menu.text], novels)
    read_rest(replace(menu, candidates=found), replace(novels, index=index))
    assert menu.text.has_latin
    assert index.looked_up == 0

"""What a page amounts to: licences, dates, dismissals, related works, small takings."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.corpora import corpus_of, untitled
from support.strategies import story

from deploy.demo.samples import load_samples
from storage.records import Decision, Passage, SiteLicence, Span, Work
from tracker.comparison import ComparedText, Facts, compare
from tracker.judgement.match import (
    PassageMatch,
    listed_matches,
)
from tracker.judgement.related import families
from tracker.judgement.reviewing import joined_reasons, review_spans, without_dismissed
from tracker.judgement.verdict import Extent

SAMPLES = load_samples()
CHAPTER = SAMPLES["青灯渡:1"].text
STRANGER = SAMPLES["竹坞旧事:1"].text
STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
FORMULA = (
    "本报讯记者从有关部门获悉，为进一步做好防汛抗旱工作，各地各部门要高度重视，切实加强组织领导，落实责任。"
)
DAY = datetime(2026, 3, 1, tzinfo=UTC)


class Decisions:
    def __init__(self, *known):
        self.known = known

    def of_passages(self, shas, *, site):
        wanted = set(shas)
        found = {}
        for each in self.known:
            if each.passage_sha256 in wanted and each.site == site:
                found.setdefault(each.passage_sha256, []).append(each)
        return found


def shared_formula(*fields):
    """Works that share a formula and nothing else."""
    return [([story(400, n) + FORMULA + story(400, n + 50)], each) for n, each in enumerate(fields)]


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ([{"author": name} for name in "甲乙丙丁"], "common"),
        ([{"author": "甲"}] * 4, "common"),
        ([{"holder": "某社"}] * 5, "common"),
        (
            [{"title": title} for title in ("防汛记", "防汛记（修订版）", "《防汛记》", "防汛記 [插图本]")],
            "quote",
        ),
        ([{"title": "防汛记"}, {"title": "防汛记（修订版）"}, {"title": "潮"}, {"title": "汐"}], "quote"),
        ([{"title": "防汛记"}, {"title": "防汛记（修订版）"}, *({"title": t} for t in "潮汐汛")], "common"),
        ([{"title": "快讯", "kind": "news"}] * 4, "common"),
    ],
    ids=[
        "four authors",
        "one author",
        "one holder",
        "editions",
        "three texts",
        "four texts",
        "headlines",
    ],
)
def test_text_shared_by_unrelated_works_is_common(fields, verdict):
    result = compare(
        ComparedText(STRANGER + FORMULA + STRANGER[::-1]), corpus_of(untitled(*shared_formula(*fields)))
    )
    assert result.verdict == verdict
    assert {match.verdict for match in result.matches} == {verdict}
    assert (result.copied_chars == 0) == (verdict == "common")


def test_common_text_next_to_a_copy_is_listed_and_not_counted():
    works = shared_formula(*({"author": name} for name in "甲乙丙丁"))
    page = CHAPTER[:300] + STRANGER[:2000] + FORMULA
    own = ([CHAPTER + STRANGER[::-1][:300] + FORMULA], {"author": "戊"})
    match = compare(ComparedText(page), corpus_of(untitled(own, *works))).matches[0]
    assert match.work.author == "戊"
    (common,) = match.common
    assert page[common.page_start : common.page_end].endswith(FORMULA)
    assert match.copied_chars == pytest.approx(300, abs=3)


def test_relation_between_works_is_transitive():
    works = [
        Work(id=1, key="1", title="一", kind="novel", origin="", author="甲"),
        Work(id=2, key="2", title="二", kind="novel", origin="", author="甲"),
        Work(id=3, key="3", title="二（足本）", kind="novel", origin=""),
        Work(id=4, key="4", title="四", kind="novel", origin="", author="甲"),
        Work(id=5, key="5", title="五", kind="novel", origin="", edition_of=4),
    ]
    assert families(works) == {1: 1, 2: 2, 3: 2, 4: 4, 5: 4}
    assert families(works, same=[(1, 3)]) == {1: 1, 2: 1, 3: 1, 4: 4, 5: 4}


def test_small_stretches_of_a_single_work_weigh_more_than_of_many():
    """Five stretches of thirty characters: a partial copy from one work, nothing from five works."""
    texts = [story(400, 700 + n) for n in range(5)]
    pieces = [text[100:138] for text in texts]
    page = "".join(story(60, n, alphabet=STRANGE) + piece for n, piece in enumerate(pieces))
    one, many = corpus_of(untitled(texts)), corpus_of(untitled(*([text] for text in texts)))
    assert compare(ComparedText(page), one).verdict == "partial"
    assert compare(ComparedText(page), many).verdict == "clear"


@pytest.mark.parametrize(
    ("licence", "verdict", "reason"),
    [
        (SiteLicence(site="*.cn"), "licensed", "licensed"),
        (SiteLicence(site="a.cn", until=DAY), "copy", "expired"),
        (SiteLicence(site="a.cn", attribution=True), "copy", "no-attribution"),
        (SiteLicence(site="a.cn", share=0.2), "copy", "beyond-licence"),
        (SiteLicence(site="b.cn"), "copy", ""),
    ],
)
def test_licence_with_broken_terms_is_shown_with_the_verdict(licence, verdict, reason):
    corpus = corpus_of(untitled(([CHAPTER], {"licences": (licence,), "title": "青灯渡口"})))
    result = compare(
        ComparedText(CHAPTER), corpus, facts=Facts(site="a.cn", last_seen=DAY + timedelta(days=1))
    )
    (match,) = result.matches
    assert (result.verdict, match.verdict, match.licence) == (verdict, verdict, reason)


def test_title_in_the_copied_text_is_no_attribution():
    licence = SiteLicence(site="a.cn", attribution=True)
    named = CHAPTER[:500] + "那一夜他们都在青灯渡口。" + CHAPTER[500:]
    corpus = corpus_of(untitled(([named], {"licences": (licence,), "title": "青灯渡口"})))
    assert compare(ComparedText(named), corpus, site="a.cn").matches[0].licence == "no-attribution"
    assert (
        compare(ComparedText("选自《青灯渡口》。\n" + named), corpus, site="a.cn").matches[0].licence
        == "licensed"
    )


def test_work_with_a_passage_beyond_its_licence_is_not_licensed():
    texts = [CHAPTER, SAMPLES["青灯渡:2"].text]
    corpus = corpus_of(untitled((texts, {"licences": (SiteLicence(site="a.cn", share=0.5),)})))
    page = texts[0] + texts[1][:300]
    result = compare(ComparedText(page), corpus, site="a.cn")
    assert [match.licence for match in result.matches] == ["beyond-licence", "licensed"]
    assert result.verdict == "copy"


def dismissal(start, end, *, site="a.cn", sha="sha1", reason="授权转载"):
    return Decision(
        id=f"{start}",
        state="dismissed",
        site=site,
        work_id=1,
        passage_id=1,
        passage_sha256=sha,
        start=start,
        end=end,
        because=reason,
    )


def corpus_with(*known):
    return corpus_of(untitled([CHAPTER]), decisions=Decisions(*known))


def test_dismissed_stretch_never_comes_back_on_its_site():
    corpus = corpus_with(dismissal(0, len(CHAPTER)))
    result = compare(ComparedText(STRANGER[:500] + CHAPTER), corpus, site="a.cn")
    (match,) = result.matches
    assert (result.verdict, result.coverage, result.copied_chars) == ("clear", 0, 0)
    assert (match.verdict, match.counts, match.reviewed.because) == ("copy", False, "授权转载")
    assert [(each.because, each.span) for each in match.suppressed] == [("授权转载", match.spans[0])]
    for site in ("b.cn", ""):
        elsewhere = compare(ComparedText(STRANGER[:500] + CHAPTER), corpus, site=site)
        assert elsewhere.verdict == "copy"
        assert elsewhere.matches[0].suppressed == ()


def test_text_beyond_a_dismissed_stretch_counts():
    corpus = corpus_with(dismissal(0, 400))
    page = CHAPTER[:400] + STRANGER[:300] + CHAPTER[700:1400]
    (match,) = compare(ComparedText(page), corpus, site="a.cn").matches
    assert [(span.passage_start, span.passage_end) for span in match.spans] == [(700, 1400)]
    assert [each.span.passage_end for each in match.suppressed] == [400]
    assert (match.counts, match.reviewed.because) == (True, "")
    # A stretch that runs on from what was dismissed counts from there on.
    whole = compare(ComparedText(CHAPTER), corpus, site="a.cn")
    (match,) = whole.matches
    assert [(span.page_start, span.page_end) for span in match.spans] == [(400, len(CHAPTER))]
    assert [each.span.page_end for each in match.suppressed] == [400]
    assert (match.verdict, match.char_identity, match.copied_chars) == ("copy", 1, len(CHAPTER) - 400)
    assert whole.copied_chars == len(CHAPTER) - 400


def test_several_dismissed_stretches_cover_a_match_together():
    halves = [dismissal(0, 1000), dismissal(1000, len(CHAPTER), reason="公版")]
    (match,) = compare(ComparedText(CHAPTER), corpus_with(*halves), site="a.cn").matches
    assert not match.counts
    other = [replace(halve, passage_sha256="another version") for halve in halves]
    assert compare(ComparedText(CHAPTER), corpus_with(*other), site="a.cn").verdict == "copy"


def span(start, end):
    """A stretch of a passage; where it stands on the page plays no part."""
    return Span(
        page_start=0,
        page_end=end - start,
        passage_start=start,
        passage_end=end,
        char_identity=1,
        sound_identity=1,
    )


@pytest.mark.parametrize(
    ("stretches", "expected"),
    [
        ([(100, 190)], True),  # nine tenths
        ([(100, 189)], False),
        ([(0, 190)], True),  # it begins before the stretch
        ([(0, 189)], False),
        ([(110, 300)], True),  # it ends behind it
        ([(100, 150), (150, 190)], True),
        ([(100, 150), (100, 150)], False),  # what two cover is covered once
        ([(0, 100)], False),
        ([(200, 300)], False),
        ([], False),
    ],
)
def test_stretch_is_dismissed_when_dismissals_cover_nine_tenths(stretches, expected):
    known = [dismissal(*stretch) for stretch in stretches]
    assert bool(review_spans([span(100, 200)], known).suppressed) == expected


def test_dismissal_that_covers_most_gives_the_reason():
    known = [dismissal(0, 130, reason="引文"), dismissal(130, 200, reason="误判")]
    (suppressed,) = review_spans([span(100, 200)], known).suppressed
    assert (suppressed.because, suppressed.dismissal_id) == ("误判", "130")


def test_text_at_the_position_of_a_dismissed_stretch_is_suppressed():
    first = span(100, 200)
    other = replace(first, passage_start=900, passage_end=1000)
    apart = replace(other, page_start=500, page_end=600)
    counted, suppressed = without_dismissed([first, other, apart], [dismissal(100, 200)])
    assert counted == [apart]
    assert [dismissed.span for dismissed in suppressed] == [first]
    assert joined_reasons([*suppressed, *suppressed]) == "授权转载"


def match_of(verdict, *, passage_id=1, copied=50, counts=True):
    """A match of work 1."""
    return PassageMatch(
        work=Work(id=1, key="k", title="书", kind="novel", origin=""),
        passage=Passage(id=passage_id, work_id=1, ordinal=0, title="", text="", sha256=""),
        profile="novel@1",
        verdict=verdict,
        coverage=0.0,
        passage_coverage=0.0,
        copied_chars=copied,
        taken_chars=copied,
        longest_span=0,
        char_identity=1.0,
        sound_identity=1.0,
        spans=(),
        disguises=(),
        anchors={},
        extent=Extent(page_chars=0, copied_chars=copied, taken_chars=copied),
        counts=counts,
    )


@pytest.mark.parametrize(
    ("verdict", "counts", "together", "expected"),
    [
        ("quote", True, "partial", ["quote"]),
        ("clear", True, "partial", ["quote"]),  # nothing by itself, and a part of what is more
        ("clear", True, "licensed", ["licensed"]),
        ("clear", True, "clear", []),
        ("clear", True, "common", []),
        ("clear", False, "partial", []),
        ("copy", False, "clear", ["copy"]),  # dismissed, and shown as such
        ("quote", True, "clear", []),
        ("common", True, "common", ["common"]),
    ],
)
def test_listed_matches_follow_the_joint_verdict(verdict, counts, together, expected):
    matches = [match_of(verdict, counts=counts)]
    assert [match.verdict for match in listed_matches(matches, {1: together})] == expected


def test_most_copied_match_is_listed_first_then_the_first_passage():
    matches = [match_of("quote", passage_id=n, copied=copied) for n, copied in ((3, 60), (2, 60), (1, 50))]
    assert [match.passage.id for match in listed_matches(matches, {1: "quote"})] == [2, 3, 1]


def test_longest_stretch_is_measured_on_the_page():
    page = STRANGER[:500] + CHAPTER[:200] + STRANGER[500:900] + CHAPTER[600:1000]
    (match,) = compare(ComparedText(page), corpus_of(untitled([CHAPTER]))).matches
    lengths = [span.page_end - span.page_start for span in match.spans]
    assert len(lengths) == 2
    assert match.longest_span == max(lengths) < 420

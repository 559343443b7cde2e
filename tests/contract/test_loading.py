"""Load works into the real stores: new, changed, known and conflicting works."""

import dataclasses

import pytest
from support.loading import CHAPTERS, NOBODY, raw, stored_corpus
from support.strategies import story

from storage.collections.leases import MAX_ATTEMPTS
from storage.records import FREE, Work, utc_now, zone_of
from storage.records.dates import parse_date
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import MAX_PASSAGES, Terms, store_works
from tracker.corpus.refusals import (
    DuplicateTitle,
    OtherPassages,
    PassagesGone,
    SameText,
    TextReplaced,
    TooManyPassages,
)
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.licences import revoke

pytestmark = pytest.mark.services


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


def titles(stores, work):
    return [passage.title for passage in stores.passages.of_work(work.id)]


def test_new_work_is_stored_with_its_passages_in_order(corpus):
    outcome, work = corpus.load(raw(author="沈砚秋"), Terms("某社", ("b.cn", "a.cn")))
    assert outcome == "new"
    assert corpus.stores.works.get_many([work.id]) == {work.id: work}
    assert (work.status, work.author, work.holder, work.licensed_sites) == (
        "stored",
        "沈砚秋",
        "某社",
        ("a.cn", "b.cn"),
    )
    passages = corpus.stores.passages.of_work(work.id)
    assert tuple(passage.id for passage in passages) == work.passage_ids
    assert [(passage.title, passage.text) for passage in passages] == [
        (chapter.title, chapter.text) for chapter in CHAPTERS
    ]
    assert work.characters == sum(len(chapter.text) for chapter in CHAPTERS)


def test_zone_that_a_setting_gave_stays_when_the_setting_changes(corpus):
    _, first = corpus.load(raw(published=parse_date("2023-12-04 22:15")))
    moved = parse_date("2023-12-04 22:15", zone=zone_of("America/New_York"))
    assert corpus.load(raw(published=moved))[1].published == first.published
    assert corpus.load(raw())[1].published == first.published
    named = parse_date("2023-12-04 22:15 -05:00")
    assert corpus.load(raw(published=named))[1].published == named
    other = parse_date("2023-12-05", zone=zone_of("America/New_York"))
    assert corpus.load(raw(published=other))[1].published == other
    assert corpus.stores.works.all()[0].published == other


def test_changed_date_lets_pages_be_compared_again(corpus):
    corpus.load(raw(published=parse_date("2023-12-04 22:15")))
    corpus.index_all()
    version = corpus.stores.versions.current()
    corpus.load(raw(published=parse_date("2023-12-04 22:15")))
    assert corpus.stores.versions.current() == version
    corpus.load(raw(published=parse_date("2023-12-05")))
    assert corpus.stores.versions.current() > version


def test_same_work_again_changes_nothing(corpus):
    _, first = corpus.load(raw())
    corpus.index_all()
    before, version = corpus.stores.works.all(), corpus.stores.versions.current()
    for origin in ("青灯渡.txt", "moved/青灯渡.txt", "青灯渡.txt"):
        outcome, again = corpus.load(raw(origin=origin))
        assert outcome == "unchanged"
        assert again.passage_ids == first.passage_ids
    assert corpus.stores.works.all() == before
    assert corpus.stores.versions.current() == version


def test_unchanged_text_may_get_a_licence_and_keeps_its_terms(corpus):
    corpus.load(raw(), Terms("某社", ("a.cn",)))
    corpus.index_all()
    version = corpus.stores.versions.current()
    outcome, work = corpus.load(raw(), Terms(None, ("b.cn",)))
    assert outcome == "unchanged"
    assert corpus.stores.versions.current() == version + 1
    assert (work.holder, work.licensed_sites, work.status) == ("某社", ("a.cn", "b.cn"), "indexed")
    assert corpus.stores.works.get_many([work.id])[work.id] == work


def test_failed_work_waits_again_when_it_is_added_again(corpus):
    _, work = corpus.load(raw())
    corpus.stores.works.mark_failed(work.id)
    assert corpus.stores.works.reserve_stored(count=9, lease_s=60)[1] == []
    outcome, again = corpus.load(raw())
    assert (outcome, again.status) == ("unchanged", "stored")
    assert corpus.stores.works.reserve_stored(count=9, lease_s=60)[1] == [work.id]


def test_licence_revoked_while_a_new_version_is_stored_stays_revoked(corpus, monkeypatch):
    corpus.load(raw(), Terms(sites=("a.cn",)))
    (work,) = corpus.stores.works.all()
    save = corpus.stores.passages.save_many

    def revoke_first(passages):
        revoke(work, "a.cn", corpus.stores)
        save(passages)

    monkeypatch.setattr(corpus.stores.passages, "save_many", revoke_first)
    outcome, changed = corpus.load(raw(*CHAPTERS[:4]), Terms(sites=("b.cn",)))
    assert (outcome, changed.licensed_sites) == ("changed", ("b.cn",))
    assert corpus.stores.works.all() == [changed]


def test_only_changed_passages_get_new_ids(corpus):
    _, first = corpus.load(raw())
    corpus.index_all()
    changed = ChapterSection("第3章", CHAPTERS[2].text + "尾声")
    outcome, work = corpus.load(raw(*CHAPTERS[:2], changed, *CHAPTERS[3:]))
    assert outcome == "changed"
    assert [own.first_id for own in work.additions] == [max(work.passage_ids)]
    assert work.id == first.id
    assert [a == b for a, b in zip(work.passage_ids, first.passage_ids, strict=True)] == [
        True,
        True,
        False,
        True,
        True,
    ]
    assert (work.status, work.lease) == ("stored", FREE)
    assert set(corpus.stores.passages.get_many(first.passage_ids)) == set(first.passage_ids) - {
        first.passage_ids[2]
    }
    assert corpus.index.missing(work.passage_ids) == [work.passage_ids[2]]


def test_removed_passages_are_deleted_everywhere(corpus):
    _, first = corpus.load(raw())
    corpus.index_all()
    _, work = corpus.load(raw(CHAPTERS[0], CHAPTERS[4]))
    corpus.index_all()
    assert work.passage_ids == (first.passage_ids[0], first.passage_ids[4])
    assert titles(corpus.stores, work) == ["第1章", "第5章"]
    gone = first.passage_ids[1:4]
    assert corpus.stores.passages.get_many(gone) == {}
    assert corpus.index.missing(gone) == list(gone)
    for params in DEFAULT_PARAMS.params_ids:
        assert set(corpus.stores.fingerprints.get_many(first.passage_ids, params)) == set(work.passage_ids)
    assert corpus.check(CHAPTERS[2].text).verdict == "clear"
    assert corpus.check(CHAPTERS[4].text).verdict == "copy"


def test_moved_passages_keep_their_ids_and_take_the_new_order(corpus):
    _, first = corpus.load(raw())
    outcome, work = corpus.load(raw(*reversed(CHAPTERS)))
    assert outcome == "changed"
    assert work.passage_ids == first.passage_ids[::-1]
    assert titles(corpus.stores, work) == [chapter.title for chapter in reversed(CHAPTERS)]


def test_new_heading_is_a_change(corpus):
    _, first = corpus.load(raw(ChapterSection("旧题", "青灯" * 50)))
    outcome, work = corpus.load(raw(ChapterSection("新题", "青灯" * 50), origin="青灯渡.txt"))
    assert outcome == "changed"
    assert work.passage_ids != first.passage_ids
    assert titles(corpus.stores, work) == ["新题"]


def test_repeated_chapters_keep_their_number(corpus):
    again = ChapterSection("公告", "本章未完，请看下章。" * 9)
    _, first = corpus.load(raw(again, CHAPTERS[0], again))
    assert len(set(first.passage_ids)) == 3
    _, work = corpus.load(raw(again, CHAPTERS[1], again))
    assert len(set(work.passage_ids)) == 3
    assert titles(corpus.stores, work) == ["公告", "第2章", "公告"]
    assert set(corpus.stores.passages.get_many(work.passage_ids)) == set(work.passage_ids)


def test_different_text_under_an_existing_title_is_refused(corpus):
    _, first = corpus.load(raw())
    with pytest.raises(DuplicateTitle, match="青灯渡") as caught:
        corpus.load(raw(ChapterSection("", story(200, 99)), origin="other/青灯渡.txt"))
    assert caught.value.data == {"title": "青灯渡", "origin": "other/青灯渡.txt", "other": "青灯渡.txt"}
    assert corpus.stores.works.all() == [first]


def test_later_chapters_alone_do_not_replace_the_earlier_ones(corpus):
    """The folder with new chapters has the name of the folder from which the first ones came."""
    _, first = corpus.load(raw(*CHAPTERS[:2], origin="连载"))
    later = raw(*CHAPTERS[2:], origin="连载")
    with pytest.raises(OtherPassages, match="none of the 2 passages"):
        corpus.load(later)
    assert corpus.stores.works.all() == [first]
    remarks = []
    overlapping = raw(CHAPTERS[1], origin="连载")
    store_works([overlapping], corpus.stores, corpus.index, terms=NOBODY, report=remarks.append)
    assert [(type(remark), remark.data["count"], remark.data["before"]) for remark in remarks] == [
        (PassagesGone, 1, 2)
    ]


def test_same_text_in_different_passages_is_recognised(corpus):
    """Three chapters of a folder contain the same text as the whole book in one file, without headings."""
    lines = [f"{chapter.text}\n" for chapter in CHAPTERS]
    _, first = corpus.load(raw(ChapterSection("", "".join(lines))))
    parts = [
        ChapterSection(f"卷{number}", " " + line.replace("章\n", "章　雨\n"))
        for number, line in enumerate(lines)
    ]
    with pytest.raises(SameText) as caught:
        corpus.load(raw(*parts, origin="青灯渡"))
    assert caught.value.data == {"title": "青灯渡", "origin": "青灯渡", "other": "青灯渡.txt"}
    with pytest.raises(DuplicateTitle):
        corpus.load(raw(ChapterSection("", "".join(lines[:2])), origin="上册/青灯渡.txt"))
    assert corpus.stores.works.all() == [first]


def test_report_says_which_file_a_text_replaces(corpus):
    corpus.load(raw(origin="青灯渡.epub"))
    told = []
    texts = [raw(*CHAPTERS[:2], origin="青灯渡.docx"), raw(*CHAPTERS[1:], origin="青灯渡.docx")]
    store_works(texts, corpus.stores, corpus.index, terms=NOBODY, report=told.append)
    assert [remark.data for remark in told if isinstance(remark, TextReplaced)] == [
        {"title": "青灯渡", "origin": "青灯渡.docx", "other": "青灯渡.epub"}
    ]


def test_edition_from_another_file_that_shares_a_passage_is_the_same_work(corpus):
    _, first = corpus.load(raw())
    outcome, work = corpus.load(
        raw(*CHAPTERS, ChapterSection("番外", story(200, 99)), origin="new/青灯渡.txt")
    )
    assert outcome == "changed"
    assert work.passage_ids[:5] == first.passage_ids
    assert work.origin == "new/青灯渡.txt"


def test_articles_with_the_same_title_and_two_addresses_are_two_works(corpus):
    one = raw(ChapterSection("", story(200, 1)), title="快讯", url="http://a/1")
    other = raw(ChapterSection("", story(200, 2)), title="快讯", url="http://a/2")
    assert [corpus.load(each)[0] for each in (one, other, one)] == ["new", "new", "unchanged"]


def test_interrupted_change_is_cleared_away_by_the_next(corpus):
    """A crash after the passages and before the work leaves unreferenced passages."""
    _, first = corpus.load(raw())
    orphan = dataclasses.replace(corpus.stores.passages.of_work(first.id)[0], id=900, sha256="x")
    corpus.stores.passages.save_many([orphan])
    assert corpus.load(raw())[0] == "unchanged"
    corpus.load(raw(*CHAPTERS[:4]))
    assert corpus.stores.passages.get_many([900]) == {}


def test_abandoned_work_has_all_its_attempts_when_added_again(corpus):
    stores = corpus.stores
    _, work = corpus.load(raw())
    for _ in range(MAX_ATTEMPTS):
        token, ids = stores.works.reserve_stored(count=1, lease_s=-1)
        assert stores.works.claim_many(ids, token=token, lease_s=-1)[1]
    assert stores.works.reserve_stored(count=1, lease_s=60)[1] == []
    assert stores.works.get_many([work.id])[work.id].status == "failed"
    corpus.load(raw())
    assert stores.works.reserve_stored(count=1, lease_s=60)[1] == [work.id]


def test_work_that_changes_often_never_gives_up(corpus):
    """Finished attempts do not count against the next version."""
    stores = corpus.stores
    for number in range(MAX_ATTEMPTS + 2):
        _, work = corpus.load(raw(CHAPTERS[0], ChapterSection("新", story(100, 100 + number))))
        token, ids = stores.works.reserve_stored(count=1, lease_s=60)
        assert ids == [work.id]
        assert stores.works.claim_many(ids, token=token, lease_s=60)[1]
        corpus.index_all()
    assert stores.works.get_many([work.id])[work.id].status == "indexed"


def test_work_with_too_many_passages_is_refused_and_the_rest_is_stored(corpus):
    vast = raw(*CHAPTERS[:1] * (MAX_PASSAGES + 1), title="全集")
    refused, (outcome, work) = store_works([vast, raw()], corpus.stores, corpus.index, terms=NOBODY)
    assert isinstance(refused, TooManyPassages)
    assert str(refused).startswith(
        "Skipped 全集.txt: “全集” has 200001 passages, but a work may have 200000."
    )
    assert (outcome, work.title) == ("new", "青灯渡")
    assert [work.title for work in corpus.stores.works.all()] == ["青灯渡"]
    with pytest.raises(TooManyPassages):
        corpus.load(vast)


def test_work_with_the_most_passages_is_stored_and_marked(stores):
    ids = tuple(range(2**31, 2**31 + MAX_PASSAGES))  # ids that take eight bytes each
    work = Work(id=1, key="k", title="全集", kind="novel", origin="全集.jsonl", passage_ids=ids, sha256="s")
    stores.works.save(work)
    assert stores.works.mark_indexed_many([(work, 7)], at=utc_now()) == 1
    (stored,) = stores.works.all()
    assert (stored.passage_ids, stored.status, stored.postings) == (ids, "indexed", 7)

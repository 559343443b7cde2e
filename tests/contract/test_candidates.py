"""Candidates on a real database: imported once, decided once, and never crawled before that."""

from dataclasses import replace

import pytest
from support.import_files import FORMS, book_sources

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions import candidates
from analysis.actions.candidates import (
    CandidateDecided,
    accept_candidate,
    import_candidates,
    reject_candidate,
    reopen_candidate,
)
from analysis.discovery import importing, merging
from analysis.queries.candidates import count_candidates, get_candidate, list_candidates, planned_source
from storage.records import Account
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
OPERATOR = identity_of(Account(name="op", role="operator"))
ANALYST = identity_of(Account(name="an", role="analyst"))


@pytest.fixture
def runtime(stores, settings, redis_client, guard, works):
    stores.works.describe(works[0], replace(works[0], title="青灯渡"))
    runtime = Runtime(settings, stores, redis_client, guard, Queue(settings.storage))
    yield runtime
    runtime.queue.close()


def load(runtime, path, data, identity=OPERATOR):
    path.write_bytes(data)
    lines = []
    summary = import_candidates(identity, runtime, path, report=lines.extend)
    return summary, lines


@pytest.mark.parametrize("form", FORMS)
def test_same_file_again_changes_nothing(form, runtime, tmp_path):
    path = tmp_path / "file"
    first, lines = load(runtime, path, FORMS[form])
    before = [*list_candidates(OPERATOR, runtime.stores).items]
    assert first.counts["new"] >= 1
    assert len(lines) == sum(first.counts.values())
    again, _ = load(runtime, path, FORMS[form])
    assert again.sites == again.counts["new"] == again.counts["extended"] == 0
    assert [*list_candidates(OPERATOR, runtime.stores).items] == before


def test_interrupted_import_is_continued_by_importing_again(runtime, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_BATCH", 10)
    path, seen = tmp_path / "file", []
    path.write_bytes(book_sources(45))

    def stop(lines):
        seen.extend(lines)
        if len(seen) >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_candidates(OPERATOR, runtime, path, report=stop)
    summary, _ = load(runtime, path, path.read_bytes())
    assert summary.counts == {"known": 20, "new": 25}


def test_accepted_candidate_becomes_a_source_that_searches_the_works(runtime, tmp_path):
    load(runtime, tmp_path / "file", book_sources())
    assert not runtime.stores.sources.all()
    plan = planned_source(ANALYST, runtime.stores, "lamp-books.example")
    source = accept_candidate(OPERATOR, runtime, "lamp-books.example")
    assert source.start_urls == plan.start_urls
    assert "https://www.lamp-books.example/search?q=%E9%9D%92%E7%81%AF%E6%B8%A1&p=1" in source.start_urls
    assert (source.kind, source.obey_robots, source.enabled) == ("site", True, True)
    assert get_candidate(OPERATOR, runtime.stores, "lamp-books.example").source == source.name
    with pytest.raises(CandidateDecided):
        accept_candidate(OPERATOR, runtime, "lamp-books.example")
    assert len(runtime.stores.sources.all()) == 1


def test_acceptance_that_was_interrupted_is_finished(runtime, tmp_path, monkeypatch):
    load(runtime, tmp_path / "file", book_sources())
    with monkeypatch.context() as broken:
        broken.setattr(runtime.stores.candidates.__class__, "decide", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            accept_candidate(OPERATOR, runtime, "lamp-books.example")
    accept_candidate(OPERATOR, runtime, "lamp-books.example")
    assert [source.name for source in runtime.stores.sources.all()] == ["lamp-books.example"]


def test_candidate_that_two_users_accept_at_once_has_a_single_source(runtime, tmp_path, monkeypatch):
    site = "lamp-books.example"
    load(runtime, tmp_path / "file", book_sources())
    save = candidates.save_source

    def save_after_another_user(*arguments, **options):
        monkeypatch.setattr(candidates, "save_source", save)
        accept_candidate(OPERATOR, runtime, site, name="first")
        return save(*arguments, **options)

    monkeypatch.setattr(candidates, "save_source", save_after_another_user)
    with pytest.raises(CandidateDecided):
        accept_candidate(OPERATOR, runtime, site, name="second")
    assert [source.name for source in runtime.stores.sources.all()] == ["first"]
    assert get_candidate(OPERATOR, runtime.stores, site).source == "first"


def test_addresses_of_a_site_are_compared_once_in_a_file(runtime, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "_BATCH", 10)
    compared = []
    monkeypatch.setattr(merging, "key_of", lambda url: compared.append(url) or url)
    summary, _ = load(
        runtime, tmp_path / "file", b"".join(b"https://a%d.cn/%d\n" % (n % 5, n) for n in range(60))
    )
    assert summary.counts == {"new": 5, "extended": 55}
    assert len(compared) == 60


def test_rejected_candidate_stays_rejected_until_it_is_reopened(runtime, tmp_path):
    site = "lamp-books.example"
    load(runtime, tmp_path / "file", book_sources())
    reject_candidate(OPERATOR, runtime, site, reason="正版")
    again, _ = load(runtime, tmp_path / "other", book_sources() + b" ")
    assert again.counts == {"rejected": 1}
    assert count_candidates(OPERATOR, runtime.stores)["rejected"] == 1
    with pytest.raises(CandidateDecided):
        reject_candidate(OPERATOR, runtime, site)
    reopen_candidate(OPERATOR, runtime, site)
    assert get_candidate(OPERATOR, runtime.stores, site).state == "open"


def test_works_that_an_entry_names_are_evidence_and_rank(runtime, tmp_path):
    load(runtime, tmp_path / "marks", FORMS["bookmarks"])
    load(runtime, tmp_path / "books", book_sources())
    first, second = list_candidates(OPERATOR, runtime.stores).items
    assert (first.id, first.works, first.rank) == ("copy-a.example", ("青灯渡",), 1)
    assert second.rank == 0
    assert first.evidence[0].text.startswith("青灯渡")


def test_import_and_decisions_need_the_permission_for_sources(runtime, tmp_path):
    with pytest.raises(NotPermitted):
        load(runtime, tmp_path / "file", book_sources(), ANALYST)
    load(runtime, tmp_path / "file", book_sources())
    for act in (accept_candidate, reject_candidate, reopen_candidate):
        with pytest.raises(NotPermitted):
            act(ANALYST, runtime, "lamp-books.example")

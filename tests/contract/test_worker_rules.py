"""A worker that was not restarted judges by earlier thresholds; no page passes for judged by others."""

from contextlib import closing

import pytest
from support.loading import CHAPTERS, raw, stored_corpus
from support.strategies import story

from storage.records import Page
from tracker import tasks
from tracker.judgement.profiles import chosen_profiles, rules_of
from tracker.runtime import open_runtime
from tracker.scans.dispatch import dispatch_pages
from tracker.scans.scanning import start_scan

pytestmark = pytest.mark.services
STRICT = {
    "strict": {"base": "novel", "copy_coverage": 1.0, "copy_passage_coverage": 1.0, "copy_chars": 9_999}
}


@pytest.fixture
def compare_as(settings, monkeypatch):
    """A function that lets a worker with some settings compare all that waits."""

    def compare(stores, rules):
        with closing(open_runtime(settings.model_copy(update={"tracker": rules}))) as runtime:
            monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
            tasks.screening.cache_clear()
            sent = []
            dispatch_pages(stores, rules, lambda _, ids, token: sent.append((ids, token)))
            done = sum(tasks.compare_pages(ids, token)["compared"] for ids, token in sent)
            tasks.screening.cache_clear()
        return done

    return compare


def test_pages_that_a_worker_judged_by_earlier_thresholds_are_judged_again(
    stores, settings, guard, redis_client, compare_as
):
    mother = stored_corpus(stores, redis_client)
    mother.load(raw())
    mother.index_all()
    earlier = settings.tracker
    changed = earlier.model_copy(update={"profiles": STRICT, "novel_profile": "strict"})
    text = CHAPTERS[1].text[:280] + story(60, 77)
    stores.pages.see_many([Page(id="p", url="u", host="a.cn", source="x", kind="article", text=text)])
    start_scan(stores, guard, changed, sources=[], trigger="hand")  # by who changed them
    assert compare_as(stores, earlier) == 1
    verdict = stores.pages.get("p").verdict
    stores.scans._scans.update_many({}, {"$set": {"status": "finished"}})
    start_scan(stores, guard, changed, sources=[], trigger="hand")  # once more, for nothing had changed
    assert compare_as(stores, changed) == 1
    assert (verdict, stores.pages.get("p").verdict) == ("copy", "partial")
    assert not stores.versions.record_rules(rules_of(chosen_profiles(changed)))

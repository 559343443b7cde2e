"""A site with copies of a novel whose case is confirmed, to be watched; and what the watch says of it."""

from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from support.compared import compare_page
from support.corpora import corpus_of
from support.sample_novels import CHAPTERS
from support.webserver import WebSite

from analysis.watch.enrolling import follow_events
from analysis.watch.rounds import Ask, run_rounds, take
from storage.collections.stores import Stores
from storage.records import Case, Passage, Watch, Work, utc_now
from storage.settings.results import AnalysisSettings, WatchSettings
from tracker.comparison import Corpus
from tracker.judgement.cases import refresh_cases

NOVEL = "青灯渡"


def chapter(text, title="第一章 渡口", *, links=""):
    paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines() if line)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1>{paragraphs}<nav>{links}</nav></body></html>"


def load_novel(stores: Stores) -> Corpus:
    """Store the novel as a work, and return it as a corpus to compare pages with."""
    texts = CHAPTERS[NOVEL]
    ids = tuple(range(1, len(texts) + 1))
    stores.works.save(
        Work(id=1, key=NOVEL, title=NOVEL, kind="novel", origin="o", status="indexed", passage_ids=ids)
    )
    stores.passages.save_many(
        Passage(id=n, work_id=1, ordinal=n - 1, title="", text=text, sha256=f"sha{n}")
        for n, text in zip(ids, texts, strict=True)
    )
    return corpus_of({NOVEL: texts})


def compare_all(stores: Stores, corpus: Corpus, *, now: datetime | None = None) -> set[tuple[int, str]]:
    """Compare the pages that wait, and count their cases; returns the keys of these."""
    keys: set[tuple[int, str]] = set()
    while True:
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        if not ids:
            refresh_cases(stores, keys, now=now)
            return keys
        token, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        for page in pages:
            assert compare_page(page, stores, corpus, token=token, lease_s=60)
        keys |= stores.matches.keys_on_pages([page.id for page in pages])


def confirm(case: Case, stores: Stores, *, now: datetime) -> None:
    """Confirm the matches of a case at a moment, as an analyst does, and what follows for the case."""
    ids = [match.id for match in stores.matches.of_case(case.work_id, case.site)]
    stores.database["matches"].update_many({"_id": {"$in": ids}}, {"$set": {"review": "confirmed"}})
    refresh_cases(stores, [(case.work_id, case.site)], by="an", now=now)


@dataclass
class Watched:
    """A watch over a site; addresses are named by their paths."""

    site: WebSite
    stores: Stores
    corpus: Corpus
    ask: Ask
    rules: WatchSettings = field(default_factory=lambda: WatchSettings(confirm_s=0.001))

    @property
    def settings(self) -> AnalysisSettings:
        return AnalysisSettings(watch=self.rules)

    def confirm(self, now: datetime | None = None) -> Case:
        """Confirm the only case, and follow what happened."""
        (case,) = self.stores.cases.listed()
        confirm(case, self.stores, now=now or utc_now())
        follow_events(self.stores, self.rules, now=now or utc_now())
        return self.stores.cases.get(case.name)

    def look(self, *, is_due: bool = True) -> dict[str, str]:
        """Ask for all that is due, after everything became so; returns the states by path."""
        if is_due:
            self.stores.database["watches"].update_many({}, {"$set": {"due": utc_now()}})
        now = utc_now()
        rounds = take(self.stores.watches.due(now, limit=100), self.stores, self.rules, now=now)
        run_rounds(rounds, self.stores, self.settings, processes=1, ask=self.ask)
        compare_all(self.stores, self.corpus)
        return self.states()

    def rows(self) -> dict[str, Watch]:
        return {urlsplit(watch.url).path: watch for watch in self.stores.watches.listed()}

    def states(self) -> dict[str, str]:
        return {path: watch.state for path, watch in self.rows().items()}

    def history(self) -> list[str]:
        """The states that the case went through."""
        (case,) = self.stores.cases.listed()
        return [event.after for event in self.stores.events.of_case(case.number) if event.after]

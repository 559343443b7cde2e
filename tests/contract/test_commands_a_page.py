"""How many database commands the comparison of a page costs: facts for many pages are read once."""

from collections import Counter
from contextlib import closing

import pymongo.monitoring
import pytest
from support.loading import raw, stored_corpus
from support.plans import listening
from support.strategies import story

from storage.records import Page
from tracker.corpus.chapters import ChapterSection
from tracker.runtime import open_runtime
from tracker.scans.comparing import compare_reserved
from tracker.scans.dispatch import dispatch_pages
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
PAGES = 100
CHAPTERS = [ChapterSection(f"第{n}章", story(900, n)) for n in range(20)]


class Commands(pymongo.monitoring.CommandListener):
    """Counts the commands that clients send, by name and collection."""

    def __init__(self) -> None:
        self.counts = Counter[str]()

    def started(self, event: pymongo.monitoring.CommandStartedEvent) -> None:
        collection = event.command.get(event.command_name)
        self.counts[f"{event.command_name} {collection}"] += 1

    def succeeded(self, event: object) -> None:
        """Not needed."""

    def failed(self, event: object) -> None:
        """Not needed."""


@pytest.fixture
def commands():
    return Commands()


@pytest.fixture
def worker(settings, stores, redis_client, commands):
    """What a worker has, with a work in the index; its commands are counted."""
    mother = stored_corpus(stores, redis_client)
    mother.load(raw(*CHAPTERS))
    mother.index_all()
    with listening(commands):
        runtime = open_runtime(settings)
    with closing(runtime):
        yield runtime


def copied(number):
    """A text that copies another stretch of a chapter than any other page."""
    chapter = CHAPTERS[number % len(CHAPTERS)].text
    start = number // len(CHAPTERS) * 40
    return chapter[start : start + 500] + story(100, 10_000 + number)


def clean(number):
    return story(600, 20_000 + number)


def page(number, text):
    return Page(
        id=f"p{number}",
        url=f"http://site.example/{number}",
        host="site.example",
        source="a",
        kind="chapter",
        scan_id="s1",
        content_hash=f"h{number}",
        text=text,
    )


def compared(worker, commands, texts):
    """Compare new pages, as a worker does; return their verdicts and count the commands."""
    worker.stores.pages.see_many([page(name, text) for name, text in texts.items()])
    sent = []
    dispatch_pages(worker.stores, worker.settings.tracker, lambda *message: sent.append(message))
    screening = Screening(worker.stores, worker.params)
    commands.counts.clear()
    return [
        own.verdict
        for _, ids, token in sent
        for own in compare_reserved(
            ids, worker.stores, worker.corpus(), screening, token=token, lease_s=60, is_stopping=lambda: False
        )
    ]


@pytest.mark.parametrize(("text", "verdict", "most"), [(clean, "clear", 0.5), (copied, "copy", 1.0)])
def test_pages_of_a_batch_share_their_commands(worker, commands, text, verdict, most):
    verdicts = compared(worker, commands, {f"p{number}": text(number) for number in range(PAGES)})
    assert verdicts == [verdict] * PAGES
    assert commands.counts.total() <= most * PAGES, commands.counts


def test_copied_pages_need_no_command_of_their_kind(worker, commands):
    compared(worker, commands, {f"few{number}": copied(number) for number in range(10)})
    few = commands.counts.copy()
    compared(worker, commands, {f"many{number}": copied(number) for number in range(10, 50)})
    more = {name: count - few[name] for name, count in commands.counts.items() if count - few[name] > 10}
    assert more == {}

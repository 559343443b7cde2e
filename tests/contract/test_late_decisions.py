"""Decisions that analysts make during the comparison of a page count, at any step and after any kill.

A worker stores what it found in a page while an analyst decides about the same text on the same site. Both go
on by turns: the worker up to one of its commands to the database, the analyst up to one of theirs, the worker
to its end, and then the analyst. Then another worker compares what waits. In the end page and match are as if
the analyst had decided after all of it.
"""

import threading
from contextlib import closing, suppress
from dataclasses import replace

import pymongo.monitoring
import pytest
from support.plans import listening
from support.rulings import dismiss
from support.strategies import story

from storage.collections.pages import page_id
from storage.collections.standings import AS_A_WHOLE
from storage.collections.stores import open_stores
from storage.records import FREE, Page
from tracker.comparison import ComparedText, Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.review.decisions import Ruling, decide, undo
from tracker.runtime import passage_reader
from tracker.scans.pages import PageLookup, compare_stored, store_compared

pytestmark = pytest.mark.services
TEXT = story(400, 1)
NONE = Ruling(state="dismissed", reason="授权转载")
DISMISSED, COUNTED = ("compared", "clear", 0, ["dismissed"]), ("compared", "copy", 400, [""])
_ASKS = {"find", "insert", "update", "delete", "findAndModify", "aggregate", "count", "distinct"}


class Killed(BaseException):
    """As ``kill -9``: nothing catches it."""


class Halt(pymongo.monitoring.CommandListener):
    """Stops before one command of a client, until the test lets it continue or die there.

    Attributes:
        count: commands so far.
    """

    def __init__(self):
        self.count, self._at, self._dies = 0, None, False
        self._reached, self._go_on = threading.Event(), threading.Event()

    def arm(self, at, *, dies=False):
        """Stand still before the command of this number, or die there."""
        self.__init__()
        self._at, self._dies = at, dies

    def started(self, event):
        if event.command_name in _ASKS:
            if self.count == self._at:
                self._reached.set()
                if self._dies:
                    raise Killed
                assert self._go_on.wait(30)
            self.count += 1

    def succeeded(self, event):
        """Nothing is to be done."""

    def failed(self, event):
        """Nothing is to be done."""

    def await_halt(self, thread):
        """Wait until it stands still, or its thread is at its end."""
        while thread.is_alive() and not self._reached.wait(0.002):
            pass

    def go_on(self):
        self._go_on.set()


@pytest.fixture
def halts(settings, stores):  # noqa: ARG001 - its database
    """Stores of a worker and of an analyst, each with the object that makes it stop."""
    halts = []
    for _ in range(2):
        halt = Halt()
        with listening(halt):
            opened = open_stores(settings.storage)
        opened.pages.get("")  # opens the connection
        halts.append((opened, halt))
    with closing(halts[0][0]), closing(halts[1][0]):
        yield halts


@pytest.fixture
def corpus(stores, guard, save_work):
    """A work that holds ``TEXT``."""
    assert index_works([save_work(1, {1: TEXT})], stores, guard.index())
    return Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS, decisions=stores.decisions)


@pytest.fixture
def compare(stores, corpus):
    """A function that takes and compares all pages that wait; returns them with the token of their leases."""

    def compare_all():
        token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=60)
        own, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        version = stores.versions.current_and_mark()
        lookups = [PageLookup(ComparedText(page.text), None, *version) for page in pages]
        pairs = zip(pages, lookups, strict=True)
        return own, [compare_stored(page, lookup, corpus, None) for page, lookup in pairs]

    return compare_all


@pytest.fixture
def see(stores):
    """A function that stores a page of a site which waits to be compared."""

    def see_page(site, name):
        url = f"http://{site}/{name}"
        page = Page(id=page_id(url, TEXT), url=url, host=site, source="x", kind="article", text=TEXT)
        stores.pages.see_many([replace(page, content_hash=TEXT)])
        return page.id

    return see_page


def store(stores, compared, token):
    """Store the results like a worker."""
    for _ in store_compared(compared, stores, token=token, lease_s=60):
        pass


def standing(stores, name):
    """State, verdict and copied characters of a page, and the reviews of its matches."""
    page = stores.pages.get(name)
    reviews = [match.review for match in stores.matches.of_page(name)]
    return page.state, page.verdict, page.copied_chars, reviews


def dismissing(_stores, match):
    """Return the action that dismisses a match, and the final verdict of a page with its text."""
    return lambda own: dismiss(match, own, reason="授权转载"), DISMISSED


def undoing(stores, match):
    """Return the action that undoes an earlier dismissal, and the final verdict of the page."""
    (decision,) = dismiss(match, stores, reason="授权转载")
    return lambda own: undo(decision, own), COUNTED


def by_turns(*parts):
    """Run each thread in order up to its halt, and then each thread to its end."""
    threads = []
    for halt, act in parts:
        thread = threading.Thread(target=_until_killed, args=(act,), daemon=True)
        thread.start()
        halt.await_halt(thread)
        threads.append(thread)
    for (halt, _), thread in zip(parts, threads, strict=True):
        halt.go_on()
        thread.join()


def _until_killed(act):
    with suppress(Killed):
        act()


@pytest.fixture
def play(stores, halts, see, compare):
    """A function that plays one order of events on a site of its own.

    It takes what the analyst does, the worker's command before which the analyst begins, and the analyst's
    before which the worker goes on; None: not before its end. It returns how many commands each gave, what
    became of the page, and what should have.
    """
    (working, halt), (deciding, pause) = halts

    def play_one(number, action, *, worker=0, analyst=None, dies=False, is_known=False):
        site = f"s{number}.example"
        see(site, "before")
        name = see(site, "page") if is_known else ""
        token, compared = compare()
        store(stores, compared, token)
        (match,) = stores.matches.of_page(page_id(f"http://{site}/before", TEXT))
        act, wanted = action(stores, match)
        if is_known:
            again = {"state": "fetched", "corpus_version": 0}
            stores.database["pages"].update_many({"_id": name}, {"$set": again})
        name = name or see(site, "page")
        token, compared = compare()
        halt.arm(worker, dies=dies)
        pause.arm(analyst)
        by_turns((halt, lambda: store(working, compared, token)), (pause, lambda: act(deciding)))
        free = {"$set": {"lease.until": FREE.until}}  # of a killed worker, after the lease ended
        stores.database["pages"].update_many({"state": "fetched"}, free)
        token, compared = compare()
        store(stores, compared, token)
        return (halt.count, pause.count), standing(stores, name), wanted

    return play_one


BOTH = pytest.mark.parametrize(
    ("action", "is_known"), [(dismissing, True), (undoing, False)], ids=["dismissing", "undoing"]
)
ACTIONS = pytest.mark.parametrize("action", [dismissing, undoing])
KNOWN = pytest.mark.parametrize("is_known", [False, True], ids=["new", "compared-before"])


@ACTIONS
@KNOWN
def test_decision_before_any_command_of_a_worker_holds(play, action, is_known):
    """The worker continues after the analyst."""
    (commands, _), *_ = play(0, action, worker=None, is_known=is_known)
    assert commands >= 6
    for number in range(1, commands + 1):
        _, stands, wanted = play(number, action, worker=number, is_known=is_known)
        assert stands == wanted, number


def test_worker_that_stores_during_a_decision_does_not_undo_it(play):
    (_, commands), *_ = play(0, dismissing, is_known=True)
    assert commands >= 6
    for number in range(1, commands + 1):
        _, stands, wanted = play(number, dismissing, analyst=number, is_known=True)
        assert stands == wanted, number


@BOTH
def test_decision_holds_though_the_worker_is_killed_before_any_command(play, action, is_known):
    (commands, _), *_ = play(0, action, worker=None, is_known=is_known)
    for number in range(1, commands + 1):
        _, stands, wanted = play(number, action, worker=number, dies=True, is_known=is_known)
        assert stands == wanted, number


def test_page_with_a_late_decision_is_judged_again_by_the_next_scan(stores, see, compare):
    """Its verdict was judged by its matches alone."""
    see("s.example", "before")
    token, compared = compare()
    store(stores, compared, token)
    late, other = see("s.example", "page"), see("another.example", "page")
    token, compared = compare()
    (match,) = stores.matches.of_page(page_id("http://s.example/before", TEXT))
    dismiss(match, stores, reason="授权转载")
    store(stores, compared, token)
    assert standing(stores, late) == DISMISSED
    assert standing(stores, other) == COUNTED
    assert stores.pages.get(late).corpus_version == AS_A_WHOLE
    assert stores.pages.get(other).corpus_version == stores.versions.current()


@pytest.mark.long
@pytest.mark.timeout(3600)
@BOTH
def test_decision_and_a_worker_hold_in_every_order_of_two_turns(play, action, is_known):
    (commands, others), *_ = play(0, action, worker=None, is_known=is_known)
    orders = [(worker, analyst) for worker in range(commands) for analyst in range(others)]
    for number, (worker, analyst) in enumerate(orders, start=1):
        _, stands, wanted = play(number, action, worker=worker, analyst=analyst, is_known=is_known)
        assert stands == wanted, (worker, analyst)


def test_concurrent_decisions_about_stretches_of_a_text_both_hold(stores, halts, see, compare):
    """One of the two stops before any command while the other decides."""
    (one, halt), (other, pause) = halts
    number, commands = 0, 1
    while number <= commands:
        site = f"s{number}.example"
        name = see(site, "page")
        token, compared = compare()
        store(stores, compared, token)
        (match,) = stores.matches.of_page(name)
        halt.arm(number or None)
        pause.arm(None)
        by_turns(
            (halt, lambda own=match: decide([own], one, ruling=NONE, marked=[(0, 200)])),
            (pause, lambda own=match: decide([own], other, ruling=NONE, marked=[(200, 400)])),
        )
        assert standing(stores, name) == DISMISSED, number
        number, commands = number + 1, max(commands, halt.count)
    assert commands >= 6

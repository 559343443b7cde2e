"""Actions of people on cases: permissions, limits, the audit log, and two people at one case."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from support.two_holders import LAMP, NOON, RIVER, fill
from support.two_works import TEXTS
from support.watched import compare_all

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions import cases as acts
from analysis.actions import notices
from analysis.cases.actions import NotClosed, NoWords
from analysis.cases.moves import NotAllowed
from analysis.notices.gathering import NoticeRequest
from analysis.queries.notices import LetterScope
from storage.collections.cases import CaseMoved
from storage.collections.pages import page_id
from storage.records import Account, Page
from system.errors import UnknownId
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
OTHER = identity_of(Account(name="bo", role="analyst"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))
OPERATOR = identity_of(Account(name="op", role="operator"))
ACTS = {
    "confirm": lambda who, runtime, name: acts.decide_open(who, runtime, name, state="confirmed"),
    "move": lambda who, runtime, name: acts.move(who, runtime, name, to="closed", reason="x"),
    "assign": lambda who, runtime, name: acts.assign(who, runtime, name, to="bo"),
    "deadline": lambda who, runtime, name: acts.set_deadline(who, runtime, name, deadline=NOON),
    "note": lambda who, runtime, name: acts.note(who, runtime, name, text="x"),
    "notify": acts.notify,
    "reply": lambda who, runtime, name: acts.reply(who, runtime, name, text="x"),
    "close": lambda who, runtime, name: acts.close(who, runtime, name, reason="x"),
    "reopen": acts.reopen,
    "notice": lambda who, runtime, name: notices.preview(
        who, runtime, LetterScope(cases=(name,)), NoticeRequest()
    ),
    "draft": lambda who, runtime, name: notices.make(
        who, runtime, LetterScope(cases=(name,)), NoticeRequest(), is_draft=True
    ),
}


@pytest.fixture
def runtime(stores, settings, redis_client, guard):
    fill(stores)
    own = Runtime(settings, stores, redis_client, guard, Queue(settings.storage))
    yield own
    own.queue.close()


@pytest.fixture
def compared(runtime, works):
    """The name of a case whose match comes from a real comparison; other cases exist too."""
    url = "http://three.cn/1.html"
    page = Page(
        id=page_id(url, "h"),
        url=url,
        host="three.cn",
        source="x",
        kind="article",
        text=TEXTS[4],
        content_hash="h",
    )
    work = runtime.stores.works.get_many([2])[2]
    runtime.stores.works.describe(work, replace(work, holder=RIVER))
    runtime.stores.pages.see_many([page])
    compare_all(runtime.stores, runtime.corpus())
    assert works
    return runtime.stores.cases.get("2@three.cn").name


def audit(stores):
    return list(stores.events.of_case(0))


@pytest.mark.parametrize("act", ACTS)
def test_case_action_needs_a_permission_and_an_existing_case(runtime, act):
    events = runtime.stores.events
    before = runtime.stores.cases.get("c1"), events.last_number()
    for identity in (HOLDER, OPERATOR):
        with pytest.raises(NotPermitted):
            ACTS[act](identity, runtime, "c1")
    with pytest.raises(UnknownId):
        ACTS[act](ANALYST, runtime, "c99")
    assert (runtime.stores.cases.get("c1"), events.last_number()) == before


def test_audit_log_records_the_actor_and_values_before_and_after(runtime):
    acts.assign(ANALYST, runtime, "c2", to=" bo ")
    acts.set_deadline(OTHER, runtime, "c2", deadline=NOON + timedelta(days=3))
    acts.move(ANALYST, runtime, "c2", to="closed", reason="误报")
    assigned, dated, closed = audit(runtime.stores)
    assert [own.subject for own in (assigned, dated, closed)] == ["case c2"] * 3
    assert [own.by for own in (assigned, dated, closed)] == ["an", "bo", "an"]
    assert json.loads(assigned.detail["before"]) == {"assignee": ""}
    assert json.loads(assigned.detail["after"]) == {"assignee": "bo"}
    assert json.loads(dated.detail["before"]) == {"deadline": None}
    assert json.loads(closed.detail["before"])["state"] == "new"
    assert json.loads(closed.detail["after"])["state"] == "closed"
    assert closed.at >= assigned.at


def test_action_on_an_outdated_case_reports_the_change(runtime):
    seen = runtime.stores.cases.get("c1").moves
    acts.assign(OTHER, runtime, "c1", to="bo", expected_version=seen)
    with pytest.raises(CaseMoved) as told:
        acts.move(ANALYST, runtime, "c1", to="closed", reason="x", expected_version=seen)
    assert told.value.data == {"name": "c1", "by": "bo", "kind": "assigned"}
    assert runtime.stores.cases.get("c1").state == "new"
    assert len(audit(runtime.stores)) == 1
    acts.move(ANALYST, runtime, "c1", to="closed", reason="x", expected_version=seen + 1)
    assert acts.reopen(ANALYST, runtime, "c1").state == "new"
    with pytest.raises(NotClosed):
        acts.reopen(ANALYST, runtime, "c1")


def test_case_state_is_reached_by_its_action(runtime, compared):
    with pytest.raises(NoWords):
        acts.move(ANALYST, runtime, compared, to="closed", reason=" ")
    with pytest.raises(NotAllowed):
        acts.move(ANALYST, runtime, compared, to="notified")
    confirmed = acts.move(ANALYST, runtime, compared, to="confirmed")
    assert confirmed.state == "confirmed"
    (match,) = runtime.stores.matches.of_case(2, "three.cn")
    assert match.review == "confirmed"  # the decision was about the matches
    with pytest.raises(NotAllowed):
        acts.move(ANALYST, runtime, compared, to="new", reason="x")
    assert acts.move(ANALYST, runtime, compared, to="notified").state == "notified"
    assert acts.move(ANALYST, runtime, compared, to="refused", reason="不删").state == "refused"
    for state in ("still_up", "removed", "back"):
        with pytest.raises(NoWords):
            acts.move(ANALYST, runtime, compared, to=state)
    assert acts.move(ANALYST, runtime, compared, to="removed", reason="自己看过").state == "removed"


def test_notice_is_previewed_before_it_is_made_and_sent_by_its_name(runtime, compared):
    acts.move(ANALYST, runtime, compared, to="confirmed")
    preview = notices.preview(ANALYST, runtime, LetterScope(cases=(compared,)), NoticeRequest())
    assert preview.missing
    assert len(preview.facts.infringements) == 1
    assert "书2" in preview.letter.text()
    assert list(runtime.stores.notices.listed()) == []
    folder = runtime.settings.storage.data_dir / "notices"
    rules = runtime.settings.analysis.notices.model_copy(update={"folder": folder})
    analysis = runtime.settings.analysis.model_copy(update={"notices": rules})
    settings = runtime.settings.model_copy(update={"analysis": analysis})
    own = Runtime(settings, runtime.stores, runtime.redis, runtime.guard, runtime.queue)
    made = notices.make(ANALYST, own, LetterScope(cases=(compared,)), NoticeRequest(), is_draft=True)
    with pytest.raises(notices.NotConfirmedByName):
        notices.send(ANALYST, own, made.notice.name, confirm="")
    assert runtime.stores.notices.get(made.notice.name).state == "made"
    with pytest.raises(NotPermitted):
        notices.send(HOLDER, own, made.notice.name, confirm=made.notice.name)

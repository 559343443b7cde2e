"""How a run waits for its end: nothing may be on its way then, and everything that came is in the history."""

import json
from contextlib import closing
from itertools import combinations_with_replacement

import pytest
import requests
from support.history.actors import Stage
from support.history.installation import Installation
from support.history.nemesis import Nemesis
from support.history.reading import WAITING
from support.history.recording import Recorder
from support.history.waiting import Waiting
from support.history.world import make_world
from support.letters import mail_server
from support.receivers import http_receiver

from storage.collections.outbox import delivery_id, mailing_id
from storage.records import Delivery, Event, Gap, Mailing, NumberMark, Occasion, utc_now
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
BODY = {"events": [{"kind": "new-copy", "work": {"title": "书00"}, "site": "a.cn", "url": "a.cn/1"}]}
STEPS = 3  # read the event, pack its delivery, send its mailing


@pytest.fixture
def installation(settings, tmp_path):
    """Return an installation without processes: this test sends what they would send."""
    recorder = Recorder(tmp_path / "history.jsonl")
    with (
        http_receiver() as receiver,
        mail_server() as (inbox, rules),
        closing(open_runtime(settings)) as runtime,
    ):
        yield Installation(
            world=make_world(1, sites=1),
            stage=Stage(None, settings, {}, tmp_path, recorder),
            runtime=runtime,
            sites={},
            names={},
            receiver=receiver,
            inbox=inbox,
            smtp_port=rules.smtp_port,
            nemesis=Nemesis(None, {}, recorder),
        )


def test_alert_that_arrives_while_a_condition_is_checked_is_recorded(installation):
    def arrives():
        headers = {"webhook-id": "m1"}
        return requests.post(installation.receiver.url, json.dumps(BODY), headers=headers, timeout=10)

    Waiting(installation).until(arrives, "an alert")
    (alert,) = installation.stage.recorder.events
    assert (alert["event"], alert["mailing"]) == ("alerted", "m1")


class Alert:
    """An alert on its way from an event to an addressee, a step at a time."""

    def __init__(self, stores, number):
        self._stores, self._steps = stores, iter((self._read, self._pack, self._send))
        self._event = Event(id=f"e{number}", case=1, kind="joined", at=utc_now(), by="-", subject="m1")
        stores.events.add_many([self._event])
        self.arrived = False

    def move(self):
        """Take the next step."""
        next(self._steps)()

    def _read(self):
        now = utc_now()
        occasion = Occasion(id=self._event.id, kind="new-copy", at=now)
        key = delivery_id(occasion.id, "ops")
        delivery = Delivery(id=key, addressee="ops", cadence="at-once", due=now, occasion=occasion)
        self._stores.outbox.add([delivery])
        self._stores.outbox.set_mark(NumberMark(id="events", reached=self._stores.events.last_number()))
        self._mailing = Mailing(
            id=mailing_id("ops", [key]),
            addressee="ops",
            cadence="at-once",
            deliveries=(key,),
            made=now,
            since=now,
            due=now,
        )

    def _pack(self):
        self._stores.outbox.pack(self._mailing)

    def _send(self):
        self._stores.outbox.record_sent(self._mailing, at=utc_now(), answer="")
        self.arrived = True


def test_nothing_waits_only_after_an_alert_has_arrived(stores):
    moments = list(combinations_with_replacement(range(len(WAITING) + 1), STEPS))
    for number, steps in enumerate(moments):  # each step comes before the count of this number
        alert, waits = Alert(stores, number), False
        for place, count in enumerate(WAITING.values()):
            for _ in range(steps.count(place)):
                alert.move()
            waits |= bool(count(stores))
        assert waits or alert.arrived, steps
        for _ in range(steps.count(len(WAITING))):
            alert.move()
        assert not any(count(stores) for count in WAITING.values())


def test_late_event_in_a_gap_waits(stores):
    Alert(stores, 1)
    gap = Gap(first=1, last=1, since=utc_now())
    stores.outbox.set_mark(NumberMark(id="events", reached=1, gaps=(gap,)))
    assert WAITING["events"](stores) == 1
    stores.outbox.set_mark(NumberMark(id="events", reached=1))
    assert WAITING["events"](stores) == 0

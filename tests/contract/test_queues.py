"""Queues: each task has one, a worker takes from them in turn, and from the one of earlier versions too."""

from contextlib import closing

import pytest
from kombu import Connection

import analysis.actions.tasks  # noqa: F401 - its tasks register themselves
from storage.servers.redis_client import open_redis
from tracker import celeryconfig
from tracker.queue import Queue
from tracker.queues import EARLIER, QUEUES, ROUTES
from tracker.tasks import app

pytestmark = pytest.mark.services


def test_every_task_has_a_queue_and_every_queue_a_task():
    ours = {name for name in app.tasks if name.startswith(("tracker.", "analysis."))}
    assert ours == set(ROUTES)
    assert set(ROUTES.values()) == set(QUEUES)
    assert {entry["task"] for entry in celeryconfig.beat_schedule.values()} <= ours


def test_worker_without_options_takes_from_all_queues():
    assert set(app.amqp.queues.consume_from) == {*QUEUES, EARLIER}


def test_message_waits_in_the_queue_of_its_task(settings):
    with closing(Queue(settings.storage)) as queue, closing(open_redis(settings.storage)) as client:
        queue.send("compare_pages", ["p1"], "t")
        queue.send("crawl_sources", ["s:a"], "t")
        queue.send_again("tick")
        assert [client.llen(name) for name in (*QUEUES, EARLIER)] == [1, 1, 0, 0, 0, 1, 0]


def test_no_queue_keeps_another_waiting(settings):
    """Kombu's default alternates between the queues of a worker; strict order would empty one first."""
    with closing(Queue(settings.storage)) as queue:
        for number in range(4):
            queue.send("crawl_sources", [f"s:{number}"], "t")
            queue.send("compare_pages", [f"p{number}"], "t")
    order = []
    options = celeryconfig.broker_transport_options
    url = settings.storage.redis_url.get_secret_value()
    with Connection(url, transport_options=options) as connection:
        taken = [app.amqp.queues["crawl"], app.amqp.queues["compare"]]

        def take(_, message):
            order.append(message.delivery_info["routing_key"])
            message.ack()

        with connection.Consumer(taken, callbacks=[take], accept=["json"]):
            for _ in range(8):
                connection.drain_events(timeout=5)
    assert order in (["crawl", "compare"] * 4, ["compare", "crawl"] * 4)

"""What a real worker writes: a line a batch, an outage of its servers in a line each, and its own name."""

import os
import re
import signal
from contextlib import closing

import pytest
from pydantic import SecretStr
from support.processes import environment_of, worker
from support.waiting import wait_until
from support.wrong_servers import free_port, redis_process

from analysis.health.services import Workers, worker_findings
from analysis.words.i18n import translator
from deploy.demo.samples import SAMPLES
from storage.servers.redis_client import ping
from tracker.queue import Queue

NOVEL = SAMPLES / "novels" / "青灯渡.txt"


@pytest.mark.timeout(400)
def test_redis_outage_is_a_log_line_and_its_end_another(settings, tmp_path):
    port, log = free_port(), tmp_path / "worker.log"
    storage = settings.storage.model_copy(update={"redis_url": SecretStr(f"redis://127.0.0.1:{port}/0")})
    environment = environment_of(settings.model_copy(update={"storage": storage}))
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "2"

    def told(word):
        return log.exists() and word in log.read_text()

    with redis_process(tmp_path, port=port):
        ping(storage)
        running = worker(environment, log)
        process = running.__enter__()
        wait_until(lambda: told(" ready."), tell=log.read_text)
    try:  # Redis was killed
        wait_until(lambda: told("Redis is away"), tell=log.read_text)
        with redis_process(tmp_path, port=port):
            wait_until(lambda: told("Redis is back after "), tell=log.read_text)
            text = log.read_text()
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    finally:
        running.__exit__(None, None, None)
    assert text.count("Redis is away; work goes on when it is back. ") == 1
    assert len(re.findall(r"Redis is back after \d+ s, \d+ attempts", text)) == 1
    assert "Traceback" not in text
    assert "Cannot connect" not in text
    assert "DeprecationWarning" not in text


@pytest.mark.long
def test_mongodb_outage_is_a_single_log_line_whatever_tasks_fail(settings, tmp_path):
    log = tmp_path / "worker.log"
    environment = environment_of(settings)
    environment["PINDNA_STORAGE__MONGO_URL"] = f"mongodb://127.0.0.1:{free_port()}"
    environment["PINDNA_STORAGE__TIMEOUT_S"] = "0.5"
    with worker(environment, log) as process, closing(Queue(settings.storage)) as queue:
        for _ in range(6):
            queue.send_again("tick")
        wait_until(lambda: "MongoDB is away" in log.read_text(), tell=log.read_text)
        process.send_signal(signal.SIGTERM)  # what it has begun is done first
        process.wait(60)
    text = log.read_text()
    assert text.count("MongoDB is away; work goes on when it is back. Nothing listens at 127.0.0.1:") == 1
    assert "Traceback" not in text
    assert "Topology" not in text


def test_batch_is_a_single_log_line_and_a_message_has_no_line(settings, pindna, tmp_path):
    log = tmp_path / "worker.log"
    with worker(environment_of(settings), log):
        pindna("corpus", "add", NOVEL)
        text = log.read_text()
    assert len(re.findall(r"works indexed: 1 of 1, \d+ characters, \d+\.\d s", text)) == 1
    assert "succeeded in" not in text
    assert "received" not in text


@pytest.mark.long
def test_two_workers_on_a_machine_have_two_names_and_their_queues(settings, tmp_path):
    environment = environment_of(settings)
    with (
        worker(environment, tmp_path / "a.log", "-Q", "crawl,scan"),
        worker(environment, tmp_path / "b.log", "-Q", "compare"),
        closing(Queue(settings.storage)) as queue,
    ):
        wait_until(lambda: len(set(queue.workers(timeout_s=2))) == 2)
        names = set(queue.workers(timeout_s=2))
        answered = Workers(queue)
        wait_until(lambda: len(queue.states(timeout_s=2)) == 2)
        told = [finding.text for finding in worker_findings(answered, translator("en"))]
    assert {state.queues for state in answered.states().values()} == {
        frozenset({"crawl", "scan"}),
        frozenset({"compare"}),
    }
    assert told[1] == (
        "no worker serves the queues index, watch, report; "
        "start one with `celery -A tracker worker -Q index,watch,report`, or without -Q"
    )
    assert {name.partition("@")[2] for name in names} == {os.uname().nodename}

"""Lines of JSON: ids of what is worked on, bounded, without page text and secrets."""

import json
import logging
import re

import pytest
from celery.app.trace import LOG_FAILURE

from system.errors import IndexBusy
from system.log_lines import JsonLineFormatter, TextLineFormatter, log_ids

TEXT = "第一章 雨夜渡口" * 400


def line(message, *args, error=None, logger="tracker.tasks"):
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord(logger, logging.INFO, "f.py", 1, message, args, exc_info)
    written = JsonLineFormatter("worker").format(record)
    assert written.isascii()
    assert "\n" not in written
    return json.loads(written)


def test_line_contains_the_current_ids():
    with log_ids(task="compare_pages", task_id="t1"):
        with log_ids(scan="s1", source=["b", "a", "b"], page=""):
            logged = line("pages compared: %d", 3)
        assert "scan" not in line("later")
    assert logged["message"] == "pages compared: 3"
    assert {name: logged[name] for name in ("program", "level", "task", "task_id", "scan", "source")} == {
        "program": "worker",
        "level": "info",
        "task": "compare_pages",
        "task_id": "t1",
        "scan": "s1",
        "source": ["a", "b"],
    }
    assert "page" not in logged
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", logged["time"])
    assert "task" not in line("after")


def test_exception_is_logged_with_its_stack_but_not_its_message():
    def broken(depth):
        if depth:
            broken(depth - 1)
        raise ValueError(TEXT)

    with pytest.raises(ValueError, match="第一章") as raised:
        broken(50)
    logged = line("page p1 could not be compared", error=raised.value)
    assert re.fullmatch(r"ValueError in test_log_lines\.py:\d+", logged["error"])
    assert len(logged["trace"]) == 20
    assert logged["trace"][-1].endswith(" broken")
    assert "第一章" not in json.dumps(logged, ensure_ascii=False)


def test_celery_quotes_no_exception_in_a_line():
    """Celery's text quotes the exception's representation as well as the exception."""
    error = ValueError(TEXT)
    context = {"id": "t1", "name": "tick", "description": "raised unexpected", "exc": repr(error)}
    for message, args in (
        (LOG_FAILURE, (context,)),
        ("Task %s: on_success handler raised: %r", ("t1", error)),
    ):
        logged = line(message, *args, error=error, logger="celery.app.trace")
        assert "第" not in json.dumps(logged, ensure_ascii=False)
        assert "t1" in logged["message"]
        assert "ValueError in " in logged["message"]
    assert line("%s", IndexBusy())["message"] == str(IndexBusy())


def test_lines_are_bounded_and_several_ids_are_few():
    with log_ids(source=[f"{number}" * 500 for number in range(1, 9)], scan="s" * 999):
        logged = line("%s\x1b[2J\n", TEXT)
    assert len(logged["message"]) == 1000
    assert [len(source) for source in logged["source"]] == [200] * 5
    assert len(logged["scan"]) == 200
    assert len(json.dumps(logged)) < 10_000


def test_truncated_message_is_marked():
    assert line("灯" * 1000)["message"] == "灯" * 1000
    assert line("灯" * 1001)["message"] == "灯" * 999 + "…"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("mongodb://me:pass-word@10.0.0.1:27017/x", "mongodb://***@10.0.0.1:27017/x"),
        (
            "Cannot reach redis://:p%40ss@a:1 or http://b/c?d=e@f",
            "Cannot reach redis://***@a:1 or http://b/c?d=e@f",
        ),
        ("token pindna_abcdefghijklmnopqrstuvwxyz012345", "token pindna_***"),
        ("queue pindna_works", "queue pindna_works"),
    ],
)
def test_secrets_are_masked(said, written):
    assert line(said)["message"] == written


def test_text_line_has_its_time_and_no_line_break():
    with pytest.raises(ValueError, match=TEXT[:9]) as caught:
        int(TEXT)
    exc_info = (caught.type, caught.value, caught.tb)
    record = logging.LogRecord(
        "analysis.console", logging.WARNING, "f.py", 1, "mongodb://u:p@h\x1b[2J\nis away", (), exc_info
    )
    with log_ids(scan="s1"):
        written = TextLineFormatter().format(record)
    assert re.match(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d WARNING analysis\.console: ", written
    )
    assert "mongodb://***@h\\x1b[2J\\nis away scan=s1 ValueError in test_log_lines.py:" in written
    assert written.isprintable()
    assert TEXT[:9] not in written

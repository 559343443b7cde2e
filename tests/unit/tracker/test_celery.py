"""The lines of a worker's log."""

import logging
import re

from celery.utils.log import ColorFormatter

import tracker.celery


def test_line_of_the_log_names_the_zone_of_its_time():
    assert tracker.celery.app.main == "pindna"
    formatter = ColorFormatter("[%(asctime)s] %(message)s", use_color=False)
    record = logging.LogRecord("tracker", logging.INFO, "", 1, "compared", None, None)
    assert re.fullmatch(r"\[[-\d]{10} [:\d]{8} [+-]\d{4}\] compared", formatter.format(record))

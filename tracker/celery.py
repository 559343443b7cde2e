"""The Celery application: ``celery -A tracker worker`` and ``celery -A tracker beat``."""

import logging

from celery import Celery
from celery.signals import celeryd_init

from pindna import require_own_packages

require_own_packages()  # must run before anything is imported from these packages

from tracker import worker_log  # noqa: E402 - see above
from tracker.queues import require_known_queues  # noqa: E402 - the same

# Celery's settings define the log format but not the format of times, which lacks the zone.
logging.Formatter.default_time_format = "%Y-%m-%d %H:%M:%S %z"
logging.Formatter.default_msec_format = None

app = Celery("pindna")
app.config_from_object("tracker.celeryconfig")
celeryd_init.connect(require_known_queues, weak=False)
worker_log.install()

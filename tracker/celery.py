"""The Celery application: ``celery -A tracker worker`` and ``celery -A tracker beat``."""

from celery import Celery

app = Celery("pindna")
app.config_from_object("tracker.celeryconfig")

"""Celery's settings. Celery imports this module when it needs them, so importing ``tracker`` reads nothing.

Messages are JSON with ids and short strings, never objects. Delivery is at most once. The lease of a record
(:mod:`storage.collections.leases`) recovers the work of a killed worker or a lost message.
"""

from celery.schedules import crontab

from storage.settings import load_settings
from system.errors import BadSettings
from tracker.queues import EARLIER, QUEUES, ROUTES

try:
    _settings = load_settings()
except BadSettings as error:  # otherwise Celery's programs would print a traceback
    raise SystemExit(str(error)) from error
_redis_url = _settings.storage.redis_url
_daily = crontab.from_string(_settings.tracker.scan_schedule)

accept_content = ["json"]
beat_schedule = {
    "alerts": {"task": "analysis.tasks.tell_alerts", "schedule": 60.0},
    "daily-scan": {"task": "tracker.tasks.daily_scan", "schedule": _daily},
    "keep-compact": {"task": "tracker.tasks.keep_compact", "schedule": 300.0},
    "log-evidence": {"task": "analysis.tasks.log_evidence", "schedule": 20.0},
    "notices": {"task": "analysis.tasks.follow_notices", "schedule": 300.0},
    "scan-by-hours": {"task": "tracker.tasks.scan_by_hours", "schedule": 60.0},
    "sign-evidence": {"task": "analysis.tasks.sign_evidence", "schedule": 600.0},
    "tick": {"task": "tracker.tasks.tick", "schedule": 5.0},
    "watch-due": {"task": "analysis.tasks.watch_due", "schedule": 300.0},
}
beat_scheduler = "tracker.beat_scheduler:Scheduler"
broker_channel_error_retry = True  # a worker survives an error reply, for example of a full disk
broker_connection_max_retries = None  # a worker never stops trying to reach its broker
broker_connection_retry_on_startup = True
broker_url = _redis_url.get_secret_value() if _redis_url else "redis://127.0.0.1:6379/0"
broker_transport_options = {
    "ack_emulation": False,  # leases replace it; on a full disk its writes would fail and lose the message
    "priority_steps": [0],  # queues instead of priorities
    "queue_order_strategy": "round_robin",
    "socket_timeout": _settings.storage.timeout_s,
}
enable_utc = True
imports = ["tracker.beat_signals", "tracker.tasks", "tracker.worker_state", "analysis.actions.tasks"]
result_serializer = "json"
task_default_queue = EARLIER
task_ignore_result = True
task_queues = {name: {"exchange": name, "routing_key": name} for name in (*QUEUES, EARLIER)}
task_routes = {task: {"queue": name} for task, name in ROUTES.items()}
task_serializer = "json"
timezone = _settings.tracker.timezone
# affects only tasks with late acknowledgement; pindna has none
worker_cancel_long_running_tasks_on_connection_loss = True
worker_concurrency = _settings.tracker.worker_processes
worker_consumer = "tracker.broker:Consumer"  # waits while Redis refuses writes
worker_disable_prefetch = True  # otherwise a busy process reserves messages that a free machine could handle
worker_hijack_root_logger = False
worker_prefetch_multiplier = 1

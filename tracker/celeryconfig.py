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
except BadSettings as error:  # else Celery's programs would print a traceback
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
broker_channel_error_retry = True  # an error reply, such as that of a full disk, ends no worker
broker_connection_max_retries = None  # a worker outlives any outage of its broker
broker_connection_retry_on_startup = True
broker_url = _redis_url.get_secret_value() if _redis_url else "redis://127.0.0.1:6379/0"
broker_transport_options = {
    "ack_emulation": False,  # leases do it; on a full disk its writes fail, and lose the message
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
worker_cancel_long_running_tasks_on_connection_loss = True  # of late acknowledgement, which none has
worker_concurrency = _settings.tracker.worker_processes
worker_consumer = "tracker.broker:Consumer"  # waits while Redis takes no writes
worker_disable_prefetch = True  # a message waits for no busy process while another machine has a free one
worker_hijack_root_logger = False
worker_prefetch_multiplier = 1

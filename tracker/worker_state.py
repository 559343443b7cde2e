"""The state that a worker reports on request: its version, its clock and its queues."""

from typing import Any

from celery.worker.control import inspect_command

from storage.records import utc_now
from system.version import VERSION
from tracker.queues import STATE_COMMAND


@inspect_command(name=STATE_COMMAND)
def _report_state(state: Any, **_: object) -> dict[str, object]:
    """Return the version, the present time and the names of the worker's queues."""
    consumer = getattr(state.consumer, "task_consumer", None)
    queues = [queue.name for queue in consumer.queues] if consumer else []
    return {"version": VERSION, "time": utc_now().isoformat(), "queues": queues}

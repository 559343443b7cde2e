"""The embedded services: Redis, a MongoDB-protocol server and Celery as own processes, one command each.

``with embedded_stack(data_dir, worker=True) as stack:`` makes them run and hands out two URLs; other code
cannot tell them from servers elsewhere. Commands that use one data folder at the same time share one set of
services; the last one to leave stops them.
"""

from deploy.stack.embedded import EmbeddedStack, ServiceStatus, embedded_stack, status_of

__all__ = ["EmbeddedStack", "ServiceStatus", "embedded_stack", "status_of"]

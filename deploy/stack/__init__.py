"""The embedded services: Redis, a MongoDB-protocol server and Celery as processes, one command each.

``with embedded_stack(data_dir, worker=True) as stack:`` starts them and yields two URLs; other code cannot
distinguish them from servers elsewhere. Commands that use one data folder at the same time share the
services; the last one stops them.
"""

from deploy.stack.embedded import EmbeddedStack, ServiceStatus, embedded_stack, status_of

__all__ = ["EmbeddedStack", "ServiceStatus", "embedded_stack", "status_of"]

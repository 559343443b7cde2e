"""The embedded services: Redis, a server with MongoDB's protocol, and Celery, each as a process.

``with embedded_stack(data_dir, worker=True) as stack:`` starts them and sets two URLs; other code cannot
distinguish them from servers elsewhere. Commands that use one data folder at the same time share the
services; the last command stops them.
"""

from deploy.stack.embedded import (
    EmbeddedStack,
    ServiceStatus,
    embedded_stack,
    running_settings,
    status_of,
)

__all__ = ["EmbeddedStack", "ServiceStatus", "embedded_stack", "running_settings", "status_of"]

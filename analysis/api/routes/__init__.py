"""The paths of ``/api/v1``, one module a kind of record."""

"""The paths of ``/api/v1``, with one module for each kind of record."""

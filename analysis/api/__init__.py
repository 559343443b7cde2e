"""The REST API ``/api/v1``, on the stores and libraries that the command line uses."""

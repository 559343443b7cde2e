"""Unpacking archives of the tests on every Python."""

import tarfile


def extract_all(archive, folder):
    """Unpack a tar archive that the tests made; Python before 3.11.4 has no filters."""
    safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    archive.extractall(folder, **safe)  # noqa: S202 - an archive of the tests

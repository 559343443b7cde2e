"""Unpacking archives of the tests on every Python."""

import tarfile


def unpack(archive, folder):
    """Unpack a tar archive of ours; Python before 3.11.4 has no filters."""
    archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))

"""A disk that is slow for some processes: the kernel lets them write so many times a second.

Control groups do it, of version 2 (``io.max``) or 1 (``blkio``), for root, and for file systems that have a
whole disk.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

_ROOT = Path("/sys/fs/cgroup")


@contextmanager
def slow_disk(processes: Sequence[psutil.Process], folder: Path, *, writes_per_s: int) -> Iterator[None]:
    """Let processes write seldom to the disk of a folder while the block runs.

    Raises:
        OSError: the kernel, or who runs this, cannot.
    """
    is_unified = (_ROOT / "cgroup.controllers").exists()
    parent = _ROOT if is_unified else _ROOT / "blkio"
    group = parent / f"slow-{os.getpid()}"
    group.mkdir()
    try:
        device = folder.stat().st_dev
        number = f"{os.major(device)}:{os.minor(device)}"
        if is_unified:
            (group / "io.max").write_text(f"{number} wiops={writes_per_s}")
        else:
            (group / "blkio.throttle.write_iops_device").write_text(f"{number} {writes_per_s}")
        for process in processes:
            (group / "cgroup.procs").write_text(str(process.pid))
        yield
    finally:
        for process in processes:
            if process.is_running():
                (parent / "cgroup.procs").write_text(str(process.pid))
        group.rmdir()

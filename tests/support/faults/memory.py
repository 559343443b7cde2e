"""The memory of this process, from the kernel's own account of it.

``resource.getrusage`` will not do: a program that another one started reports the memory of that one, as far
as it was larger when it started it.
"""

from pathlib import Path
from typing import Literal


def own_memory(field: Literal["VmHWM", "VmRSS"]) -> float:
    """Return this process's resident memory in megabytes: its peak (``VmHWM``) or as it is now."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024

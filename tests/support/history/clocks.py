"""Clocks of machines: by a file, the processes of one read the time ahead of everybody, or behind."""

import mmap
import shutil
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")
_AHEAD = struct.Struct("q")  # seconds


def compile_clock(folder: Path) -> Path | None:
    """Compile in a folder what processes load to have another clock; None where that cannot be done."""
    if (compiler := shutil.which("cc")) is None:
        return None
    library = folder / "clock.so"
    command = [compiler, "-shared", "-fPIC", "-O2", "-o", library, _SOURCE]
    return None if subprocess.run(command, capture_output=True, check=False).returncode else library


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one machine.

    Attributes:
        path: the file with what it is ahead by.
        library: see :func:`compile_clock`.
    """

    path: Path
    library: Path

    def set(self, ahead_s: int) -> None:
        """Let the machine's clock be ahead by some seconds from now on, or behind."""
        if not self.path.exists():
            self.path.write_bytes(_AHEAD.pack(ahead_s))
        with self.path.open("r+b") as file, mmap.mmap(file.fileno(), _AHEAD.size) as shown:
            _AHEAD.pack_into(shown, 0, ahead_s)  # at once, in the eyes of every process

    @property
    def environment(self) -> Mapping[str, str]:
        """What lets a process and its children read this clock."""
        return {"LD_PRELOAD": str(self.library), "TESTS_CLOCK": str(self.path)}

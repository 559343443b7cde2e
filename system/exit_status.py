"""Exit statuses of every command; docs/exit-statuses.md repeats this table.

For the reasons, see docs/decisions/0046-exit-statuses.md.
"""

from enum import IntEnum
from typing import Self


class ExitStatus(IntEnum):
    """Exit status of ``pindna`` or of a process that it starts, with its meaning in one line."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Create a status from its number and its meaning."""
        status = int.__new__(cls, value)
        status._value_ = value
        status.meaning = meaning
        return status

    DONE = 0, "finished, and nothing was found"
    FOUND = 1, "the command found what it searches for; a verification found a missing or altered item"
    UNUSABLE = 2, "wrong usage, a wrong setting, or no usable input"
    DOWN = 3, "a service or a worker is down, or a disk is full"
    PARTLY = (
        4,
        "finished in part: something was not read or not fully compared, and nothing was found in the rest",
    )
    BUG = 70, "pindna failed unexpectedly; the last line of the output gives the file with the details"
    INTERRUPTED = 130, "interrupted by Ctrl-C; stored data is kept"
    READER_GONE = 141, "the program that read the output ended early"

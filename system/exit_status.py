"""How every command ends: the one table of exit statuses, which docs/commands.md repeats.

Why each is what it is: docs/decisions/0046-exit-statuses.md.
"""

from enum import IntEnum
from typing import Self


class ExitStatus(IntEnum):
    """An exit status of ``pindna`` or of a process that it starts, with its meaning in one line."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Make a number that knows what it means."""
        made = int.__new__(cls, value)
        made._value_ = value
        made.meaning = meaning
        return made

    DONE = 0, "done, and nothing was found"
    FOUND = 1, "found what the command looks for; a verification: something is missing or was altered"
    UNUSABLE = 2, "wrong use, a wrong setting, or no input that could be used"
    DOWN = 3, "a service or a worker is down, or a disk is full"
    PARTLY = (
        4,
        "done in part: something was not read or not fully compared, and nothing was found in the rest",
    )
    BUG = 70, "an error of pindna itself; its details are in a file that the last line names"
    INTERRUPTED = 130, "interrupted by Ctrl-C; what was stored is kept"
    READER_GONE = 141, "the program that read the output ended early"

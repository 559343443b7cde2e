"""What ``pindna doctor`` found out."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined.

    ``idle`` means not running and not needed now, ``alert`` that a person should look.
    """

    what: str
    state: Literal["good", "idle", "alert", "wrong"]
    text: str


ORDER = ("wrong", "alert", "good", "idle")

"""Optional steps of reading a page: a step that fails is recorded, and reading continues. Pure.

Pages are read for their text. A step that only cleans or describes the text must not lose it: if the step
raises, reading continues without its result. Its name is added to the page's result
(:attr:`crawler.extraction.result.ExtractedPage.failed_steps`), so crawls count failures and bugs stay
visible.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class OverBudget(Exception):
    """A step would take more time or memory than a page is worth."""


class OptionalSteps:
    """The optional steps of one page.

    Attributes:
        failed: names of the failed steps, without duplicates, in order.
    """

    def __init__(self) -> None:
        self.failed: list[str] = []

    def attempt(self, name: str, step: Callable[[], T], *, otherwise: T) -> T:
        """Return the result of a step; if it raises, record its name and return ``otherwise``."""
        try:
            return step()
        except Exception:  # noqa: BLE001 - reading continues after any error of a step
            self.note(name)
            return otherwise

    def note(self, name: str) -> None:
        """Record a step that was skipped or is incomplete."""
        if name not in self.failed:
            self.failed.append(name)

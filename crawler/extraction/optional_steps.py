"""The optional steps of reading a page: one that fails leaves its part unknown and is named. Pure.

A page is read for its text. A step that only cleans the text or describes it must not cost the text: whatever
it raises, reading goes on without its result. Its name becomes part of the page's result
(:attr:`crawler.extraction.result.Extracted.failed_steps`), so that a crawl counts failures and bugs of ours
stay visible.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class OverBudget(Exception):
    """A step would take more time or memory than a page is worth."""


class OptionalSteps:
    """The optional steps of one page.

    Attributes:
        failed: names of those that failed, each once, in order.
    """

    def __init__(self) -> None:
        self.failed: list[str] = []

    def attempt(self, name: str, step: Callable[[], T], *, otherwise: T) -> T:
        """Return the result of a step, or ``otherwise`` when it raises; then note its name."""
        try:
            return step()
        except Exception:  # noqa: BLE001 - whatever a page does to a step, the others go on
            self.note(name)
            return otherwise

    def note(self, name: str) -> None:
        """Note a step that was not done, or not completely."""
        if name not in self.failed:
            self.failed.append(name)

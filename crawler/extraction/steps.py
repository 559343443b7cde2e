"""The optional steps of reading a page: one that fails leaves its part unknown, and is an outcome. Pure.

What a page is read for is its text. A step that only makes the text cleaner or tells something about it never
costs the text: whatever it raises, the page is read on with what is known without it. That it failed is part
of the result (:attr:`crawler.extraction.result.Extracted.failed_steps`), so that a crawl can count it and a
mistake of ours stays visible.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class OverBudget(Exception):
    """A step would take more than a page is worth; what it would have told is not known."""


class Steps:
    """The optional steps of one page.

    Attributes:
        failed: names of those that failed, each once, in the order of failing.
    """

    def __init__(self) -> None:
        self.failed: list[str] = []

    def attempt(self, name: str, step: Callable[[], T], *, otherwise: T) -> T:
        """Return what a step returns, or ``otherwise`` when it raises; then its name is noted."""
        try:
            return step()
        except Exception:  # noqa: BLE001 - whatever a page does to a step, it costs no more than the step
            self.note(name)
            return otherwise

    def note(self, name: str) -> None:
        """Take note of a step that was not done, or not to its end."""
        if name not in self.failed:
            self.failed.append(name)

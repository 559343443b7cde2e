"""Compare the versions of an address line by line, within limits."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff
from itertools import pairwise
from typing import Any

from analysis.evidence.documents import json_of
from storage.records import Page

_MAX_VERSIONS = 30
_MAX_LINES = 400  # maximum number of shown lines per change
_MAX_COMPARED = 4_000  # maximum number of lines of both versions; the time grows with their product


def changes_between(versions: Sequence[Page]) -> Iterator[dict[str, Any]]:
    """Yield a row for each version of an address, without its text, and for each change between two versions.

    Args:
        versions: versions of one address, in any order.
    """
    newest = sorted(versions, key=lambda page: (page.first_seen, page.id))[-_MAX_VERSIONS:]
    for page in newest:
        yield {"record": "version", "chars": len(page.text), **json_of(_without_texts(page))}
    for before, after in pairwise(newest):
        lines, is_whole = _changed_lines(before.text, after.text)
        yield {
            "record": "change",
            "url": after.url,
            "before": before.id,
            "after": after.id,
            "lines": lines,
            "whole": is_whole,
        }


def _without_texts(page: Page) -> Page:
    return replace(page, text="", rest="", rest_pieces=())


def _changed_lines(before: str, after: str) -> tuple[list[str], bool]:
    """Return the lines of a unified diff, and whether they are complete."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > _MAX_COMPARED:
        return [], False
    lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
    return lines[:_MAX_LINES], len(lines) <= _MAX_LINES

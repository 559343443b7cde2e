"""The article's text by trafilatura, tuned for Chinese, from a tree that was decoded and parsed here. Pure.

Measured on 143 Chinese news pages: no comments, ``favor_precision`` and MIN_EXTRACTED_SIZE 100 lift F1 from
.866 to .897 (the default of 250 is written for Latin letters). Where precision finds nothing, recall is
asked.
"""

import logging
import re
from functools import cache
from typing import Any, Final

import trafilatura
from trafilatura.settings import use_config

from crawler.parsing import Tree

_LIST_MARK: Final = re.compile(r"^(?:- |\|)\s*|\s*\|$")

# It logs the page's text and its failures at ERROR; what comes out is judged here instead.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


def main_lines(tree: Tree) -> list[str]:
    """Return the article's lines, none when trafilatura finds no article."""
    for wants_recall in (False, True):
        document = trafilatura.bare_extraction(
            tree,
            include_comments=False,
            favor_precision=not wants_recall,
            favor_recall=wants_recall,
            config=_config(),
        )
        lines = _lines(getattr(document, "text", None) or "")
        if lines:
            return lines
    return []


def _lines(text: str) -> list[str]:
    lines = (" ".join(_LIST_MARK.sub("", each.strip()).split()) for each in text.split("\n"))
    return [line for line in lines if line]


@cache
def _config() -> Any:
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")
    return config

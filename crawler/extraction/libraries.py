"""Other extractors: trafilatura, tuned for Chinese, and its edition of readability. Pure.

trafilatura runs without comments, with ``favor_precision`` and MIN_EXTRACTED_SIZE 100: its default of 250 is
meant for Latin letters. If it finds nothing, it runs again with ``favor_recall``.

readability is the edition inside trafilatura, because readability-lxml requires older versions of chardet and
cssselect and conflicts with jusText. It changes the tree that it receives, so it gets a copy; trafilatura
makes its own copy.
"""

import logging
import re
from copy import deepcopy
from functools import cache
from typing import Any

import trafilatura
from trafilatura.readability_lxml import Document
from trafilatura.settings import use_config

from crawler.extraction.parsing import Tree, lines_of, parse

_LIST_MARK = re.compile(r"^(?:- |\| ?)| ?\|$")  # marks of lists and tables in a line with single spaces

# The libraries log the page's text and their failures at ERROR. This is not needed, because this module
# checks their results.
for _name in ("trafilatura", "htmldate"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def trafilatura_lines(tree: Tree) -> list[str]:
    """Return the article's lines; empty if trafilatura finds no article."""
    for wants_recall in (False, True):
        document = trafilatura.bare_extraction(
            tree,
            include_comments=False,
            fast=not wants_recall,
            favor_precision=not wants_recall,
            favor_recall=wants_recall,
            config=_config(),
        )
        lines = _lines(getattr(document, "text", None) or "")
        if lines:
            return lines
    return []


def readability_lines(tree: Tree) -> list[str]:
    """Return the article's lines; empty if readability finds no article."""
    article = parse(Document(deepcopy(tree)).summary())
    return [] if article is None else lines_of(article)


def _lines(text: str) -> list[str]:
    lines = (_LIST_MARK.sub("", " ".join(raw.split())).strip() for raw in text.split("\n"))
    return [line for line in lines if line]


@cache
def _config() -> Any:
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")
    return config

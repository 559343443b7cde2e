"""What the source of a page has and its tree does not: text that our parser loses. Pure, linear.

Browsers and our parser differ: in comments that end early, in CDATA, in broken tags and declarations, beyond
a depth. So the Chinese characters of the source are counted, and where the tree has fewer, the source is
read by the simplest rule that there is.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape

from crawler.extraction.rest.chinese import (
    CHINESE,
    chinese_lines,
    chinese_runs,
    count_chinese,
    has_chinese,
    without_tags,
)

MIN_LOST = 8  # characters
_RUN = re.compile(f"[{CHINESE}]+")
_COMMENT = re.compile(r"<!--((?:[^-]++|-(?!-!?>))*+)(?:--!?>|\Z)")
_MAX_COMMENTS = 500  # that are searched for in the tree
_HAS_ENTITIES = re.compile(r"&#(?:[xX]0*[2-9a-fA-F][0-9a-fA-F]{3,4}|0*[1-9]\d{4,5})")
_MAX_GAP = 300  # characters between two runs that may stand in one line


def lost_lines(source: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the source that are in none of the texts that were read from its tree.

    Args:
        source: of the page, decoded.
        texts: every text, attribute and script of its tree with Chinese in it.
    """
    if source.isascii() and "&#" not in source:
        return
    read = "\0".join(texts)
    has_entities = "&#" in source and _HAS_ENTITIES.search(source) is not None
    missing = count_chinese(source) - count_chinese(read)
    if missing < MIN_LOST and not has_entities:
        return
    for comment in _comments(source, read):
        missing -= count_chinese(comment)
        yield from chinese_lines(comment)
    if missing >= MIN_LOST or has_entities:
        yield from _missing_runs(unescape(source) if has_entities else source, read)


def _comments(source: str, read: str) -> Iterator[str]:
    """Yield the comments with Chinese that the tree has not."""
    number = 0
    for comment in _COMMENT.finditer(source):
        if has_chinese(comment[1]):
            number += 1
            if number <= _MAX_COMMENTS and comment[1] not in read:
                yield comment[1]


def _missing_runs(source: str, read: str) -> Iterator[str]:
    """Yield the lines of runs of Chinese that are in the source more often than in what was read."""
    plain = _COMMENT.sub("\n", source) if "<!--" in source else source
    missing = Counter(chinese_runs(plain))
    missing.subtract(chinese_runs(read))
    lost = {run for run, count in missing.items() if count > 0}
    if sum(len(run) * missing[run] for run in lost) < MIN_LOST:
        return
    pieces: list[str] = []
    last = None
    for run in _RUN.finditer(plain):
        if run[0] not in lost:
            last = None
        elif last is None:
            pieces.append("\n" + run[0])
            last = run.end()
        else:
            gap = without_tags(plain[last : run.start()][:_MAX_GAP])
            pieces.append(("\n" if "\n" in gap else gap.strip()) + run[0])
            last = run.end()
    for line in "".join(pieces).split("\n"):
        if has_chinese(line):
            yield line

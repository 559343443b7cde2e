"""Text in the source of a page that is missing from the tree, because the parser lost it. Pure, linear.

Browsers and our parser differ: in comments that end early, CDATA, broken tags and declarations, and at great
depth. So the Chinese characters of the source are counted. If the tree has fewer, the source is read by the
simplest possible rule.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape

from crawler.extraction.rest.chinese import (
    CHINESE,
    chinese_lines,
    count_chinese,
    has_chinese,
    runs_with_offsets,
    without_tags,
)
from system.patterns import re

MIN_LOST = 8  # minimum number of lost characters
_INNER_RUN = re.compile(f"(?<=[^{CHINESE}])[{CHINESE}]++(?!\\Z)")  # a run that ends inside the text
_COMMENT = re.compile(r"<!--((?:[^-]++|-(?!-!?>))*+)(?:--!?>|\Z)")
_MAX_COMMENTS = 500  # maximum number of comments that are searched in the tree
_HAS_ENTITIES = re.compile(r"&#(?:[xX]0*[2-9a-fA-F][0-9a-fA-F]{3,4}|0*[1-9]\d{4,5})")
_MAX_GAP = 300  # maximum characters between two runs of one line


def comments_of(source: str) -> list[str]:
    """Return the comments of a page that contain markup."""
    if "<!--" not in source:
        return []
    comments = (comment[1] for comment in _COMMENT.finditer(source))
    return [comment for comment in comments if "<" in comment][:_MAX_COMMENTS]


def lost_lines(source: str, chars: int, texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the source that are in none of the texts of its tree.

    Args:
        source: source of the page, decoded.
        chars: number of its Chinese characters.
        texts: every text, attribute and script of its tree with Chinese.
    """
    if not chars and "&#" not in source:
        return
    read = "\0".join(texts)
    has_entities = "&#" in source and _HAS_ENTITIES.search(source) is not None
    missing = chars - count_chinese(read)
    if missing < MIN_LOST and not has_entities:
        return
    runs, places = runs_with_offsets(read)
    comments = _new_comments(source, read, runs, places)
    missing -= count_chinese("".join(comments))
    for comment in comments:
        yield from chinese_lines(comment)
    if missing >= MIN_LOST or has_entities:
        yield from _missing_runs(unescape(source) if has_entities else source, runs)


def _new_comments(source: str, read: str, runs: Sequence[str], places: Sequence[int]) -> list[str]:
    """Return the comments with Chinese that are in none of the read texts."""
    comments = [text for match in _COMMENT.finditer(source) if has_chinese(text := match[1])][:_MAX_COMMENTS]
    inner = [_INNER_RUN.search(comment) for comment in comments]
    at = dict[str, list[int]]((run[0], []) for run in inner if run is not None)
    for run, offset in zip(runs, places, strict=True) if at else ():
        if run in at:
            at[run].append(offset)

    def is_read(comment: str, run: re.Match[str] | None) -> bool:
        if run is None:
            return comment in read
        starts = (offset - run.start() for offset in at[run[0]])
        return any(start >= 0 and read.startswith(comment, start) for start in starts)

    return [comment for comment, run in zip(comments, inner, strict=True) if not is_read(comment, run)]


def _missing_runs(source: str, read_runs: Sequence[str]) -> Iterator[str]:
    """Yield the lines of Chinese runs that occur more often in the source than in the texts of the tree."""
    plain = _COMMENT.sub("\n", source) if "<!--" in source else source
    runs, starts = runs_with_offsets(plain)
    missing = Counter(runs)
    missing.subtract(read_runs)
    lost = {run for run, count in missing.items() if count > 0}
    if sum(len(run) * missing[run] for run in lost) < MIN_LOST:
        return
    pieces: list[str] = []
    last = None
    for run, start in zip(runs, starts, strict=True):
        if run not in lost:
            last = None
            continue
        if last is None:
            pieces.append("\n" + run)
        else:
            gap = without_tags(plain[last:start][:_MAX_GAP])
            pieces.append(("\n" if "\n" in gap else gap.strip()) + run)
        last = start + len(run)
    for line in "".join(pieces).split("\n"):
        if has_chinese(line):
            yield line

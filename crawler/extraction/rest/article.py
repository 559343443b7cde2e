"""Index of a page's article, so that its rest does not repeat it. Pure, linear."""

import re
from collections.abc import Iterable, Iterator

from crawler.extraction.rest.chinese import chinese_of, has_chinese

_SENTENCE_END = re.compile(r"[。！？!?…；;\n]+")
_MIN_SEARCHED = 12  # minimum characters of a line that is searched inside the article's lines
_MAX_SEARCHED = 20_000_000  # maximum number of characters that are searched for one page


class ArticleIndex:
    """Index that answers whether a line of the page is in the article, by its Chinese characters.

    Args:
        lines: lines of the article.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: set[str] = set()
        self._sentences: set[str] = set()
        keys: list[str] = []
        for line in lines:
            key = chinese_of(line)
            self._lines.add(key)
            keys.append(key)
            self._sentences.update(map(chinese_of, sentences_of(line)))
        self._whole = "".join(keys)
        self._budget = _MAX_SEARCHED

    def contains(self, line: str, key: str) -> bool:
        """Return whether the article contains a line with these Chinese characters."""
        if key in self._lines or key in self._sentences:
            return True
        if not self._whole or len(key) < _MIN_SEARCHED:
            return False
        if all(chinese_of(sentence) in self._sentences for sentence in sentences_of(line)):
            return True
        self._budget -= len(self._whole)
        return self._budget > 0 and key in self._whole


def sentences_of(line: str) -> Iterator[str]:
    """Yield the sentences of a line that contain Chinese."""
    return filter(has_chinese, _SENTENCE_END.split(line))

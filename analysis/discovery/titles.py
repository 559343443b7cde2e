"""Find the titles of protected works in entries of files, in one pass for all titles."""

from collections import defaultdict
from collections.abc import Iterable

from analysis.discovery.indexes import decoded
from fingerprint.text.variants import fold
from storage.collections.stores import Stores
from system.names import name_key

_MIN_HAN = 3  # shorter titles are also ordinary words
_MIN_LATIN = 8  # letters of a title in Latin script, or in pinyin
_HAN_START, _LATIN_START = 2, 4  # characters by which titles are looked up
_MAX_CHARS = 20_000


class TitleFinder:
    """Finds titles in texts and addresses, also traditional characters and pinyin.

    >>> finder = TitleFinder({"青灯渡": "青灯渡"})
    >>> finder.find("《青燈渡》全文"), finder.find("https://a.example/qingdengdu/")
    (('青灯渡',), ('青灯渡',))

    Args:
        titles: name to search → title of the work.
    """

    def __init__(self, titles: dict[str, str]) -> None:
        self._by_start: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name, title in titles.items():
            for spelling in dict.fromkeys((name_key(name), _pinyin_of(name))):
                start = _start_chars(spelling)
                if start:
                    self._by_start[spelling[:start]].append((spelling, title))

    def find(self, text: str) -> tuple[str, ...]:
        """Return the titles of the works that a text names, in order."""
        if not self._by_start:
            return ()
        folded = fold(decoded(text[:_MAX_CHARS]) if "%" in text else text[:_MAX_CHARS]).casefold()
        joined = folded.replace("-", "").replace("_", "")
        titles = dict.fromkeys((*self._in(folded), *(self._in(joined) if joined != folded else ())))
        return tuple(titles)

    def _in(self, text: str) -> Iterable[str]:
        for at in range(len(text)):
            for length in (_HAN_START, _LATIN_START):
                for spelling, title in self._by_start.get(text[at : at + length], ()):
                    if text.startswith(spelling, at):
                        yield title


def titles_of(stores: Stores, *, with_holders: bool = False) -> TitleFinder:
    """Return a finder for the protected works.

    Args:
        stores: the database.
        with_holders: a name of a rights holder counts as a name of its works, too.
    """
    names: dict[str, str] = {}
    for work in stores.works.iter_all():
        if work.role == "protected":
            names[work.title] = work.title
            if with_holders and work.holder:
                names.setdefault(work.holder, work.holder)
    return TitleFinder(names)


def _start_chars(spelling: str) -> int:
    """Return by how many characters a spelling is looked up; 0: it is too short to be found."""
    if spelling.isascii():
        return _LATIN_START if len(spelling) >= _MIN_LATIN else 0
    return _HAN_START if len(spelling) >= _MIN_HAN else 0


def _pinyin_of(name: str) -> str:
    """Return a title in pinyin without tones, as in addresses; empty for other scripts and short titles."""
    from pypinyin import lazy_pinyin  # noqa: PLC0415 - tables that lists of candidates do not need

    key = name_key(name)
    return "" if key.isascii() or len(key) < _MIN_HAN else "".join(lazy_pinyin(key, errors="ignore"))

"""Protects sentences of mother works from removal as boilerplate of a site.

A sentence that a site repeats may belong to a work, such as the formula that ends each copied chapter. So
repeated sentences are looked up in the mother corpus before they are removed from any text. They are looked
up again in each work that is added or changed; from the next crawl on, a sentence that occurs in such a work
stays in the texts.

A sentence occurs in a work if ten consecutive letters do, in any characters. For a shorter sentence, all its
characters must occur in a row. Complexity: each text of the corpus is read once for each site with repeated
sentences, and once more when the text changes: 20 million characters a second, without the time to fetch
them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.mixing import Hashes
from fingerprint.shingle import packed_shingles
from fingerprint.text.letters import Letters, code_points, text_of, to_letters
from fingerprint.text.variants import fold_points
from storage.records import Work

if TYPE_CHECKING:
    from storage.collections.repeats import Repeat
    from storage.collections.stores import Stores

WINDOW = 10  # so many consecutive letters do not agree by chance
MAX_CHARS = 10_000_000  # maximum characters of new works that the start of a crawl reads, in some seconds
_BATCH = 200  # number of passages in memory at once


def removable_sentences(host: str, stores: "Stores", *, max_chars: int | None = MAX_CHARS) -> frozenset[int]:
    """Return the hashes of the sentences to remove from a host's texts. Blocks.

    Args:
        host: of the texts.
        stores: the database.
        max_chars: limit for the works that are new since the last look-up. Beyond it no work is read now, and
            sentences that were not looked up stay in the texts. None: no limit.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    repeats = stores.repeats.of_host(host).repeats
    open_ones = [repeat for repeat in repeats if not repeat.is_protected]
    if not open_ones:
        return frozenset()
    version = (
        stores.versions.current()
    )  # read before the works, so that a work that is added now is looked up next time
    works = _works_since(min(repeat.checked for repeat in open_ones), stores)
    if max_chars is not None and sum(work.characters for work in works) > max_chars:
        return frozenset(repeat.hash for repeat in open_ones if repeat.checked >= version and not repeat.kept)
    held = find_sentences({repeat.id: repeat.text for repeat in open_ones}, _texts_of(works, stores))
    _store_result(host, repeats, held, version, stores)
    return frozenset(repeat.hash for repeat in open_ones if repeat.id not in held and not repeat.kept)


def _store_result(
    host: str, repeats: "Sequence[Repeat]", held: set[str], version: int, stores: "Stores"
) -> None:
    """Store the result of a look-up in the mother corpus, if it is new."""
    checked = {repeat.id: version for repeat in repeats}
    if held or any(repeat.checked != version for repeat in repeats):
        protected = held | {repeat.id for repeat in repeats if repeat.is_protected}
        stores.repeats.record_check(host, protected=protected, checked=checked)


def _works_since(version: int, stores: "Stores") -> list[Work]:
    """Return the works that were added or changed after a version of the corpus; all works for -1."""
    works = [
        work for work in stores.works.all() if work.is_owned
    ]  # without background texts, which are boilerplate on a page
    if version < 0:
        return works
    return [work for work in works if work.indexed_version > version or work.status != "indexed"]


def _texts_of(works: Iterable[Work], stores: "Stores") -> Iterator[str]:
    """Yield the passages of works."""
    ids = [passage_id for work in works for passage_id in work.passage_ids]
    for start in range(0, len(ids), _BATCH):
        for passage in stores.passages.get_many(ids[start : start + _BATCH]).values():
            yield passage.text


def find_sentences(sentences: Mapping[str, str], texts: Iterable[str]) -> set[str]:
    """Return the keys of the sentences that occur in one of the texts. Pure.

    Args:
        sentences: by any key; a sentence without a Han character never occurs.
        texts: for example the passages of works.
    """
    letters = {key: to_letters(sentence) for key, sentence in sentences.items()}
    short = {
        key: _folded_han(sentences[key], converted)
        for key, converted in letters.items()
        if 0 < len(converted) < WINDOW
    }
    keys_of: dict[int, set[str]] = {}
    for key, converted in letters.items():
        for window in packed_shingles(converted.codes, WINDOW).tolist():
            keys_of.setdefault(window, set()).add(key)
    sentence_windows = np.array(sorted(keys_of), dtype=np.uint64)
    held: set[str] = set()
    for text in texts:
        converted = to_letters(text)
        for window in _wanted_windows(packed_shingles(converted.codes, WINDOW), sentence_windows).tolist():
            held |= keys_of[window]
        characters = _folded_han(text, converted) if short else ""
        held |= {key for key, sentence in short.items() if sentence in characters}
    return held


def _folded_han(text: str, letters: Letters) -> str:
    """Return the Han characters of a text, with variants folded."""
    return text_of(fold_points(code_points(text))[letters.offsets])


def _wanted_windows(windows: Hashes, sentence_windows: Hashes) -> Hashes:
    """Return the windows that occur in the sorted sentence windows; the result may have duplicates."""
    if not len(sentence_windows):
        return sentence_windows
    places = np.minimum(np.searchsorted(sentence_windows, windows), len(sentence_windows) - 1)
    common: Hashes = windows[sentence_windows[places] == windows]
    return common

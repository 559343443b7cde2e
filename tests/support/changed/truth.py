"""Pages whose every copied character is known: what spans are held against.

A *share* of a page says of each character which place of which passage it copies. Most pages have one share,
from :mod:`support.changed.changes`; beyond its kinds of change there are

=============== ===================================================================================
two works       the first half of one page and of a page of another work, one after the other
parts           three parts of a passage in another order, other text of 40 to 200 characters between
invisible       a zero-width character behind every fourth character
symbols         a symbol or a quotation mark of its own behind every eighth
pinyin          8 % of the Han characters written in Latin letters
=============== ===================================================================================

The true identities come from an exact alignment of each copied block by itself (Levenshtein over the whole
block: slow and obvious): of characters, variant forms taken as one, and of letters, Latin pinyin included, of
which those count that are the same or a near syllable.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np
import numpy.typing as npt
from pypinyin import lazy_pinyin
from rapidfuzz.distance import Levenshtein
from support.changed.changes import (
    FOREIGN,
    KINDS,
    Change,
    Surroundings,
    Traced,
    foreign,
    from_pieces,
    generator,
    join_parts,
    stretch_of,
)
from support.changed.texts import Page

from deploy.demo.disguises import is_han
from tracker.alignment.degrees import Degree, degrees_of
from tracker.alignment.text import ComparedText

TWO_WORKS = "two works"
_PARTS = 3
_GAP = (40, 200)
_PINYIN_SHARE = 0.08
_NEAR = 12  # places that the origin may jump within one block

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What of a page is copied from one passage.

    Attributes:
        passage_ids: passages with that text; the first is the one that ``origins`` points into.
        origins: shape (characters of the page,): place in the passage, or ``FOREIGN``.
        original: the passage's text.
    """

    passage_ids: frozenset[int]
    origins: _Ints
    original: str


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A page with the truth about it.

    Attributes:
        change: how it was made.
        kind: novel or news.
        text: the page.
        shares: what is copied; none for a page that copies nothing.
    """

    change: str
    kind: str
    text: str
    shares: tuple[Share, ...]

    @property
    def copied(self) -> npt.NDArray[np.bool_]:
        """Which characters are copied, of any passage."""
        mask = np.zeros(len(self.text), dtype=bool)
        for share in self.shares:
            mask |= share.origins != FOREIGN
        return mask


def parts(text: str, rng: Random, around: Surroundings) -> Traced:
    """Return three parts of a text in another order with foreign text around them."""
    cuts = [round(len(text) * number / _PARTS) for number in range(_PARTS + 1)]
    pieces = [stretch_of(text, a, b) for a, b in pairwise(cuts)][::-1]
    arranged = [_strange(rng, around)]
    for piece in pieces:
        arranged += [piece, _strange(rng, around)]
    return join_parts(arranged)


def _strange(rng: Random, around: Surroundings) -> Traced:
    length = rng.randint(*_GAP)
    host = rng.choice(around.hosts)
    start = rng.randrange(max(1, len(host) - length))
    return foreign(host[start : start + length])


def invisible(text: str, rng: Random, _: Surroundings) -> Traced:
    """Return the text with zero-width characters in it."""
    return _insert_noise(text, 4, lambda: rng.choice("\u200b\u200c\u2060\ufeff\u00ad"))


def symbols(text: str, rng: Random, _: Surroundings) -> Traced:
    """Return the text with symbols, single quotation marks and private-use characters in it."""
    return _insert_noise(text, 8, lambda: rng.choice("★※◆§¤【】‘’'^*_\ue123"))


def _insert_noise(text: str, step: int, noise: Callable[[], str]) -> Traced:
    characters = [
        character + noise() if number % step == step - 1 else character
        for number, character in enumerate(text)
    ]
    return from_pieces(characters)


def pinyin(text: str, rng: Random, _: Surroundings) -> Traced:
    """Return the text with some characters written in Latin letters."""
    characters = [
        lazy_pinyin(character)[0] if is_han(character) and rng.random() < _PINYIN_SHARE else character
        for character in text
    ]
    return from_pieces(characters)


DISGUISED: dict[str, Change] = {
    "parts": parts,
    "invisible": invisible,
    "symbols": symbols,
    "pinyin": pinyin,
}
CHANGES = (*KINDS, *DISGUISED, TWO_WORKS)


def known_pages(
    pages: Sequence[Page], originals: dict[int, str], around: Surroundings, *, seed: int
) -> Iterator[Known]:
    """Yield every page under every kind of change, with the truth.

    Args:
        pages: pages of a mother corpus.
        originals: passage id → its text.
        around: what changes draw from.
        seed: another seed changes the same pages in other ways.
    """
    for page, other in zip(pages, [*pages[1:], *pages[:1]], strict=True):
        for change, function in {**KINDS, **DISGUISED}.items():
            rng = generator(change, document=page.id, seed=seed)
            changed = function(page.text, rng, around)
            yield Known(change, page.kind, changed.text, (_share(page, changed.origins, originals),))
        yield _two_works(page, other, originals)


def _share(page: Page, origins: _Ints, originals: dict[int, str]) -> Share:
    own = np.where(origins == FOREIGN, FOREIGN, origins + page.start)
    return Share(page.answers, own, originals[min(page.answers)])


def _two_works(page: Page, other: Page, originals: dict[int, str]) -> Known:
    halves = [page.text[: len(page.text) // 2], other.text[: len(other.text) // 2]]
    places = [np.arange(len(half)) for half in halves]
    rest = [np.full(len(half), FOREIGN) for half in halves]
    shares = (
        _share(page, np.concatenate([places[0], rest[1]]), originals),
        _share(other, np.concatenate([rest[0], places[1]]), originals),
    )
    return Known(TWO_WORKS, page.kind, "".join(halves), shares)


def true_identities(page: Known, share: Share) -> tuple[float, float]:
    """Return the character and the sound identity in the columns of all copied blocks."""
    characters, letters = np.zeros(2), np.zeros(2)
    for block, place in blocks_of(share.origins):
        ours, theirs = page.text[slice(*block)], share.original[slice(*place)]
        one, other = ComparedText(ours), ComparedText(theirs)
        characters += _columns(one, other, one.folded.tolist(), other.folded.tolist(), Degree.VARIANT)
        letters += _columns(one, other, one.codes.tolist(), other.codes.tolist(), Degree.NEAR)
    return _identity(characters), _identity(letters)


def _identity(columns: npt.NDArray[np.float64]) -> float:
    same, every = columns
    return float(same / max(1, every))


def _columns(
    page: ComparedText, passage: ComparedText, ours: list[int], theirs: list[int], least: Degree
) -> _Ints:
    """Return in how many columns of the exact alignment the letters agree enough, and how many there are."""
    same = columns = 0
    for step in Levenshtein.opcodes(ours, theirs):
        columns += max(step.src_end - step.src_start, step.dest_end - step.dest_start)
        if step.tag in {"equal", "replace"}:
            here, there = np.arange(step.src_start, step.src_end), np.arange(step.dest_start, step.dest_end)
            same += int((degrees_of(page, passage, here, there) >= least).sum())
    return np.array([same, columns])


def blocks_of(origins: _Ints) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the stretches of page and passage that belong together."""
    own = np.flatnonzero(origins != FOREIGN)
    if len(own) == 0:
        return
    steps = np.abs(np.diff(origins[own])) > _NEAR
    apart = steps | (np.diff(own) > _NEAR)
    for block in np.split(own, np.flatnonzero(apart) + 1):
        places = origins[block]
        yield (int(block[0]), int(block[-1]) + 1), (int(places.min()), int(places.max()) + 1)

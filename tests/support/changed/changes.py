"""Every kind of change that a copied text goes through on the way to a page: the benchmark's questions.

A change is a pure function of the text, a seed and the document's id: the random generator is started from a
stable hash of (seed, kind, document), so the same question is asked in every run, whatever runs before it.

================ ==================================================================================
none             the text itself
edits R          R % of the characters edited: substituted, doubled by an insertion, deleted, a third each;
                 what comes in is drawn from real text, punctuation included
homophones R     R % of the Han characters swapped for others of the same syllable and tone
traditional      every character in its traditional form
words swapped    30 % of the words (pieces of two characters) change places with a neighbour in their clause
shuffled         all sentences of the page in random order
adverts          an advert after every fifth sentence or so
copied N         N characters of the text inside a page of another work
copied N, edited the same with 5 % of the copied characters edited
================ ==================================================================================

Each character of a changed text knows its origin, the place of the original that it copies or stands for, so
that a comparison can be held against the truth to the character (:mod:`benchmarks.spans`).

Guarantee: ``traced`` and ``changed`` depend on nothing but their arguments. Complexity: O(n).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from random import Random

import numpy as np
import numpy.typing as npt

from deploy.demo import disguises
from fingerprint.text.han import EXTENSION_A, UNIFIED

EDIT_RATES = (5, 10, 20, 30)
HOMOPHONE_RATES = (30, 60)
COPIED_CHARS = (60, 100, 300)
COPY_EDIT_RATE = 5
SWAPPED_WORDS = 0.3
SENTENCES_AN_ADVERT = 5

ADVERTS = (
    "请记住本站域名，手机阅读更方便！",
    "本章未完，点击下一页继续阅读。",
    "【小编推荐】限时免费，百万好书任你看。",
    "喜欢本文的朋友请分享到朋友圈，您的支持是我们更新的动力。",
    "广告：某某牌保温杯，一杯在手，温暖全家，下单立减二十元。",
    "温馨提示：按回车键返回书目，按左右方向键翻页。",
    "天才一秒记住本站地址，最新章节每日更新，全文字无弹窗。",
    "扫码关注公众号，回复书名领取全本。",
)

_CLAUSE = re.compile(f"[{EXTENSION_A}{UNIFIED}]{{4,}}")
_WORD_CHARS = 2


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What changes draw from.

    Attributes:
        pool: real text; inserted and substituted characters are drawn from it.
        hosts: texts of other works, into which stretches are copied.
    """

    pool: str
    hosts: Sequence[str]


FOREIGN = -1  # the origin of a character that comes from elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A changed text with the origin of each character.

    Attributes:
        text: the text.
        origins: shape (len(text),), ``int64``: the place in the original that a character copies, or that it
            was inserted at by an edit; ``FOREIGN`` where it comes from elsewhere.
    """

    text: str
    origins: npt.NDArray[np.int64]


def stretch_of(text: str, start: int = 0, end: int | None = None) -> Traced:
    """Return a stretch of the original, unchanged."""
    end = len(text) if end is None else min(end, len(text))
    return Traced(text[start:end], np.arange(start, max(start, end)))


def foreign(text: str) -> Traced:
    """Return a text that comes from elsewhere."""
    return Traced(text, np.full(len(text), FOREIGN))


def join_parts(parts: Sequence[Traced]) -> Traced:
    """Return the parts as one text."""
    origins = [part.origins for part in parts]
    return Traced("".join(part.text for part in parts), np.concatenate(origins or [np.empty(0, np.int64)]))


def from_pieces(pieces: Sequence[str]) -> Traced:
    """Return a text that has a piece, which may be empty, for each character of the original."""
    return Traced("".join(pieces), np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces]))


Change = Callable[[str, Random, Surroundings], Traced]


def edit(text: str, rng: Random, around: Surroundings, *, rate: float) -> Traced:
    """Edit a share of the characters; line ends stay.

    Args:
        text: the text.
        rng: the source of chance.
        around: its ``pool`` gives the characters that come in.
        rate: edits for each character that is no line end, in [0, 1]; met to the character.
    """
    characters = list(text)
    places = [place for place, character in enumerate(characters) if character != "\n"]
    for number, place in enumerate(rng.sample(places, round(rate * len(places)))):
        new = draw_character(rng, around.pool, but=characters[place])
        characters[place] = (new, characters[place] + new, "")[number % 3]
    return from_pieces(characters)


def draw_character(rng: Random, pool: str, *, but: str) -> str:
    """Return a random character of the pool that is neither ``but`` nor white space."""
    while True:
        character = pool[rng.randrange(len(pool))]
        if character != but and not character.isspace():
            return character


def words_swapped(text: str, rng: Random, _: Surroundings) -> Traced:
    """Swap neighbouring words within clauses until ``SWAPPED_WORDS`` of all words have moved."""
    places = list(range(len(text)))
    for clause in _CLAUSE.finditer(text):
        words = [
            list(range(start, min(start + _WORD_CHARS, clause.end())))
            for start in range(clause.start(), clause.end(), _WORD_CHARS)
        ]
        for first in range(0, len(words) - 1, 2):
            if rng.random() < SWAPPED_WORDS:
                words[first : first + 2] = words[first + 1], words[first]
        places[clause.start() : clause.end()] = [place for word in words for place in word]
    return Traced("".join(text[place] for place in places), np.array(places, dtype=np.int64))


def adverts(text: str, rng: Random, _: Surroundings) -> Traced:
    """Insert an advert after about every ``SENTENCES_AN_ADVERT``-th sentence, one at least."""
    ends = [end for paragraph in paragraphs_of(text) for _start, end in paragraph]
    count = len(ends)
    chosen = sorted(rng.sample(range(count), max(1, count // SENTENCES_AN_ADVERT))) if count else []
    parts, start = [], 0
    for number in chosen:
        parts += [stretch_of(text, start, ends[number]), foreign(rng.choice(ADVERTS))]
        start = ends[number]
    return join_parts([*parts, stretch_of(text, start)])


def paragraphs_of(text: str) -> list[list[tuple[int, int]]]:
    """Return where the sentences of each line begin and end."""
    paragraphs, start = [], 0
    for paragraph in text.split("\n"):
        own, at = [], start
        for sentence in disguises.sentences(paragraph):
            own.append((at, at + len(sentence)))
            at += len(sentence)
        paragraphs.append(own)
        start += len(paragraph) + 1
    return paragraphs


def copy_into_host(text: str, rng: Random, around: Surroundings, *, chars: int, rate: float = 0) -> Traced:
    """Put a stretch of the text into another text, at a random place of both.

    Args:
        text: the text; a shorter one than ``chars`` is copied whole.
        rng: the source of chance.
        around: its ``hosts`` are the other texts.
        chars: length of the stretch.
        rate: edits for each copied character.
    """
    start = rng.randrange(max(1, len(text) - chars + 1))
    stretch = stretch_of(text, start, start + chars)
    if rate:
        changed_stretch = edit(stretch.text, rng, around, rate=rate)
        stretch = Traced(changed_stretch.text, changed_stretch.origins + start)
    host = rng.choice(around.hosts)
    place = rng.randrange(len(host) + 1)
    return join_parts([foreign(host[:place]), stretch, foreign(host[place:])])


def _none(text: str, _rng: Random, _around: Surroundings) -> Traced:
    return stretch_of(text)


def _homophones(text: str, rng: Random, _: Surroundings, *, rate: float) -> Traced:
    return Traced(disguises.homophones(text, rate, rng), np.arange(len(text)))


def _traditional(text: str, _rng: Random, _around: Surroundings) -> Traced:
    return Traced(disguises.traditional(text), np.arange(len(text)))


def _shuffle(text: str, rng: Random, _: Surroundings) -> Traced:
    paragraphs = paragraphs_of(text)
    mixed = [sentence for paragraph in paragraphs for sentence in paragraph]
    rng.shuffle(mixed)
    rest, parts = iter(mixed), list[Traced]()
    for number, paragraph in enumerate(paragraphs):
        parts += [foreign("\n")] if number else []
        parts += [stretch_of(text, *next(rest)) for _ in paragraph]
    return join_parts(parts)


KINDS: Mapping[str, Change] = {
    "none": _none,
    **{f"edits {rate} %": partial(edit, rate=rate / 100) for rate in EDIT_RATES},
    **{f"homophones {rate} %": partial(_homophones, rate=rate / 100) for rate in HOMOPHONE_RATES},
    "traditional": _traditional,
    "words swapped": words_swapped,
    "shuffled": _shuffle,
    "adverts": adverts,
    **{f"copied {chars}": partial(copy_into_host, chars=chars) for chars in COPIED_CHARS},
    **{
        f"copied {chars}, edited": partial(copy_into_host, chars=chars, rate=COPY_EDIT_RATE / 100)
        for chars in COPIED_CHARS
    },
}


def change_traced(
    text: str,
    kind: str,
    *,
    document: str,
    seed: int,
    around: Surroundings,
    kinds: Mapping[str, Change] = KINDS,
) -> Traced:
    """Return the text after one kind of change, each character with its origin.

    Args:
        text: the text.
        kind: one of ``kinds``.
        document: the text's id; each text is changed in a way of its own.
        seed: another seed asks other questions of the same kind.
        around: what changes draw from.
        kinds: the changes by name, such as :data:`support.changed.hard_changes.HARD_KINDS`.

    Raises:
        KeyError: there is no such kind.
    """
    return kinds[kind](text, generator(kind, document=document, seed=seed), around)


def changed_text(
    text: str,
    kind: str,
    *,
    document: str,
    seed: int,
    around: Surroundings,
    kinds: Mapping[str, Change] = KINDS,
) -> str:
    """Return only the text of :func:`change_traced`.

    Raises:
        KeyError: there is no such kind.
    """
    return change_traced(text, kind, document=document, seed=seed, around=around, kinds=kinds).text


def generator(kind: str, *, document: str, seed: int) -> Random:
    """Return the source of chance of one question."""
    digest = blake2b(f"{seed}\0{kind}\0{document}".encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))

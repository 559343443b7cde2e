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

Guarantee: ``changed`` depends on nothing but its arguments. Complexity: O(n).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import chain
from random import Random

from deploy.demo import disguises

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

_CLAUSE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{4,}")
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


Change = Callable[[str, Random, Surroundings], str]


def edited(text: str, rng: Random, around: Surroundings, *, rate: float) -> str:
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
        new = _drawn(rng, around.pool, characters[place])
        characters[place] = (new, characters[place] + new, "")[number % 3]
    return "".join(characters)


def _drawn(rng: Random, pool: str, but: str) -> str:
    """Return a random character of the pool that is neither ``but`` nor white space."""
    while True:
        found = pool[rng.randrange(len(pool))]
        if found != but and not found.isspace():
            return found


def words_swapped(text: str, rng: Random, _: Surroundings) -> str:
    """Swap neighbouring words within clauses until ``SWAPPED_WORDS`` of all words have moved."""

    def swapped(clause: re.Match[str]) -> str:
        found = clause[0]
        words = [found[a : a + _WORD_CHARS] for a in range(0, len(found), _WORD_CHARS)]
        for first in range(0, len(words) - 1, 2):
            if rng.random() < SWAPPED_WORDS:
                words[first : first + 2] = words[first + 1], words[first]
        return "".join(words)

    return _CLAUSE.sub(swapped, text)


def adverts(text: str, rng: Random, _: Surroundings) -> str:
    """Insert an advert after about every ``SENTENCES_AN_ADVERT``-th sentence, one at least."""
    paragraphs = [disguises.sentences(paragraph) for paragraph in text.split("\n")]
    count = sum(map(len, paragraphs))
    chosen = set(rng.sample(range(count), max(1, count // SENTENCES_AN_ADVERT))) if count else set()
    numbers = iter(range(count))
    return "\n".join(
        "".join(
            chain.from_iterable(
                (sentence, rng.choice(ADVERTS) if next(numbers) in chosen else "") for sentence in paragraph
            )
        )
        for paragraph in paragraphs
    )


def copied(text: str, rng: Random, around: Surroundings, *, chars: int, rate: float = 0) -> str:
    """Put a stretch of the text into another text, at a random place of both.

    Args:
        text: the text; a shorter one than ``chars`` is copied whole.
        rng: the source of chance.
        around: its ``hosts`` are the other texts.
        chars: length of the stretch.
        rate: edits for each copied character.
    """
    start = rng.randrange(max(1, len(text) - chars + 1))
    stretch = text[start : start + chars]
    if rate:
        stretch = edited(stretch, rng, around, rate=rate)
    host = rng.choice(around.hosts)
    place = rng.randrange(len(host) + 1)
    return host[:place] + stretch + host[place:]


def _none(text: str, _rng: Random, _around: Surroundings) -> str:
    return text


def _homophones(text: str, rng: Random, _: Surroundings, *, rate: float) -> str:
    return disguises.homophones(text, rate, rng)


def _traditional(text: str, _rng: Random, _around: Surroundings) -> str:
    return disguises.traditional(text)


def _shuffled(text: str, rng: Random, _: Surroundings) -> str:
    return disguises.shuffle_sentences(text, rng)


KINDS: Mapping[str, Change] = {
    "none": _none,
    **{f"edits {rate} %": partial(edited, rate=rate / 100) for rate in EDIT_RATES},
    **{f"homophones {rate} %": partial(_homophones, rate=rate / 100) for rate in HOMOPHONE_RATES},
    "traditional": _traditional,
    "words swapped": words_swapped,
    "shuffled": _shuffled,
    "adverts": adverts,
    **{f"copied {chars}": partial(copied, chars=chars) for chars in COPIED_CHARS},
    **{
        f"copied {chars}, edited": partial(copied, chars=chars, rate=COPY_EDIT_RATE / 100)
        for chars in COPIED_CHARS
    },
}


def changed(text: str, kind: str, *, document: str, seed: int, around: Surroundings) -> str:
    """Return the text after one kind of change.

    Args:
        text: the text.
        kind: one of ``KINDS``.
        document: the text's id; each text is changed in a way of its own.
        seed: another seed asks other questions of the same kind.
        around: what changes draw from.

    Raises:
        KeyError: there is no such kind.
    """
    digest = blake2b(f"{seed}\0{kind}\0{document}".encode(), digest_size=16).digest()
    return KINDS[kind](text, Random(int.from_bytes(digest)), around)

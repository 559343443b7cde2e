"""Changes harder than those of :mod:`support.changed.changes`: the questions of the section ``hard``.

Each is made of a stretch of the text that then stands alone on the page: of ``WHOLE_CHARS`` characters unless
the kind says fewer. A text that is shorter is taken whole.

==================== ==============================================================================
noise R              R % of the characters substituted, inserted or deleted, a third each
synonyms             every word that has a synonym replaced by a word of the same length
components           half of the Han characters written as their two parts (拆字)
inserted N           a Han character inserted after every N-th
dropped N            every N-th Han character dropped
fifth dropped        a fifth of the characters dropped, at random
doubled              every character twice
reversed sentences   the characters of each sentence from the last to the first
reversed             the same with the whole text
columns              written from top to bottom in columns from right to left, read by the row
pinyin               every Han character as its syllable, spaced or glued
noise R %, Han       the same with Han characters only, which are all that pindna compares
turned N             every N characters from the last to the first
words reversed       the words of each clause from the last to the first
common after N       a common character after every N-th character
inside 20,000        200 characters with 30 % noise of Han characters inside another text
==================== ==============================================================================

A dictionary of synonyms that is kept up and under a permissive licence was not to be had, so synonyms are a
model. In 同义词词林 54 % of the words of two and more characters in novels, and 76 % of those in news, have
a synonym of their length, and half of these synonyms keep a character. So here 60 % of such words have one,
always the same words, and half of the replacements keep a character; what comes in are words of the pool, as
frequent as they are there. Of words of one character, for which that book has something everywhere but seldom
something that fits, 40 % are replaced.

Guarantee: as in :mod:`support.changed.changes`. Complexity: O(n).
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import groupby
from random import Random

import rjieba
from pypinyin import lazy_pinyin
from support.changed.changes import (
    Change,
    Surroundings,
    Traced,
    draw_character,
    edit,
    foreign,
    from_pieces,
    join_parts,
    paragraphs_of,
    stretch_of,
)
from support.changed.components import COMPONENTS
from support.changed.texts import stable

from deploy.demo.disguises import is_han

WHOLE_CHARS = 2_000
SHORT_CHARS = (60, 100, 200, 400)
SHORT_RATES = (10, 20, 30)
NOISE_RATES = (40, 50)
INSERTED = (8, 6, 5)
DROPPED = 8
TURNED = (2, 3, 4)
COMMON_AFTER = (1, 2, 3)
COMMON = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
)
INSIDE = "200 inside 20,000, noise 30 %"
INSIDE_CHARS, INSIDE_RATE, HOST_CHARS = 200, 0.3, 20_000
WORKS = 10
WORK_CHARS = 150

_WITH_SYNONYM = 0.6
_SINGLE_WITH_SYNONYM = 0.4
_KEEPS_CHARACTER = 0.5
_COMPONENTS = 0.5
_FIFTH = 0.2
_COLUMN_CHARS = (6, 12)
_COLUMNS = (8, 20)
_CLOSING = re.compile(r"[。！？…”’」』）》]*$")


def alone(text: str, rng: Random, around: Surroundings, *, chars: int, change: Change) -> Traced:
    """Change a stretch of the text and leave the rest out.

    Args:
        text: the text.
        rng: the source of chance.
        around: what the change draws from.
        chars: length of the stretch, before the change.
        change: the change.
    """
    start = rng.randrange(max(1, len(text) - chars + 1))
    changed = change(text[start : start + chars], rng, around)
    return Traced(changed.text, changed.origins + start * (changed.origins >= 0))


def pieced(texts: Sequence[str], rng: Random) -> str:
    """Return a page of ``WORK_CHARS`` characters of each text, a paragraph each."""
    starts = [rng.randrange(max(1, len(text) - WORK_CHARS + 1)) for text in texts]
    return "\n".join(text[a : a + WORK_CHARS] for text, a in zip(texts, starts, strict=True))


def synonyms(text: str, rng: Random, around: Surroundings, *, share: float) -> Traced:
    """Replace words that have a synonym.

    Args:
        text: the text.
        rng: the source of chance.
        around: its ``pool`` gives the words that come in.
        share: of those words, in [0, 1].
    """
    pieces: list[str] = []
    for word in rjieba.cut(text):
        replaced = _has_synonym(word) and rng.random() < share
        pieces += _synonym(word, rng, _words_by_character(around.pool)) if replaced else word
    return from_pieces(pieces)


def _has_synonym(word: str) -> bool:
    share = _WITH_SYNONYM if len(word) > 1 else _SINGLE_WITH_SYNONYM
    return all(map(is_han, word)) and stable(word)[0] < 256 * share


@lru_cache(maxsize=1)
def _words_by_character(pool: str) -> Mapping[tuple[int, int, str], list[str]]:
    """Return the pool's words by length, place and the character there; "" stands for any character."""
    words: dict[tuple[int, int, str], list[str]] = defaultdict(list)
    for word in rjieba.cut(pool):
        if all(map(is_han, word)):
            words[len(word), 0, ""].append(word)
            for place, character in enumerate(word):
                words[len(word), place, character].append(word)
    return words


def _synonym(word: str, rng: Random, words: Mapping[tuple[int, int, str], list[str]]) -> str:
    """Return another word of the same length, or characters of the pool where it has none."""
    place = rng.randrange(len(word))
    keys = [(len(word), 0, "")]
    if len(word) > 1 and rng.random() < _KEEPS_CHARACTER:
        keys.insert(0, (len(word), place, word[place]))
    for key in keys:
        others = [other for other in words.get(key, ()) if other != word]
        if others:
            return rng.choice(others)
    return "".join(rng.choice(words[1, 0, ""]) for _ in word)


def components(text: str, rng: Random, _: Surroundings) -> Traced:
    """Write half of the Han characters as their parts, or all that can be parted if these are fewer."""
    pieces = list(text)
    parted = [place for place, character in enumerate(text) if character in COMPONENTS]
    wanted = round(_COMPONENTS * sum(map(is_han, text)))
    for place in rng.sample(parted, min(wanted, len(parted))):
        pieces[place] = COMPONENTS[text[place]]
    return from_pieces(pieces)


def inserted(text: str, rng: Random, around: Surroundings, *, every: int) -> Traced:
    """Insert a Han character of the pool after every ``every``-th."""
    pieces = list(text)
    for place in range(every - 1, len(text), every):
        new = ""
        while not new or not is_han(new):
            new = draw_character(rng, around.pool, but=text[place])
        pieces[place] += new
    return from_pieces(pieces)


def dropped(text: str, rng: Random, _: Surroundings, *, every: int) -> Traced:
    """Drop every ``every``-th Han character, the first of them left to chance."""
    pieces = list(text)
    han = [place for place, character in enumerate(text) if is_han(character)]
    for place in han[rng.randrange(every) :: every]:
        pieces[place] = ""
    return from_pieces(pieces)


def share_dropped(text: str, rng: Random, _: Surroundings, *, share: float) -> Traced:
    """Drop a share of the characters, met to the character."""
    gone = set(rng.sample(range(len(text)), round(share * len(text))))
    return from_pieces(["" if place in gone else own for place, own in enumerate(text)])


def doubled(text: str, _rng: Random, _around: Surroundings) -> Traced:
    """Write every character but white space twice."""
    return from_pieces([own if own.isspace() else own * 2 for own in text])


def reversed_sentences(text: str, _rng: Random, _around: Surroundings) -> Traced:
    """Write the characters of each sentence backwards; its closing marks stay at its end."""
    parts: list[Traced] = []
    for number, paragraph in enumerate(paragraphs_of(text)):
        parts += [foreign("\n")] if number else []
        for start, end in paragraph:
            body = start + _CLOSING.search(text[start:end]).start()  # type: ignore[union-attr] # `*` matches always
            parts += [_backwards(stretch_of(text, start, body)), stretch_of(text, body, end)]
    return join_parts(parts)


def reversed_whole(text: str, _rng: Random, _around: Surroundings) -> Traced:
    """Write the whole text backwards."""
    return _backwards(stretch_of(text))


def _backwards(part: Traced) -> Traced:
    return Traced(part.text[::-1], part.origins[::-1])


def columns(text: str, rng: Random, _: Surroundings) -> Traced:
    """Write the text in blocks of columns, each from top to bottom, from right to left; a row is a line."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    height, width = rng.randint(*_COLUMN_CHARS), rng.randint(*_COLUMNS)
    parts: list[Traced] = []
    for start in range(0, len(places), height * width):
        block = places[start : start + height * width]
        for row in range(min(height, len(block))):
            line = block[row::height][::-1]
            parts += [*(stretch_of(text, place, place + 1) for place in line), foreign("\n")]
        parts.append(foreign("\n"))
    return join_parts(parts)


def pinyin(text: str, _rng: Random, _around: Surroundings, *, between: str) -> Traced:
    """Write Han characters as syllables without tones.

    Args:
        text: the text.
        between: what stands between two syllables: a space or nothing.
    """
    pieces: list[str] = []
    for han, run in groupby(text, key=is_han):
        written = list(run)
        if han:
            written = lazy_pinyin("".join(written))
            written = [*(syllable + between for syllable in written[:-1]), written[-1]]
        pieces += written
    return from_pieces(pieces)


def han_edited(text: str, rng: Random, around: Surroundings, *, rate: float) -> Traced:
    """Edit a share of the Han characters; the pool's Han characters come in."""
    pieces = list(text)
    places = [place for place, character in enumerate(text) if is_han(character)]
    for number, place in enumerate(rng.sample(places, round(rate * len(places)))):
        new = _draw_han(rng, around.pool, but=text[place])
        pieces[place] = (new, text[place] + new, "")[number % 3]
    return from_pieces(pieces)


def _draw_han(rng: Random, pool: str, *, but: str) -> str:
    while True:
        new = draw_character(rng, pool, but=but)
        if is_han(new):
            return new


def turned(text: str, _rng: Random, _around: Surroundings, *, length: int) -> Traced:
    """Write every ``length`` characters backwards."""
    blocks = (stretch_of(text, start, start + length) for start in range(0, len(text), length))
    return join_parts([_backwards(block) for block in blocks])


def words_reversed(text: str, _rng: Random, _around: Surroundings) -> Traced:
    """Write the words of each clause from the last to the first."""
    parts: list[Traced] = []
    start = 0
    for han, run in groupby(text, key=is_han):
        clause = "".join(run)
        end = start + len(clause)
        words = []
        for word in rjieba.cut(clause) if han else [clause]:
            words.append(stretch_of(text, start, start + len(word)))
            start += len(word)
        parts += words[::-1]
        start = end
    return join_parts(parts)


def common_inserted(text: str, rng: Random, _: Surroundings, *, every: int) -> Traced:
    """Insert a common character after every ``every``-th character that is no line end."""
    pieces = list(text)
    places = [place for place, character in enumerate(text) if character != "\n"]
    for place in places[every - 1 :: every]:
        pieces[place] += rng.choice(COMMON)
    return from_pieces(pieces)


def inside(text: str, rng: Random, around: Surroundings) -> Traced:
    """Put a stretch with noise into ``HOST_CHARS`` characters of other works."""
    host = ""
    while len(host) < HOST_CHARS:
        host += rng.choice(around.hosts)
    cut = rng.randrange(HOST_CHARS)
    changed = alone(text, rng, around, chars=INSIDE_CHARS, change=partial(han_edited, rate=INSIDE_RATE))
    return join_parts([foreign(host[:cut]), changed, foreign(host[cut:HOST_CHARS])])


def _noise(rate: int) -> Change:
    return partial(edit, rate=rate / 100)


_WHOLE: Mapping[str, Change] = {
    **{f"noise {rate} %": _noise(rate) for rate in NOISE_RATES},
    "synonyms": partial(synonyms, share=1),
    "components": components,
    **{f"inserted {every}": partial(inserted, every=every) for every in INSERTED},
    f"dropped {DROPPED}": partial(dropped, every=DROPPED),
    "doubled": doubled,
    "reversed sentences": reversed_sentences,
    "reversed": reversed_whole,
    "columns": columns,
    "pinyin spaced": partial(pinyin, between=" "),
    "pinyin glued": partial(pinyin, between=""),
    "noise 50 %, Han": partial(han_edited, rate=0.5),
    **{f"turned {length}": partial(turned, length=length) for length in TURNED},
    "words reversed": words_reversed,
    **{f"common after {every}": partial(common_inserted, every=every) for every in COMMON_AFTER},
}
_SHORT: Mapping[str, tuple[int, Change]] = {
    **{
        f"{chars} alone, noise {rate} %": (chars, _noise(rate))
        for chars in SHORT_CHARS
        for rate in SHORT_RATES
    },
    **{
        f"{chars} alone, fifth dropped": (chars, partial(share_dropped, share=_FIFTH)) for chars in (100, 200)
    },
    "100 alone, half synonyms": (100, partial(synonyms, share=0.5)),
}
HARD_KINDS: Mapping[str, Change] = {
    **{kind: partial(alone, chars=WHOLE_CHARS, change=change) for kind, change in _WHOLE.items()},
    **{kind: partial(alone, chars=chars, change=change) for kind, (chars, change) in _SHORT.items()},
    INSIDE: inside,
}

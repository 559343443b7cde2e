"""How pirates disguise a text: pure functions, each driven by the random generator it is given.

The same text and a generator in the same state give the same disguise. A text is its paragraphs, one a
line. Only Han characters are ever changed; punctuation and line ends stay.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from deploy.demo.homophones import HOMOPHONES
from fingerprint.text.variants import unfold

_COMMON = "".join(HOMOPHONES)
_SENTENCE = re.compile(r"[^。！？…]*[。！？…]+[”’」』）》]*|[^。！？…]+")
_INNER_MARKS = str.maketrans("“”", "‘’")


def is_han(character: str) -> bool:
    """Return whether a character is in the Han blocks of the basic plane."""
    return "\u3400" <= character <= "\u4dbf" or "\u4e00" <= character <= "\u9fff"


def _draw(positions: Sequence[int], count: int, rng: Random) -> list[int]:
    return rng.sample(positions, min(count, len(positions)))


def edit(text: str, rate: float, rng: Random) -> str:
    """Replace Han characters at random (three edits in five), insert (one) or delete (one).

    Args:
        text: the text.
        rate: share of its Han characters that is edited, in [0, 1]; met to the character.
        rng: the source of chance.
    """
    characters = list(text)
    han = [index for index, character in enumerate(characters) if is_han(character)]
    for index in _draw(han, round(rate * len(han)), rng):
        other = rng.choice(_COMMON.replace(characters[index], ""))
        characters[index] = rng.choice((other, other, other, characters[index] + other, ""))
    return "".join(characters)


def homophones(text: str, rate: float, rng: Random) -> str:
    """Swap characters for others of the same sound: the pinyin initials and the length stay.

    Args:
        text: the text.
        rate: share of its Han characters that is swapped, in [0, 1]; lower where too few have homophones.
        rng: the source of chance.
    """
    characters = list(text)
    swappable = [index for index, character in enumerate(characters) if character in HOMOPHONES]
    for index in _draw(swappable, round(rate * sum(map(is_han, text))), rng):
        characters[index] = rng.choice(HOMOPHONES[characters[index]])
    return "".join(characters)


def traditional(text: str) -> str:
    """Return the text in traditional characters, one for one."""
    return unfold(text)


def sentences(text: str) -> list[str]:
    """Split one paragraph after its sentences' closing marks; joined they give the paragraph."""
    return _SENTENCE.findall(text)


def shuffle_sentences(text: str, rng: Random) -> str:
    """Put the sentences of the whole text in random order; every paragraph keeps its number of them."""
    paragraphs = [sentences(paragraph) for paragraph in text.split("\n")]
    mixed = [sentence for paragraph in paragraphs for sentence in paragraph]
    rng.shuffle(mixed)
    rest = iter(mixed)
    return "\n".join("".join(next(rest) for _ in paragraph) for paragraph in paragraphs)


def advertise(text: str, rng: Random, slogans: Sequence[str]) -> str:
    """Insert slogans as paragraphs of their own after about half of the paragraphs, one at least."""
    paragraphs = text.split("\n")
    chosen = [index for index in range(len(paragraphs)) if rng.random() < 1 / 2]
    for index in reversed(chosen or [len(paragraphs) // 2]):
        paragraphs.insert(index + 1, rng.choice(slogans))
    return "\n".join(paragraphs)


def quote(text: str, length: int, rng: Random) -> str:
    """Return a stretch of the text in quotation marks, begun with a sentence.

    Args:
        text: where the stretch is taken from.
        length: characters of the stretch without its marks; double marks inside become single ones.
        rng: the source of chance.

    Raises:
        ValueError: no paragraph holds ``length`` characters from the beginning of a sentence.
    """
    stretches = []
    for paragraph in text.split("\n"):
        start = 0
        for sentence in sentences(paragraph):
            if start + length <= len(paragraph):
                stretches.append(paragraph[start : start + length])
            start += len(sentence)
    if not stretches:
        raise ValueError(f"no paragraph holds a quotation of {length} characters")
    return f"“{rng.choice(stretches).translate(_INNER_MARKS)}”"


def embed(quotation: str, host: str, lead: str, rng: Random) -> str:
    """Put a quotation with its leading words into another text, inside one of its paragraphs."""
    paragraphs = host.split("\n")
    index = rng.randrange(len(paragraphs))
    parts = sentences(paragraphs[index])
    parts.insert(len(parts) // 2, lead + quotation)
    paragraphs[index] = "".join(parts)
    return "\n".join(paragraphs)


def half(text: str, other: str) -> str:
    """Return the first half of a text, by whole paragraphs, and about as much of another after it."""
    first = _beginning(text.split("\n"), sum(map(len, text.split("\n"))) // 2)
    added = _beginning(other.split("\n"), sum(map(len, first)))
    return "\n".join(first + added)


def _beginning(paragraphs: Sequence[str], length: int) -> list[str]:
    """Return the paragraphs that make up at least ``length`` characters, or all of them."""
    ends = accumulate(map(len, paragraphs), initial=0)
    return [paragraph for paragraph, before in zip(paragraphs, ends, strict=False) if before < length]

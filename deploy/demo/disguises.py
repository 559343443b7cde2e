"""Disguises that pirates use for texts: pure functions that take a random generator.

The same text and a generator in the same state give the same disguise. A text has one paragraph in each line.
Only Han characters are changed; punctuation and line ends stay.
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
    """Edit Han characters at random: of five edits, three replace, one inserts and one deletes.

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
    """Replace characters by characters with the same sound; pinyin initials and length stay.

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
    """Return the text in traditional characters; each character is replaced by one character."""
    return unfold(text)


def sentences(text: str) -> list[str]:
    """Split a paragraph into its sentences; joined, they give the paragraph again."""
    return _SENTENCE.findall(text)


def shuffle_sentences(text: str, rng: Random) -> str:
    """Put the sentences of the whole text in random order; each paragraph keeps its number of sentences."""
    paragraphs = [sentences(paragraph) for paragraph in text.split("\n")]
    mixed = [sentence for paragraph in paragraphs for sentence in paragraph]
    rng.shuffle(mixed)
    rest = iter(mixed)
    return "\n".join("".join(next(rest) for _ in paragraph) for paragraph in paragraphs)


def advertise(text: str, rng: Random, slogans: Sequence[str]) -> str:
    """Insert slogans as separate paragraphs after about half of the paragraphs, at least one slogan."""
    paragraphs = text.split("\n")
    chosen = [index for index in range(len(paragraphs)) if rng.random() < 1 / 2]
    for index in reversed(chosen or [len(paragraphs) // 2]):
        paragraphs.insert(index + 1, rng.choice(slogans))
    return "\n".join(paragraphs)


def quote(text: str, length: int, rng: Random) -> str:
    """Return a stretch of the text in quotation marks; it begins with a sentence.

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
    """Insert a quotation with introducing words into a paragraph of another text."""
    paragraphs = host.split("\n")
    index = rng.randrange(len(paragraphs))
    parts = sentences(paragraphs[index])
    parts.insert(len(parts) // 2, lead + quotation)
    paragraphs[index] = "".join(parts)
    return "\n".join(paragraphs)


def half(text: str, other: str) -> str:
    """Return the first half of a text in whole paragraphs, followed by about as much of another text."""
    first = _beginning(text.split("\n"), sum(map(len, text.split("\n"))) // 2)
    added = _beginning(other.split("\n"), sum(map(len, first)))
    return "\n".join(first + added)


def _beginning(paragraphs: Sequence[str], length: int) -> list[str]:
    """Return the first paragraphs that have at least ``length`` characters together, or all paragraphs."""
    ends = accumulate(map(len, paragraphs), initial=0)
    return [paragraph for paragraph, before in zip(paragraphs, ends, strict=False) if before < length]

"""What a site prints on many of its pages: not the author's, whatever it says. Pure.

The unit is the sentence, or a whole line that ends without one. A sentence is the site's own when it stands
in at least five different texts of the site and in three of ten of those that were looked at. Texts that
share half of their sentences are one text (the same chapter fetched twice, under two addresses, in two
versions), so a protected text that is everywhere on a site is never taken for its slogan. Short sentences
(他点了点头。) are left alone: a novel may well say them in every chapter.

A site is known by a sample of its texts, the ones with the smallest hashes: the same sample whatever the
order and however often a page is seen again (bottom-k sampling, Cohen and Kaplan, PODC 2007).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from fingerprint.text.variants import fold

SAMPLE_TEXTS = 200
MIN_TEXTS = 5
MIN_SHARE = 0.3
_KNOWN_SHARE = 0.5  # of that, for a sentence that is known
_MIN_SENTENCE = 10  # characters inside a line
_MIN_LINE = 4  # of a whole line
_SAME_TEXT = 0.5  # of the shorter one's sentences
_SENTENCE = re.compile(r"[^。！？!?…]*[。！？!?…]+[”’」』）)】]*|[^。！？!?…]+$")


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text of the sample.

    Attributes:
        key: hash of the text; the smallest ones stay in the sample.
        sentences: hashes of its sentences and lines.
    """

    key: int
    sentences: frozenset[int]


def text_key(text: str) -> int:
    """Return the hash that decides whether a text belongs to the sample."""
    return _hash(text)


def hashed(text: str) -> dict[int, str]:
    """Return the sentences and lines of a text that may repeat, by hash."""
    found: dict[int, str] = {}
    folded, at = fold(text), 0  # once for all sentences; a folded text is as long as before
    for line in text.split("\n"):
        squeezed = _without_space(folded[at : at + len(line)])
        if len(squeezed) >= _MIN_LINE:
            found[_hash(squeezed)] = line
        for sentence in sentences(line):
            squeezed = _without_space(folded[at : at + len(sentence)])
            if len(squeezed) >= _MIN_SENTENCE:
                found[_hash(squeezed)] = sentence.strip()
            at += len(sentence)
        at += 1
    return found


def sentences(line: str) -> list[str]:
    """Cut a line behind its sentences; joined, they are the line again."""
    return _SENTENCE.findall(line)


def sentence_hash(sentence: str) -> int:
    """Return a stable 63-bit hash that white space, width and script do not change."""
    return _hash(_squeezed(sentence))


def bottom(sample: Iterable[SampledText]) -> list[SampledText]:
    """Return the sample's texts with the smallest keys, each once."""
    return [each for _, each in sorted({each.key: each for each in sample}.items())[:SAMPLE_TEXTS]]


def repeating(sample: Sequence[SampledText], known: Collection[int] = ()) -> dict[int, int]:
    """Return the sentences that the site repeats, by hash, and how many different texts hold each.

    Args:
        sample: texts of the site.
        known: sentences that it was found to repeat before. Half the share is enough for them: with every
            sentence that comes or goes the site's pages are read again.
    """
    counts = Counter(sentence for each in sample for sentence in each.sentences)
    often = {sentence for sentence, count in counts.items() if count >= MIN_TEXTS}
    if not often:
        return {}
    groups = _groups(sample)
    share = MIN_SHARE * len(set(groups))
    held: dict[int, set[int]] = {}
    for each, group in zip(sample, groups, strict=True):
        for sentence in each.sentences & often:
            held.setdefault(sentence, set()).add(group)
    return {
        sentence: len(texts)
        for sentence, texts in held.items()
        if len(texts) >= max(MIN_TEXTS, share * (_KNOWN_SHARE if sentence in known else 1.0))
    }


def _groups(sample: Sequence[SampledText]) -> list[int]:
    """Return for each text the number of the first one that it is a version of."""
    groups: list[int] = []
    for number, each in enumerate(sample):
        twin = next((at for at in range(number) if groups[at] == at and _same(sample[at], each)), number)
        groups.append(twin)
    return groups


def _same(one: SampledText, other: SampledText) -> bool:
    shorter = min(len(one.sentences), len(other.sentences))
    return len(one.sentences & other.sentences) > _SAME_TEXT * max(1, shorter)


def without_repeats(lines: Iterable[str], known: Collection[int]) -> tuple[list[str], list[str]]:
    """Return the lines without the sentences of ``known``, and what was taken out of them."""
    if not known:
        return [joined for line in lines if (joined := line.strip())], []
    kept, taken = [], []
    for line in lines:
        folded, at = fold(line), 0  # once for all sentences; a folded line is as long as before
        if _hash(_without_space(folded)) in known:
            taken.append(line)
            continue
        left: list[str] = []
        for sentence in sentences(line):
            squeezed = _without_space(folded[at : at + len(sentence)])
            at += len(sentence)
            is_known = len(squeezed) >= _MIN_SENTENCE and _hash(squeezed) in known
            (taken if is_known else left).append(sentence)
        joined = "".join(left).strip()
        if joined:
            kept.append(joined)
    return kept, taken


def _squeezed(text: str) -> str:
    return _without_space(fold(text))


def _without_space(text: str) -> str:
    return "".join(text.split())


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1

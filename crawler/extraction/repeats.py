"""Sentences that a site prints on many of its pages, and that are therefore not the author's. Pure.

The unit is the sentence, or a whole line that ends without one. A sentence is the site's own when it is in at
least five different texts of the site, in three of ten of the sampled ones and in three different books: what
ends each chapter of one novel (未知如何，下回分解。) is that novel's. Texts that share half of their
sentences are one text (the same chapter fetched twice, under two addresses, in two versions), so a protected
text that is everywhere on a site is never taken for its slogan. Short sentences (他点了点头。) are kept: a
novel may have them in every chapter.

A site is represented by a sample of its texts, those with the smallest hashes: the same sample in whatever
order and however often its pages are read (bottom_k_sample-k sampling, Cohen and Kaplan, PODC 2007). Of a
text of many sentences, a whole novel say, the sample has the first and the last ones, where sites put their
own: so it is bounded, in a crawl's memory and as a document of 16 MB, whatever the site.
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
MIN_BOOKS = 3
MAX_SENTENCES = 2_000  # of a text of the sample; 200 such texts take 3 MB as hashes
MAX_CHARS = 500  # of a sentence that can be a site's own; all that repeat have 10 MB at most
_KNOWN_FACTOR = 0.5  # on MIN_SHARE, for a sentence that is known
_MIN_SENTENCE_CHARS = 10  # inside a line
_MIN_LINE_CHARS = 4
_MAX_SHARED = 0.5  # of the shorter one's sentences; texts that share more are one
_SENTENCE = re.compile(r"[^。！？!?…]*[。！？!?…]+[”’」』）)】]*|[^。！？!?…]+$")


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text of the sample.

    Attributes:
        key: hash of the text; the texts with the smallest ones are the sample.
        sentences: hashes of its sentences and lines.
        book: hash of what it is a part of; 0 for a text that stands alone.
    """

    key: int
    sentences: frozenset[int]
    book: int = 0


def text_key(text: str) -> int:
    """Return the hash that decides whether a text is in the sample."""
    return _hash(text)


def hash_sentences(text: str) -> dict[int, str]:
    """Return the sentences and lines of a text that are long enough to be a site's own, by hash."""
    by_hash: dict[int, str] = {}
    folded, at = fold(text), 0  # once for all sentences; a folded text is as long as before
    for line in text.split("\n"):
        squeezed = _without_space(folded[at : at + len(line)])
        if len(squeezed) >= _MIN_LINE_CHARS:
            by_hash[_hash(squeezed)] = line
        for sentence in sentences(line):
            squeezed = _without_space(folded[at : at + len(sentence)])
            if len(squeezed) >= _MIN_SENTENCE_CHARS:
                by_hash[_hash(squeezed)] = sentence.strip()
            at += len(sentence)
        at += 1
    return by_hash


def sampled_sentences(text: str) -> dict[int, str]:
    """Return what the sample keeps of a text by hash: its first and last short sentences and lines.

    A longer one is never taken for the site's own: it stays in the texts.
    """
    short = [short_item for short_item in hash_sentences(text).items() if len(short_item[1]) <= MAX_CHARS]
    if len(short) <= MAX_SENTENCES:
        return dict(short)
    return dict((*short[: MAX_SENTENCES // 2], *short[-(MAX_SENTENCES // 2) :]))


def sentences(line: str) -> list[str]:
    """Split a line behind its sentences; joined, they are the line again."""
    return _SENTENCE.findall(line)


def sentence_hash(sentence: str) -> int:
    """Return a stable 63-bit hash that does not depend on white space, width and script."""
    return _hash(_without_space(fold(sentence)))


def bottom_k_sample(sample: Iterable[SampledText]) -> list[SampledText]:
    """Return the sample's texts with the smallest keys, each once."""
    return [text for _, text in sorted({text.key: text for text in sample}.items())[:SAMPLE_TEXTS]]


def repeated_sentences(sample: Sequence[SampledText], known_hashes: Collection[int] = ()) -> dict[int, int]:
    """Return the sentences that the site repeats: hash → number of different texts with it.

    Args:
        sample: texts of the site.
        known_hashes: sentences that were the site's own before. Half the share is enough for them, for with
            every sentence that comes or goes the site's pages are read again.
    """
    counts = Counter(sentence for text in sample for sentence in text.sentences)
    frequent = {sentence for sentence, count in counts.items() if count >= MIN_TEXTS}
    if not frequent:
        return {}
    groups = _groups(sample)
    min_texts = MIN_SHARE * len(set(groups))
    books = [text.book or text.key for text in sample]
    holders: dict[int, set[int]] = {}
    for text, group in zip(sample, groups, strict=True):
        for sentence in text.sentences & frequent:
            holders.setdefault(sentence, set()).add(group)
    return {
        sentence: len(texts)
        for sentence, texts in holders.items()
        if len(texts) >= max(MIN_TEXTS, min_texts * (_KNOWN_FACTOR if sentence in known_hashes else 1.0))
        and len({books[number] for number in texts}) >= MIN_BOOKS
    }


def _groups(sample: Sequence[SampledText]) -> list[int]:
    """Return for each text the number of the first one that it is a version of."""
    groups: list[int] = []
    for number, text in enumerate(sample):
        firsts = (at for at in range(number) if groups[at] == at and _is_same_text(sample[at], text))
        groups.append(next(firsts, number))
    return groups


def _is_same_text(text: SampledText, other: SampledText) -> bool:
    shorter = min(len(text.sentences), len(other.sentences))
    return len(text.sentences & other.sentences) > _MAX_SHARED * max(1, shorter)


def without_repeats(lines: Iterable[str], hashes: Collection[int]) -> tuple[list[str], list[str]]:
    """Return the lines without the known sentences, and these sentences."""
    if not hashes:
        return [stripped for line in lines if (stripped := line.strip())], []
    kept, removed = [], []
    for line in lines:
        folded, at = fold(line), 0  # once for all sentences; a folded line is as long as before
        if _hash(_without_space(folded)) in hashes:
            removed.append(line)
            continue
        rest: list[str] = []
        for sentence in sentences(line):
            squeezed = _without_space(folded[at : at + len(sentence)])
            at += len(sentence)
            is_known = len(squeezed) >= _MIN_SENTENCE_CHARS and _hash(squeezed) in hashes
            (removed if is_known else rest).append(sentence)
        joined = "".join(rest).strip()
        if joined:
            kept.append(joined)
    return kept, removed


def _without_space(text: str) -> str:
    return "".join(text.split())


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1

"""Sentences that a site prints on many pages, which are therefore not the author's. Pure.

The unit is a sentence, or a whole line without a full stop. A sentence belongs to the site if it is in at
least five different texts, in 30 % of the sampled texts, and in three different books: a sentence that ends
each chapter of one novel (未知如何，下回分解。) belongs to that novel. Texts that share half of their
sentences count as one text (a chapter fetched twice, under two addresses, in two versions). So a protected
text that is everywhere on a site never counts as the site's slogan. Short sentences (他点了点头。) are kept,
because a novel may have them in every chapter.

A site is represented by a sample: its texts with the smallest hashes. The sample does not depend on the order
or number of visits (bottom-k sampling, Cohen and Kaplan, PODC 2007). Of a long text, the sample has the first
and last sentences, where sites add theirs. So it is bounded, in memory and as a document of 16 MB.
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
MAX_SENTENCES = 2_000  # maximum number of sentences of a sampled text; 200 such texts take 3 MB as hashes
MAX_CHARS = 500  # maximum characters of a sentence of a site; all repeated sentences take at most 10 MB
_KNOWN_FACTOR = 0.5  # factor for MIN_SHARE if a sentence already belongs to the site
_MIN_SENTENCE_CHARS = 10  # minimum characters of a sentence inside a line
_MIN_LINE_CHARS = 4
_MAX_SHARED = 0.5  # maximum share of common sentences in the shorter text; with more, both are one text
_SENTENCE = re.compile(r"[^。！？!?…]*[。！？!?…]+[”’」』）)】]*|[^。！？!?…]+$")


@dataclass(frozen=True, slots=True)
class SampledText:
    """A text of the sample.

    Attributes:
        key: hash of the text; texts with the smallest keys form the sample.
        sentences: hashes of its sentences and lines.
        book: hash of the book that it belongs to; 0 without one.
    """

    key: int
    sentences: frozenset[int]
    book: int = 0


def text_key(text: str) -> int:
    """Return the hash that decides whether a text is in the sample."""
    return _hash(text)


def hash_sentences(text: str) -> dict[int, str]:
    """Return the sentences and lines of a text that are long enough to belong to a site, by hash."""
    by_hash: dict[int, str] = {}
    folded, at = fold(text), 0  # fold the text only once; folding does not change its length
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
    """Return the first and last short sentences and lines of a text, for the sample, by hash.

    A longer one never counts as the site's, so it stays in the texts.
    """
    short = [short_item for short_item in hash_sentences(text).items() if len(short_item[1]) <= MAX_CHARS]
    if len(short) <= MAX_SENTENCES:
        return dict(short)
    return dict((*short[: MAX_SENTENCES // 2], *short[-(MAX_SENTENCES // 2) :]))


def sentences(line: str) -> list[str]:
    """Split a line after its sentences. Joining the parts gives the line."""
    return _SENTENCE.findall(line)


def sentence_hash(sentence: str) -> int:
    """Return a stable 63-bit hash that ignores white space, width and script."""
    return _hash(_without_space(fold(sentence)))


def bottom_k_sample(sample: Iterable[SampledText]) -> list[SampledText]:
    """Return the distinct texts of the sample with the smallest keys."""
    return [text for _, text in sorted({text.key: text for text in sample}.items())[:SAMPLE_TEXTS]]


def repeated_sentences(sample: Sequence[SampledText], known_hashes: Collection[int] = ()) -> dict[int, int]:
    """Return the sentences that the site repeats: hash → number of different texts with it.

    Args:
        sample: texts of the site.
        known_hashes: sentences that already belong to the site. Half the share is enough for them,
            because the site's pages are read again after every change of this set.
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
    """Return for each text the number of the first text of which it is a version."""
    groups: list[int] = []
    for number, text in enumerate(sample):
        firsts = (at for at in range(number) if groups[at] == at and _is_same_text(sample[at], text))
        groups.append(next(firsts, number))
    return groups


def _is_same_text(text: SampledText, other: SampledText) -> bool:
    shorter = min(len(text.sentences), len(other.sentences))
    return len(text.sentences & other.sentences) > _MAX_SHARED * max(1, shorter)


def without_repeats(lines: Iterable[str], hashes: Collection[int]) -> tuple[list[str], list[str]]:
    """Return the lines without the sentences of the given hashes, and these sentences."""
    if not hashes:
        return [stripped for line in lines if (stripped := line.strip())], []
    kept, removed = [], []
    for line in lines:
        folded, at = fold(line), 0  # fold the line only once; folding does not change its length
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

"""Learn the background model of :mod:`fingerprint.information` from the shared data.

Run ``python -m benchmarks.learn_information`` to write ``fingerprint/information.npy`` again. It reads
``../shared/data``: official texts (``set-wording/works.jsonl``), news and novels. The file contains only
hashes of n-grams and their bits, and no n-gram that occurs in only one text.

1. Count the texts that contain each n-gram. Shorter n-grams than ``_MIN_PHRASE`` characters are counted as
   often as they occur. Novels are cut to ``_NOVEL_CHARS``, so that no kind of text outweighs another.
2. Compute the bits of each n-gram: −log2 of its share of the counts of all n-grams with the same context.
3. Keep the n-grams that change the model most. The measure is the count times the difference in bits to the
   prediction by the shorter n-gram (entropy pruning: Stolcke, 1998).
4. Write the n-grams to the buckets of a hash table, the most important ones first. An n-gram whose bucket is
   full is left out.
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from support.changed.corpora import ROOT, SHARED
from support.changed.texts import is_in_second_half

from fingerprint import information as model
from fingerprint.text.letters import code_points, to_letters
from fingerprint.text.variants import fold_points

TARGET = ROOT / "fingerprint" / "information.npy"
_NOVEL_CHARS = 100_000  # maximum length of a novel
_DOUBT = 1.0  # added to the count of each context, because two texts do not prove that a phrase is fixed
_MIN_TEXTS = 2  # an n-gram in fewer texts is not a set phrase
_MIN_PHRASE = 3  # characters; longer and equally long n-grams are counted once per text

_Counts = npt.NDArray[np.int64]


def official_texts(folder: Path = SHARED) -> Iterator[str]:
    """Yield the official texts, without the half that the section ``wording`` uses to measure the model."""
    with (folder / "set-wording" / "works.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not is_in_second_half(row["title"]):
                yield row["text"]


def unofficial_texts(folder: Path = SHARED) -> Iterator[str]:
    """Yield the news articles, and the beginning of each novel."""
    with (folder / "mother" / "news" / "articles.jsonl").open(encoding="utf-8") as lines:
        yield from (json.loads(line)["text"] for line in lines)
    for path in sorted((folder / "mother" / "novels").glob("*.txt")):
        yield path.read_text(encoding="utf-8")[:_NOVEL_CHARS]


def learn_table(texts: Iterable[str]) -> model.Table:
    """Return the hash table of the model of a corpus: shape (``BUCKETS``, ``SLOTS``)."""
    points = [fold_points(code_points(text)[to_letters(text).offsets]) for text in texts]
    shorter: tuple[model.Hashes, npt.NDArray[np.float64]] | None = None
    hashes, bits, gains = (
        list[model.Hashes](),
        list[npt.NDArray[np.float64]](),
        list[npt.NDArray[np.float64]](),
    )
    for size in range(1, model.ORDER + 1):
        grams, counts, contexts, suffixes = _count_ngrams(points, size)
        conditional = _conditional_bits(counts, contexts)
        if shorter is None:
            gain = np.full(len(grams), np.inf)
        else:
            before = shorter[1][np.searchsorted(shorter[0], suffixes)] + model.BACKOFF_BITS
            gain = counts * np.abs(before - conditional)
            gain[counts < _MIN_TEXTS] = 0
        selected = gain > 0
        hashes.append(grams[selected])
        bits.append(conditional[selected])
        gains.append(gain[selected])
        shorter = (grams, conditional)
    return _fill_table(np.concatenate(hashes), np.concatenate(bits), np.concatenate(gains))


def _count_ngrams(
    points: Sequence[npt.NDArray[np.uint32]], size: int
) -> tuple[model.Hashes, _Counts, model.Hashes, model.Hashes]:
    """Return the distinct n-grams by ascending hash, their counts, their contexts and their suffixes."""
    parts = [
        (
            model.ngram_hashes(text, size),
            _shorter_ngrams(text[:-1], size),
            _shorter_ngrams(text[1:], size),
        )
        for text in points
        if len(text) >= max(2, size)
    ]
    if size >= _MIN_PHRASE:  # a phrase does not become more common because one text repeats it
        parts = [_distinct_ngrams(*ngrams) for ngrams in parts]
    grams, contexts, suffixes = map(np.concatenate, zip(*parts, strict=True))
    distinct, first, counts = np.unique(grams, return_index=True, return_counts=True)
    return distinct, counts, contexts[first], suffixes[first]


def _shorter_ngrams(points: npt.NDArray[np.uint32], size: int) -> model.Hashes:
    """Return the hashes of the n-grams with one character less; zeros for n-grams of one character."""
    return model.ngram_hashes(points, size - 1) if size > 1 else np.zeros(len(points) + 1, dtype=np.uint64)


def _distinct_ngrams(
    grams: model.Hashes, contexts: model.Hashes, suffixes: model.Hashes
) -> tuple[model.Hashes, model.Hashes, model.Hashes]:
    """Return each distinct n-gram of a text, with its context and its suffix."""
    distinct, first = np.unique(grams, return_index=True)
    return distinct, contexts[first], suffixes[first]


def _conditional_bits(counts: _Counts, contexts: model.Hashes) -> npt.NDArray[np.float64]:
    """Return −log2 of each n-gram's share of its context's count, to which ``_DOUBT`` is added."""
    _, group = np.unique(contexts, return_inverse=True)
    totals = np.bincount(group, weights=counts)
    return -np.log2(counts / (totals[group] + _DOUBT))


def _fill_table(
    hashes: model.Hashes, bits: npt.NDArray[np.float64], gains: npt.NDArray[np.float64]
) -> model.Table:
    """Return the hash table with the n-grams in their buckets, the most important ones first."""
    order = np.argsort(-gains, kind="stable")
    order = order[: 4 * model.BUCKETS * model.SLOTS]
    buckets, checks = model.places_of(hashes[order])
    steps = np.clip(np.rint(bits[order] / model.STEP), 0, 2**model.VALUE_BITS - 1).astype(np.uint16)
    entries = checks << np.uint16(model.VALUE_BITS) | steps
    # The rank of each entry among the entries of its bucket.
    by_bucket = np.argsort(buckets, kind="stable")
    starts = np.searchsorted(buckets[by_bucket], buckets[by_bucket])
    ranks = np.empty(len(buckets), dtype=np.int64)
    ranks[by_bucket] = np.arange(len(buckets)) - starts
    table = np.zeros((model.BUCKETS, model.SLOTS), dtype=np.uint16)
    fits = ranks < model.SLOTS
    table[buckets[fits], ranks[fits]] = np.maximum(entries[fits], 1)
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn the model, and write its table to a file."""
    parser = ArgumentParser(prog="python -m benchmarks.learn_information", description=__doc__)
    parser.add_argument("--output", type=Path, default=TARGET, help="the file to write")
    selected = parser.parse_args(arguments)
    texts = [*official_texts(), *unofficial_texts()]
    np.save(selected.output, learn_table(texts))
    print(f"Learned from {len(texts)} texts: {selected.output}")


if __name__ == "__main__":
    main()

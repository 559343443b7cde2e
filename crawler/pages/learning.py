"""Learns the repeated sentences of a site during a crawl; stores them at the end of the crawl.

A chapter counts for its book: chapters belong to one book if their addresses differ only in the last number,
or in the last segment if it has no number. An article counts alone.

A killed crawl loses what it learnt, and the next crawl learns it again. Only the removal of boilerplate from
later texts depends on it.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime

from crawler.extraction.repeats import (
    MAX_SENTENCES,
    SAMPLE_TEXTS,
    SampledText,
    bottom_k_sample,
    repeated_sentences,
    sampled_sentences,
    sentence_hash,
    text_key,
)
from storage.collections.repeats import HostRepeats, Repeat, RepeatStore, repeat_id
from storage.records import utc_now

_LAST_NUMBER = re.compile(r"\d+(?=\D*$)")


def book_of(url: str) -> str:
    """Return the common form of the chapter addresses of a book.

    >>> book_of("http://a.cn/b/12/345.html"), book_of("http://a.cn/read?bid=12&cid=345")
    ('http://a.cn/b/12/#.html', 'http://a.cn/read?bid=12&cid=#')
    >>> book_of("http://a.cn/12/prologue.html")
    'http://a.cn/12/'
    """
    folder, slash, name = url.rpartition("/")
    numberless, count = _LAST_NUMBER.subn("#", name)
    return f"{folder}{slash}{numberless if count else ''}"


@dataclass(frozen=True, slots=True)
class _SeenText:
    """A text of this crawl: its sampled sentences by hash, and its book; 0 for a single text."""

    sentences: dict[int, str]
    book: int


@dataclass(slots=True)
class Learner:
    """The sampled texts of one crawl, by host."""

    # Host → key of a text → the text.
    _samples: dict[str, dict[int, _SeenText]] = field(default_factory=dict)

    @property
    def hosts(self) -> list[str]:
        """Hosts with texts."""
        return sorted(self._samples)

    def add(self, host: str, whole: str, *, book: str = "") -> None:
        """Add a text.

        Args:
            host: of the page.
            whole: extracted text including the removed repeated sentences, which count as well.
            book: of the chapter, see :func:`book_of`; empty for a single text.
        """
        sample, key = self._samples.setdefault(host, {}), text_key(whole)
        if key in sample or (len(sample) >= SAMPLE_TEXTS and key > max(sample)):
            return  # not sampled: splitting every text into sentences would take longer than extraction
        sample[key] = _SeenText(sampled_sentences(whole), sentence_hash(book) if book else 0)
        if len(sample) > SAMPLE_TEXTS:
            del sample[max(sample)]

    def store(self, repeats: RepeatStore) -> None:
        """Merge the sampled texts into the stored repeats of each host.

        Raises:
            ServiceDown, StorageFailed: as the store raises them.
        """
        for host, texts in self._samples.items():
            host_repeats = repeats.of_host(host)
            before = (
                SampledText(key, sentences, host_repeats.books.get(key, 0))
                for key, sentences in host_repeats.sample.items()
            )
            current = (SampledText(key, frozenset(text.sentences), text.book) for key, text in texts.items())
            sample = bottom_k_sample([*before, *current])
            repeats.learn(
                host,
                # Samples that earlier versions of pindna stored may have more sentences.
                sample={text.key: sorted(text.sentences)[:MAX_SENTENCES] for text in sample},
                books={text.key: text.book for text in sample if text.book},
                repeats=_known_repeats(
                    repeated_sentences(sample, {repeat.hash for repeat in host_repeats.repeats}),
                    {
                        digest: sentence
                        for text in texts.values()
                        for digest, sentence in text.sentences.items()
                    },
                    host_repeats,
                ),
            )


def _known_repeats(counts: dict[int, int], texts: dict[int, str], host_repeats: HostRepeats) -> list[Repeat]:
    """Return the repeated sentences whose wording is known."""
    before = {repeat.hash: repeat for repeat in host_repeats.repeats}
    now: datetime = utc_now()
    return [
        Repeat(
            id=repeat_id(digest),
            hash=digest,
            text=before[digest].text if digest in before else texts[digest],
            texts=count,
            first_seen=before[digest].first_seen if digest in before else now,
        )
        for digest, count in counts.items()
        if digest in before or digest in texts
    ]

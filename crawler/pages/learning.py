"""Learns what a site repeats while it is crawled; kept in memory until the crawl ends.

A chapter counts as a part of its book: chapters whose addresses differ only in their last number, or in their
last part where that has none, are of one book. An article stands alone.

A crawl that is killed loses what it learnt, and the next one learns it again: only the cleanness of later
texts depends on it.
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
    """Return what a chapter's address shares with those of the other chapters of its book.

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
    """A text of this crawl: sentences of it by hash, and its book; 0 for one that stands alone."""

    sentences: dict[int, str]
    book: int


@dataclass(slots=True)
class Learner:
    """The texts of the hosts of one crawl, as far as they belong to a host's sample."""

    # By host, by key of the text.
    _samples: dict[str, dict[int, _SeenText]] = field(default_factory=dict)

    @property
    def hosts(self) -> list[str]:
        """The hosts of the texts."""
        return sorted(self._samples)

    def add(self, host: str, whole: str, *, book: str = "") -> None:
        """Take note of a text.

        Args:
            host: of the page.
            whole: what was extracted, with the sentences that were left out because the site repeats them:
                these count as well.
            book: what the text is a chapter of, see :func:`book_of`; empty for one that stands alone.
        """
        sample, key = self._samples.setdefault(host, {}), text_key(whole)
        if key in sample or (len(sample) >= SAMPLE_TEXTS and key > max(sample)):
            return  # cutting every text into sentences would cost more than its extraction
        sample[key] = _SeenText(sampled_sentences(whole), sentence_hash(book) if book else 0)
        if len(sample) > SAMPLE_TEXTS:
            del sample[max(sample)]

    def store(self, repeats: RepeatStore) -> None:
        """Merge the sampled texts into what is known of each host.

        Raises:
            ServiceDown, StorageFailed: as the store does.
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
                # Those of earlier versions may have more.
                sample={text.key: sorted(text.sentences)[:MAX_SENTENCES] for text in sample},
                books={text.key: text.book for text in sample if text.book},
                repeats=_repeats(
                    repeated_sentences(sample, {repeat.hash for repeat in host_repeats.repeats}),
                    {
                        digest: sentence
                        for text in texts.values()
                        for digest, sentence in text.sentences.items()
                    },
                    host_repeats,
                ),
            )


def _repeats(counts: dict[int, int], texts: dict[int, str], host_repeats: HostRepeats) -> list[Repeat]:
    """Return the repeated sentences; one whose wording is no longer known is left out."""
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

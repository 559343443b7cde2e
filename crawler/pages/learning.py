"""Learns what a site repeats while it is crawled; kept in memory until the crawl ends.

A crawl that is killed loses what it learnt, and the next one learns it again: only the cleanness of later
texts depends on it.
"""

from collections import ChainMap
from dataclasses import dataclass, field
from datetime import datetime

from crawler.extraction.repeats import (
    SAMPLE_TEXTS,
    SampledText,
    bottom_k_sample,
    hash_sentences,
    repeated_sentences,
    text_key,
)
from storage.collections.repeats import Repeat, RepeatStore, SiteRepeats, repeat_id
from storage.records import utc_now


@dataclass(slots=True)
class Learner:
    """The texts of the sites of one crawl, as far as they belong to a site's sample."""

    # By site, by key of the text: its sentences by hash.
    _samples: dict[str, dict[int, dict[int, str]]] = field(default_factory=dict)

    def see(self, site: str, whole: str) -> None:
        """Take note of a text.

        Args:
            site: host of the page.
            whole: what was extracted, with the sentences that were left out because the site repeats them:
                these count as well.
        """
        sample, key = self._samples.setdefault(site, {}), text_key(whole)
        if key in sample or (len(sample) >= SAMPLE_TEXTS and key > max(sample)):
            return  # cutting every text into sentences would cost more than its extraction
        sample[key] = hash_sentences(whole)
        if len(sample) > SAMPLE_TEXTS:
            del sample[max(sample)]

    def store(self, repeats: RepeatStore) -> None:
        """Merge the sampled texts into what is known of each site.

        Raises:
            ServiceDown, StorageFailed: as the store does.
        """
        for site, texts in self._samples.items():
            known = repeats.of_site(site)
            seen = [SampledText(key, frozenset(hashes)) for key, hashes in texts.items()]
            sample = bottom_k_sample([*seen, *(SampledText(*item) for item in known.sample.items())])
            repeats.learn(
                site,
                sample={text.key: text.sentences for text in sample},
                repeats=_repeats(
                    repeated_sentences(sample, {repeat.hash for repeat in known.repeats}),
                    dict(ChainMap(*texts.values())),
                    known,
                ),
            )


def _repeats(counts: dict[int, int], texts: dict[int, str], known: SiteRepeats) -> list[Repeat]:
    """Return the repeated sentences; one whose wording is no longer known is left out."""
    before = {repeat.hash: repeat for repeat in known.repeats}
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

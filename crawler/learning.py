"""Learning what a site repeats while it is crawled; kept in memory until the crawl ends.

A crawl that is killed forgets what it learnt, and the next one learns it again: nothing depends on it but how
clean later texts are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from crawler.extraction.repeats import SampledText, bottom, hashed, repeating, sampled
from storage.records import utc_now
from storage.repeats import Repeat, RepeatStore, SiteRepeats, repeat_id


@dataclass(slots=True)
class Learner:
    """The texts of the sites of one crawl, as far as they belong to a site's sample."""

    _samples: dict[str, list[SampledText]] = field(default_factory=dict)
    _texts: dict[str, dict[int, str]] = field(default_factory=dict)

    def see(self, site: str, text: str, *, removed: Sequence[str] = ()) -> None:
        """Take note of a text.

        Args:
            site: host of the page.
            text: what was extracted.
            removed: sentences that were taken out of it because the site repeats them; they count on.
        """
        whole = "\n".join((text, *removed))
        each = sampled(whole)
        self._samples[site] = bottom([*self._samples.get(site, ()), each])
        if each in self._samples[site]:
            self._texts.setdefault(site, {}).update(hashed(whole))

    def store(self, repeats: RepeatStore) -> None:
        """Join what was seen with what is known of each site.

        Raises:
            ServiceDown, StorageFailed: as the store does.
        """
        for site, seen in self._samples.items():
            known = repeats.of_site(site)
            sample = bottom([*seen, *(SampledText(*each) for each in known.sample.items())])
            repeats.learn(
                site,
                sample={each.key: each.sentences for each in sample},
                found=_found(repeating(sample), self._texts.get(site, {}), known),
            )


def _found(counts: dict[int, int], texts: dict[int, str], known: SiteRepeats) -> list[Repeat]:
    """Return the repeated sentences; one whose wording is not known any more could not be shown."""
    before = {each.hash: each for each in known.repeats}
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

"""The plan of the demo: the text of every sample page, and the verdict that a scan must give.

The expected verdict follows from the page: a copy with permission is ``licensed``, a copy without it is
``copy``, half a copy is ``partial``, a small stretch is ``quote``, and an unprotected text is ``clear``.
Everything is deterministic, because a page's address is the seed of its random generator.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from deploy.demo import disguises
from deploy.demo.layout import ENTRANCES, LEADS, LICENCES, LINES, SLOGANS, DemoLine, Disguise, SiteName
from deploy.demo.samples import Sample, load_samples
from storage.records import Source, Verdict


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page of a sample site.

    Attributes:
        site: name of the site.
        path: the page's path there; of a chapter in several parts the first one's.
        title: headline or chapter heading.
        author: as the page names it.
        text: its paragraphs, one a line, without what the site puts around them.
        expected: the verdict of a scan.
        work: title of the work that it takes from; None when it copies nothing.
        disguise: how it takes.
    """

    site: SiteName
    path: str
    title: str
    author: str
    text: str
    expected: Verdict
    work: str | None
    disguise: Disguise


@cache
def plan() -> tuple[DemoPage, ...]:
    """Return every page of the sample sites; the result is the same in every process."""
    samples = load_samples()
    return tuple(_page(line, samples) for line in LINES)


def licences(base_urls: Mapping[SiteName, str]) -> dict[str, tuple[str, ...]]:
    """Return the licensed hosts of each work, by title; works without licences are left out."""
    hosts: dict[str, tuple[str, ...]] = {}
    for sample in load_samples().values():
        allowed = tuple(_host(base_urls[site]) for site in LICENCES if _may_publish(site, sample))
        if allowed:
            hosts[sample.work] = allowed
    return hosts


def sources(base_urls: Mapping[SiteName, str]) -> list[Source]:
    """Return one source for each site, and two for the licensed site, which has books and news."""
    return [
        Source(
            name=entrance.source,
            kind=entrance.kind,
            start_urls=tuple(base_urls[entrance.site] + path for path in entrance.paths),
            follow=entrance.follow,
            max_pages=200,
            delay_s=0.0,  # no delay, because the sites belong to pindna
        )
        for entrance in ENTRANCES
    ]


def _host(base_url: str) -> str:
    return base_url.removeprefix("http://")


def _may_publish(site: SiteName, sample: Sample) -> bool:
    return sample.protected and sample.ref.startswith(LICENCES.get(site, ()))


def _page(line: DemoLine, samples: Mapping[str, Sample]) -> DemoPage:
    sample = samples[line.takes]
    title = line.title or sample.title
    return DemoPage(
        site=line.site,
        path=line.path,
        title=disguises.traditional(title) if line.disguise == "traditional" else title,
        author=sample.author,
        text=_text(line, samples),
        expected=_expected_verdict(line, sample),
        work=sample.work if sample.protected else None,
        disguise=line.disguise,
    )


def _text(line: DemoLine, samples: Mapping[str, Sample]) -> str:
    text = samples[line.takes].text
    surrounding = "\n".join(samples[ref].text for ref in line.around)
    rng = Random(_seed(line))  # noqa: S311 - a disguise, not a secret
    match line.disguise:
        case "edited":
            text = disguises.edit(text, 0.10, rng)
        case "homophones":
            text = disguises.homophones(text, 0.40, rng)
        case "traditional":
            text = disguises.traditional(text)
        case "shuffled":
            text = disguises.shuffle_sentences(text, rng)
        case "adverts":
            text = disguises.advertise(text, rng, SLOGANS)
        case "mixed":
            text = disguises.edit(disguises.homophones(text, 0.20, rng), 0.05, rng)
        case "half":
            text = disguises.half(text, surrounding)
        case "quotation":
            quotation = disguises.quote(text, rng.randrange(80, 121), rng)
            text = disguises.embed(quotation, surrounding, rng.choice(LEADS), rng)
        case "none" | "verbatim":
            pass
    return text


def _seed(line: DemoLine) -> int:
    """Return a number that is the same in every process and version."""
    return int.from_bytes(hashlib.sha256((line.site + line.path).encode()).digest()[:8])


def _expected_verdict(line: DemoLine, sample: Sample) -> Verdict:
    if not sample.protected:
        return "clear"
    if line.disguise == "quotation":
        return "quote"
    if _may_publish(line.site, sample):
        return "licensed"
    return "partial" if line.disguise == "half" else "copy"

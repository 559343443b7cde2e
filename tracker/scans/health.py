"""Health of sources: whether a crawl was sound, compared with the crawls before it.

A site that changes its template, bans us or goes quiet does not fail: it answers, and nothing is found. So
each crawl is compared with the median of the last ones. Spidermon does not fit: it uses fixed numbers or its
statistics in a local file, which machines do not share, and alerts by mail or chat. This history is in the
database, and every command can show the alert.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from storage.collections.stores import Stores
from storage.records import (
    NO_MESSAGE,
    AlertKind,
    Crawl,
    CrawlSummary,
    Fault,
    Figure,
    Message,
    SourceHealth,
    utc_now,
)

HISTORY = 10  # number of stored crawls with which a crawl is compared
# Kind of the alert by whose fault a failed crawl is; crawls of earlier versions do not say.
_FAILURES: dict[Fault, AlertKind] = {
    "": "unreadable",
    "theirs": "unreadable",
    "network": "unreachable",
    "ours": "interrupted",
}
_OF_WHOLE: frozenset[AlertKind] = frozenset(
    {"empty", "collapsed", "slow"}
)  # problems that a single run cannot disprove
_MIN_CRAWLS = 2
_MIN_TEXTS = 5  # minimum usual number of texts; a source with fewer may have none on some days
_COLLAPSED = 0.3  # a share of the usual number of texts that counts as a collapse
_MIN_CONFIDENCE = 0.5
_USUAL_CONFIDENCE = 0.75


@dataclass(frozen=True, slots=True)
class CrawlFinding:
    """A problem of a crawl, with the figures."""

    kind: AlertKind
    detail: str
    message: Message = NO_MESSAGE


def _crawl_finding(kind: AlertKind, message: Message) -> CrawlFinding:
    return CrawlFinding(kind, str(message), message)


def record_crawl(stores: Stores, scan_id: str, source: str) -> None:
    """Update the health of a source after its crawl, once all processes of the crawl have ended."""
    crawls = [crawl for crawl in stores.scans.crawls(scan_id) if crawl.source == source]
    if any(crawl.state == "due" for crawl in crawls):
        return
    health, summary = stores.health.get(source), summary_of(scan_id, crawls)
    if any(before.scan_id == scan_id for before in (*health.recent, *filter(None, [health.part]))):
        return  # this crawl was already recorded
    summary_of_run = summary
    if health.part is not None and crawls[0].continues == health.rest:
        summary = combined_summary(health.part, summary)
    rest = _rest_of(crawls)
    health = replace(health, rest=rest, part=summary if rest else None)
    if rest and all(crawl.state == "done" for crawl in crawls):
        _record_run(stores, summary_of_run, health)
        stores.health.save(replace(health, last_crawl=summary.ended))
        return
    failed = next((crawl for crawl in crawls if crawl.state == "failed"), None)
    paused = health.paused_until is not None and health.paused_until > summary.ended
    findings = [] if failed else judge(summary, health.recent)
    if failed and not paused:
        findings = [CrawlFinding(_FAILURES[failed.fault], failed.error, failed.message)]
    all_findings = [*findings, *shortage(crawls, summary)]
    for finding in all_findings:
        stores.health.raise_alert(
            source, finding.kind, detail=finding.detail, message=finding.message, scan_id=scan_id
        )
    held: set[AlertKind] = {finding.kind for finding in all_findings}
    stores.health.close_alerts(source, but=frozenset(held | ({"blocked"} if paused else set())))
    sound = not failed and bool(summary.texts) and not findings
    recent = (summary, *health.recent)[:HISTORY] if sound else health.recent
    health = replace(health, last_crawl=summary.ended, crawls=health.crawls + 1, recent=recent)
    if sound:
        first = health.first_success or summary.ended
        health = replace(health, first_success=first, last_success=summary.ended)
    if not paused and not failed:
        health = replace(health, paused_until=None, pause_reason="", pauses=0)
    stores.health.save(health)


def _record_run(stores: Stores, summary: CrawlSummary, health: SourceHealth) -> None:
    """Record the problems of one run of a crawl; missing texts are judged when all runs have ended."""
    findings = judge_run(summary, health.recent)
    for finding in findings:
        stores.health.raise_alert(
            health.name, finding.kind, detail=finding.detail, message=finding.message, scan_id=summary.scan_id
        )
    if summary.texts and not findings:  # the site answers
        paused = health.paused_until is not None and health.paused_until > summary.ended
        stores.health.close_alerts(
            health.name, but=_OF_WHOLE | ({"blocked"} if paused else frozenset[AlertKind]())
        )


def summary_of(scan_id: str, crawls: Sequence[Crawl]) -> CrawlSummary:
    """Return the crawls of one source within a scan as one summary."""
    counts: Counter[str] = Counter()
    for crawl in crawls:
        counts.update(crawl.counts)
    extracted = counts["extracted"]
    return CrawlSummary(
        scan_id=scan_id,
        ended=max((crawl.finished for crawl in crawls if crawl.finished), default=utc_now()),
        listed=counts["listed"] + counts["not_due"],
        texts=counts["pages"] + counts["unchanged"] + counts["not_due"],
        failed=counts["failed"],
        confidence=counts["confidence"] / extracted / 1000 if extracted else 1.0,
    )


def _rest_of(crawls: Sequence[Crawl]) -> str:
    """Return the scan whose frontier has the addresses that a source's hours left unvisited.

    A crawl that fails while it continues such a rest leaves it to the next one.
    """
    is_cut = any(crawl.end == "hours" or (crawl.continues and crawl.state == "failed") for crawl in crawls)
    is_left = any(crawl.addresses.get("left") for crawl in crawls)
    return crawls[0].frontier if is_cut and is_left else ""


def combined_summary(run: CrawlSummary, crawl: CrawlSummary) -> CrawlSummary:
    """Combine two runs of a crawl; the result has the name and the end of the later one."""
    texts = max(1, run.texts + crawl.texts)
    return replace(
        crawl,
        listed=run.listed + crawl.listed,
        texts=run.texts + crawl.texts,
        failed=run.failed + crawl.failed,
        confidence=(run.confidence * run.texts + crawl.confidence * crawl.texts) / texts
        if run.texts or crawl.texts
        else 1.0,
    )


def judge(crawl: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    """Return the problems of a crawl.

    Args:
        crawl: the one that just ended.
        before: the sound crawls before it, the newest first.
    """
    return [
        *_find_emptiness(crawl, before),
        *_find_collapse(crawl, before),
        *_find_uncertainty(crawl, before),
    ]


def judge_run(run: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    """Return the problems of one run of a crawl that later runs cannot disprove.

    Args:
        run: the one that just ended.
        before: the sound crawls before it, the newest first.
    """
    return [*_find_failures(run, before), *_find_uncertainty(run, before)]


def _find_emptiness(crawl: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    if crawl.listed or crawl.texts:
        return []
    usual = median([earlier.listed for earlier in before]) if before else 0
    message = Message("no text was listed, usually {usual}", {"usual": round(usual)})
    return [_crawl_finding("empty", message)] if usual or not before else []


def _find_collapse(crawl: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    if len(before) < _MIN_CRAWLS or not crawl.listed:
        return []
    listed = median([earlier.listed for earlier in before])
    if listed >= _MIN_TEXTS and crawl.listed < _COLLAPSED * listed:
        figures: dict[str, Figure] = {"listed": crawl.listed, "usual": round(listed)}
        return [_crawl_finding("collapsed", Message("{listed} texts were listed, usually {usual}", figures))]
    return _find_failures(crawl, before)


def _find_failures(crawl: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    if len(before) < _MIN_CRAWLS:
        return []
    tried, share = crawl.texts + crawl.failed, median([_success_share(earlier) for earlier in before])
    if tried >= _MIN_TEXTS and share > 0 and _success_share(crawl) < _COLLAPSED * share:
        figures: dict[str, Figure] = {"texts": crawl.texts, "pages": tried, "usual": share}
        return [
            _crawl_finding(
                "collapsed", Message("{texts} of {pages} pages had a text, usually {usual:.0%}", figures)
            )
        ]
    return []


def _find_uncertainty(crawl: CrawlSummary, before: Sequence[CrawlSummary]) -> list[CrawlFinding]:
    if len(before) < _MIN_CRAWLS or crawl.texts < _MIN_TEXTS:
        return []
    usual = median([earlier.confidence for earlier in before])
    if usual >= _USUAL_CONFIDENCE and crawl.confidence < _MIN_CONFIDENCE:
        figures: dict[str, Figure] = {"now": crawl.confidence, "usual": usual}
        message = Message("confidence of extraction {now:.2f}, usually {usual:.2f}", figures)
        return [_crawl_finding("collapsed", message)]
    return []


def shortage(crawls: Sequence[Crawl], crawl: CrawlSummary) -> list[CrawlFinding]:
    """Return a finding if a site's pauses leave too little time for all texts; the crawl may still be sound.

    Args:
        crawls: of one source within a scan.
        crawl: their summary.
    """
    pauses = max((run.counts.get("pause_s", 0) for run in crawls), default=0)
    reach = min((run.counts["reach"] for run in crawls if "reach" in run.counts), default=crawl.listed)
    if reach >= crawl.listed:
        return []
    message = Message(
        "only {reach} requests fit into the time limit at {pauses} s each, but {listed} texts were listed",
        {"reach": reach, "pauses": pauses, "listed": crawl.listed},
    )
    return [_crawl_finding("slow", message)]


def _success_share(crawl: CrawlSummary) -> float:
    return crawl.texts / max(1, crawl.texts + crawl.failed)

"""Whole outcomes of comparisons as plain data: what ``tests/golden/comparisons.json`` pins.

Write the file anew, only when a change of outcomes is meant:
``PYTHONPATH=.:tests .venv/bin/python -m support.outcomes``
"""

import json
from functools import cache
from pathlib import Path

from deploy.demo.plan import plan
from deploy.demo.samples import MOTHER_CORPUS, load_samples
from storage.records import Homophone, Span
from tracker.comparison import ComparedText, Comparison, Corpus, Facts, PassageMatch, compare
from tracker.corpus.folder import load_folder
from tracker.corpus.reading import read_works

GOLDEN = Path(__file__).parent.parent / "golden" / "comparisons.json"


@cache
def sample_corpus() -> Corpus:
    """Return the protected samples as a mother corpus in memory."""
    problems: list[Exception] = []
    works = (work for path in MOTHER_CORPUS for work in read_works(path))
    corpus = load_folder(works, report=problems.append)
    assert not problems
    return corpus


@cache
def sample_texts() -> dict[str, tuple[str, Facts]]:
    """Return the demo's pages, every sample as it is, and texts at the edges, by name."""
    pages = {
        f"{page.site}{page.path} {page.disguise}": (
            page.text,
            Facts(site=page.site, bylines=(page.title, page.author)),
        )
        for page in plan()
    }
    samples = {f"sample {ref}": (sample.text, Facts()) for ref, sample in load_samples().items()}
    chapter, article = load_samples()["青灯渡:1"].text, load_samples()["news:1"].text
    edges = {
        "edge empty": "",
        "edge no Han": "abc 123",
        "edge short": chapter[40:90],
        "edge shorter": chapter[40:70],
        "edge said again": "\n".join([chapter[100:160]] * 40),
        "edge two works": chapter + "\n" + article,
        "edge pinyin": chapter.replace("的", "de").replace("灯", "deng"),
    }
    return pages | samples | {name: (text, Facts()) for name, text in edges.items()}


def outcome_of(name: str) -> dict[str, object]:
    """Return the whole outcome of comparing a sample text."""
    text, facts = sample_texts()[name]
    return as_data(compare(ComparedText(text), sample_corpus(), facts=facts))


def as_data(result: Comparison) -> dict[str, object]:
    """Return everything that a comparison says, as JSON holds it."""
    return {
        "chars": result.chars,
        "verdict": result.verdict,
        "coverage": result.coverage,
        "copied_chars": result.copied_chars,
        "low_confidence": result.low_confidence,
        "dropped": result.dropped,
        "capped": result.capped,
        "matches": [_match(match) for match in result.matches],
    }


def _match(match: PassageMatch) -> dict[str, object]:
    return {
        "work": match.work.title,
        "passage": match.passage.id,
        "profile": match.profile,
        "verdict": match.verdict,
        "coverage": match.coverage,
        "passage_coverage": match.passage_coverage,
        "copied_chars": match.copied_chars,
        "taken_chars": match.taken_chars,
        "longest_span": match.longest_span,
        "char_identity": match.char_identity,
        "sound_identity": match.sound_identity,
        "disguises": list(match.disguises),
        "homophones": [_homophone(pair) for pair in match.homophones],
        "anchors": dict(sorted(match.anchors.items())),
        "counts": match.counts,
        "licence": match.licence,
        "page_older": bool(match.page_older_by),
        "because": match.reviewed.because,
        "spans": [_span(span) for span in match.spans],
        "common": [_span(span) for span in match.common],
        "suppressed": [_span(suppressed.span) for suppressed in match.suppressed],
    }


def _homophone(pair: Homophone) -> list[object]:
    read = f"{pair.character} {pair.syllable} / {pair.original} {pair.original_syllable}"
    return [pair.page, pair.passage, read, pair.kind, pair.times]


def _span(span: Span) -> list[object]:
    places = [span.page_start, span.page_end, span.passage_start, span.passage_end]
    return [*places, span.char_identity, span.sound_identity, *span.disguises]


def _write() -> None:
    lines = (
        f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(outcome_of(name), ensure_ascii=False)}"
        for name in sample_texts()
    )
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    _write()

"""Accuracy of spans: the whole comparison of pages for which every copied character is known.

For each kind of change the tables show: precision and recall of the spans' characters, in the page and in the
passage; the errors of the coverage and of both identities; and the numbers of copy and partial verdicts, also
for pages that copy nothing.

The peer is ``difflib.SequenceMatcher``, the obvious first implementation. It gets the correct passage and has
to return only the matching blocks, which are joined if they are close to each other. A second peer is
rapidfuzz, which aligns the whole page with the whole passage.
"""

import difflib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel
from support.changed.corpora import Material
from support.changed.texts import Page
from support.changed.truth import Known, Share, blocks_of, known_pages, true_identities

from benchmarks.report import Table
from benchmarks.tracker_search import FullComparison
from tracker.comparison import ComparedText, Comparison, compare

PINDNA, DIFFLIB, RAPIDFUZZ = "pindna check", "difflib", "rapidfuzz indel"
DISTRACTORS = "distractors"
_MIN_BLOCK = 8  # minimum characters of a peer's block
_JOIN = 12  # maximum characters between two blocks of a peer's span
_PEER_PAGES = 3  # pages of each kind of text for peers, because difflib takes a second per page

_Bools = npt.NDArray[np.bool_]


@dataclass(slots=True)
class SpanScore:
    """Accuracy of one method's spans on one kind of page, summed over all pages.

    Attributes:
        method, change, kind: the method, the kind of change and the kind of text.
        pages: number of pages.
        reported, true, right: numbers of the pages' characters that are in spans, that are really copied, and
            that are both.
        there_reported, there_true, there_right: the same numbers for characters of the correct passages.
        coverage_errors, char_errors, sound_errors: absolute errors of the coverage and of the identities.
        copies, partials: numbers of pages with the verdict copy, and partial.
        seconds: total time for all pages.
    """

    method: str
    change: str
    kind: str
    pages: int = 0
    reported: int = 0
    true: int = 0
    right: int = 0
    there_reported: int = 0
    there_true: int = 0
    there_right: int = 0
    coverage_errors: list[float] = field(default_factory=list)
    char_errors: list[float] = field(default_factory=list)
    sound_errors: list[float] = field(default_factory=list)
    copies: int = 0
    partials: int = 0
    seconds: float = 0.0

    @property
    def precision(self) -> float:
        """Share of the characters in spans that are really copied."""
        return self.right / self.reported if self.reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the copied characters that are in spans."""
        return self.right / self.true if self.true else 1.0

    @property
    def passage_scores(self) -> tuple[float, float]:
        """Precision and recall of the characters of the passages."""
        precision = self.there_right / self.there_reported if self.there_reported else 1.0
        return precision, self.there_right / self.there_true if self.there_true else 1.0

    def add_page(self, in_spans: _Bools, true: _Bools) -> None:
        """Add the numbers of a page's characters."""
        self.pages += 1
        self.reported += int(in_spans.sum())
        self.true += int(true.sum())
        self.right += int((in_spans & true).sum())

    def add_passage(self, in_spans: _Bools, true: _Bools) -> None:
        """Add the numbers of a passage's characters."""
        self.there_reported += int(in_spans.sum())
        self.there_true += int(true.sum())
        self.there_right += int((in_spans & true).sum())


def measure(material: Material, *, seed: int) -> list[SpanScore]:
    """Return the scores of pindna and its peers on the same pages.

    Args:
        material: the texts.
        seed: seed of the random changes.
    """
    scores: dict[tuple[str, str, str], SpanScore] = {}

    def score(method: str, change: str, kind: str) -> SpanScore:
        return scores.setdefault((method, change, kind), SpanScore(method, change, kind))

    checker = FullComparison()
    checker.add(material.passages)
    originals = {passage.id: passage.text for passage in material.passages}
    for kind in ("novel", "news"):
        pages = [page for page in material.questions if page.kind == kind]
        for page in known_pages(pages, originals, material.around, seed=seed):
            _check_page(page, checker, score(PINDNA, page.change, kind))
        for page in known_pages(pages[:_PEER_PAGES], originals, material.around, seed=seed):
            for name, blocks in _PEERS.items():
                _check_page_with_peer(page, blocks, score(name, page.change, kind))
        foreign = [page for page in material.distractors if page.kind == kind]
        for page in _pages_without_copies(foreign):
            _check_page(page, checker, score(PINDNA, DISTRACTORS, kind))
    return list(scores.values())


def _pages_without_copies(pages: Iterable[Page]) -> Iterator[Known]:
    return (Known(DISTRACTORS, page.kind, page.text, ()) for page in pages)


def _check_page(page: Known, checker: FullComparison, score: SpanScore) -> None:
    start = time.perf_counter()
    result = compare(ComparedText(page.text), checker.corpus)
    score.seconds += time.perf_counter() - start
    counted = [match for match in result.matches if match.verdict != "common"]
    spans = [(span.page_start, span.page_end) for match in counted for span in match.spans]
    true = page.copied
    score.add_page(_span_mask(spans, len(page.text)), true)
    score.coverage_errors.append(abs(result.coverage - float(true.mean())))
    score.copies += result.verdict == "copy"
    score.partials += result.verdict == "partial"
    for share in page.shares:
        _judge_share(page, share, result, score)


def _judge_share(page: Known, share: Share, result: Comparison, score: SpanScore) -> None:
    share_matches = [match for match in result.matches if match.passage.id in share.passage_ids]
    there = [(span.passage_start, span.passage_end) for match in share_matches for span in match.spans]
    score.add_passage(_span_mask(there, len(share.original)), _copied_mask(share))
    if share_matches:
        character, sound = true_identities(page, share)
        score.char_errors.append(abs(share_matches[0].char_identity - character))
        score.sound_errors.append(abs(share_matches[0].sound_identity - sound))


def _copied_mask(share: Share) -> _Bools:
    """Return which characters of a passage are in copied blocks, including those that an edit removed."""
    return _span_mask(
        (passage_block for _block, passage_block in blocks_of(share.origins)), len(share.original)
    )


def _span_mask(spans: Iterable[tuple[int, int]], length: int) -> _Bools:
    mask = np.zeros(length, dtype=bool)
    for start, end in spans:
        mask[start:end] = True
    return mask


_Block = tuple[int, int, int]


def _difflib_blocks(page: str, passage: str) -> Sequence[_Block]:
    return difflib.SequenceMatcher(None, page, passage, autojunk=False).get_matching_blocks()


def _rapidfuzz_blocks(page: str, passage: str) -> Sequence[_Block]:
    return [(block.a, block.b, block.size) for block in Indel.opcodes(page, passage).as_matching_blocks()]


_PEERS = {DIFFLIB: _difflib_blocks, RAPIDFUZZ: _rapidfuzz_blocks}


def _check_page_with_peer(
    page: Known, blocks: Callable[[str, str], Sequence[_Block]], score: SpanScore
) -> None:
    in_spans = np.zeros(len(page.text), dtype=bool)
    start = time.perf_counter()
    for share in page.shares:
        spans = list(
            _join_blocks([block for block in blocks(page.text, share.original) if block[2] >= _MIN_BLOCK])
        )
        in_spans |= _span_mask([(a, b) for a, b, _c, _d in spans], len(page.text))
        score.add_passage(
            _span_mask([(c, d) for _a, _b, c, d in spans], len(share.original)), _copied_mask(share)
        )
    score.seconds += time.perf_counter() - start
    true = page.copied
    score.add_page(in_spans, true)
    score.coverage_errors.append(abs(float(in_spans.mean()) - float(true.mean())))


def _join_blocks(blocks: Sequence[_Block]) -> Iterator[tuple[int, int, int, int]]:
    """Join blocks that are close to each other in the page and in the passage, and yield the spans."""
    span: tuple[int, int, int, int] | None = None
    for a, c, size in blocks:
        if span and 0 <= a - span[1] <= _JOIN and 0 <= c - span[3] <= _JOIN:
            span = (span[0], a + size, span[2], c + size)
            continue
        if span:
            yield span
        span = (a, a + size, c, c + size)
    if span:
        yield span


_UNITS = (("novel", "novel pages of 3,000 characters"), ("news", "news articles"))


def tables(scores: Sequence[SpanScore]) -> list[Table]:
    """Return tables of pindna's scores by kind of change, and of the comparison with its peers."""
    shown = []
    for kind, unit in _UNITS:
        pindna_scores = [score for score in scores if score.kind == kind and score.method == PINDNA]
        if pindna_scores:
            shown.append(_pindna_table(pindna_scores, unit))
            shown.append(_peer_table([score for score in scores if score.kind == kind], unit))
    return shown


def _pindna_table(scores: Sequence[SpanScore], unit: str) -> Table:
    head = (
        "page",
        "pages",
        "precision",
        "recall",
        "in the passage",
        "coverage error",
        "character identity error",
        "sound identity error",
        "copy / partial",
        "ms",
    )
    rows = (
        (
            score.change,
            str(score.pages),
            f"{score.precision:.3f}",
            f"{score.recall:.3f}",
            " / ".join(f"{share:.3f}" for share in score.passage_scores),
            _format_errors(score.coverage_errors),
            _format_errors(score.char_errors),
            _format_errors(score.sound_errors),
            f"{score.copies} / {score.partials}",
            f"{1000 * score.seconds / score.pages:.1f}",
        )
        for score in scores
    )
    return Table(f"Spans against the truth ({unit})", head, tuple(rows))


def _peer_table(scores: Sequence[SpanScore], unit: str) -> Table:
    by = {(score.method, score.change): score for score in scores}
    methods = (PINDNA, *_PEERS)
    changes = [score.change for score in scores if score.method == PINDNA and score.change != DISTRACTORS]
    return Table(
        f"Spans: precision / recall / ms ({unit}; peers get the correct passage)",
        ("page", *methods),
        tuple((change, *(_peer_cell(by.get((name, change))) for name in methods)) for change in changes),
    )


def _peer_cell(score: SpanScore | None) -> str:
    if score is None:
        return "–"
    return f"{score.precision:.3f} / {score.recall:.3f} / {1000 * score.seconds / score.pages:.1f}"


def _format_errors(errors: Sequence[float]) -> str:
    return f"{np.mean(errors):.3f} (≤ {max(errors):.2f})" if errors else "–"

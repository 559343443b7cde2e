"""Evaluation of other thresholds or profile versions on reviewed matches or labelled texts.

An *item* is a match that an analyst confirmed or dismissed, or a text with a label. It is *found* if its
verdict is ``copy`` or ``partial``; it should be found if it was confirmed, or labelled so. A match is judged
alone, from its stored extent; a labelled text is compared like in ``pindna check``.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from storage.records import LEADS, VERDICTS, Match, Verdict, Work, WorkKind
from system.errors import PindnaError
from system.local_files import MAX_FILE_BYTES, readable
from tracker.comparison import Corpus, compare
from tracker.corpus.texts import compared_text, read_text
from tracker.judgement.profiles import Profile
from tracker.judgement.verdict import AMPLE_BITS, Extent, judge, milder_outside, without_background

LABELS = "labels.csv"

Profiles = Mapping[WorkKind, Profile]


class NoLabels(PindnaError):
    """A folder contains no labelled texts.

    Attributes:
        path: the file or folder.
    """

    template = (
        "{path} contains no labelled texts. Put them into folders named by verdicts, such as "
        "copy/ and clear/, or list them in labels.csv with a label each."
    )


class BadLabel(PindnaError):
    """A label is not a verdict.

    Attributes:
        path: the file or folder.
        label: the label.
    """

    template = "{path}: “{label}” is not a verdict. Write copy, partial, quote, common, licensed or clear."


class NothingReviewed(PindnaError):
    """No match was confirmed or dismissed yet."""

    template = (
        "No match has been reviewed yet. Review some with `pindna review confirm` and `pindna "
        "dismiss`, or pass labelled texts with --folder."
    )


@dataclass(frozen=True, slots=True)
class EvaluatedItem:
    """An item with a known right verdict.

    Attributes:
        name: a match's name or a file.
        expected: it should be found.
        before, after: its verdicts under the present and under the other thresholds.
    """

    name: str
    expected: bool
    before: Verdict
    after: Verdict

    @property
    def is_mistaken(self) -> bool:
        """Return whether the other thresholds miss it, or find it wrongly."""
        return self.expected != (self.after in LEADS)


@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    """Agreement of verdicts with the right ones. ``None`` where the divisor is zero."""

    found_rightly: int
    found_wrongly: int
    missed: int
    left_rightly: int

    @property
    def precision(self) -> float | None:
        """Share of the found items that should be found."""
        positives = self.found_rightly + self.found_wrongly
        return round(self.found_rightly / positives, 4) if positives else None

    @property
    def recall(self) -> float | None:
        """Share of the items to be found that were found."""
        relevant = self.found_rightly + self.missed
        return round(self.found_rightly / relevant, 4) if relevant else None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of both sets of thresholds on the same items.

    Attributes:
        items: all of them.
        left_out: reviewed matches of an older version, which have no extent.
    """

    items: tuple[EvaluatedItem, ...]
    left_out: int = 0

    @property
    def before(self) -> EvaluationFigures:
        """Figures under the present thresholds."""
        return _figures_of([(item.expected, item.before) for item in self.items])

    @property
    def after(self) -> EvaluationFigures:
        """Figures under the other thresholds."""
        return _figures_of([(item.expected, item.after) for item in self.items])

    @property
    def mistakes(self) -> tuple[EvaluatedItem, ...]:
        """The items that the other thresholds miss, and then those that they find wrongly."""
        mistaken = (item for item in self.items if item.is_mistaken)
        return tuple(sorted(mistaken, key=lambda item: not item.expected))

    @property
    def changed(self) -> tuple[EvaluatedItem, ...]:
        """The items that get another verdict."""
        return tuple(item for item in self.items if item.before != item.after)

    @property
    def changes(self) -> list[tuple[Verdict, Verdict, int]]:
        """Each pair of different verdicts with how many items got it, the gravest first."""
        counts = Counter((item.before, item.after) for item in self.changed)
        pairs = [(before, after) for before in VERDICTS for after in VERDICTS]
        return [(*pair, counts[pair]) for pair in pairs if counts[pair]]


def _figures_of(verdicts: Sequence[tuple[bool, Verdict]]) -> EvaluationFigures:
    pairs = [(expected, verdict in LEADS) for expected, verdict in verdicts]
    return EvaluationFigures(
        *(pairs.count(pair) for pair in ((True, True), (False, True), (True, False), (False, False)))
    )


def evaluate_matches(
    matches: Sequence[Match], works: Mapping[int, Work], before: Profiles, after: Profiles
) -> Evaluation:
    """Judge reviewed matches from their stored extents.

    Args:
        matches: confirmed and dismissed ones.
        works: by their ids; a removed one counts as a novel.
        before: the present thresholds.
        after: the other ones.

    Raises:
        NothingReviewed: there is no match with an extent.
    """
    usable = [match for match in matches if match.page_chars and match.taken_chars]
    if not usable:
        raise NothingReviewed
    items = []
    for match in usable:
        work = works.get(match.work_id)
        kind: WorkKind = work.kind if work else "novel"
        verdicts = (_verdict_of(match, work, profiles[kind]) for profiles in (before, after))
        items.append(EvaluatedItem(match.name, match.review == "confirmed", *verdicts))
    return Evaluation(tuple(items), len(matches) - len(usable))


def _verdict_of(match: Match, work: Work | None, profile: Profile) -> Verdict:
    """Return the verdict on a match by its stored extent."""
    copied_bits, page_bits, passage_bits = match.information or (AMPLE_BITS,) * 3
    whole = Extent(
        page_chars=match.page_chars,
        copied_chars=round(match.coverage * match.page_chars),
        taken_chars=match.taken_chars,
        passage_chars=round(match.taken_chars / match.passage_coverage) if match.passage_coverage else 0,
        work_chars=work.characters if work else 0,
        copied_bits=copied_bits,
        page_bits=page_bits,
        passage_bits=passage_bits,
        char_identity=match.char_identity,
    )
    background = {"page": match.page_background, "passage": match.passage_background}
    extent = without_background(whole, **background, profile=profile)
    verdict = judge(extent, profile)
    return milder_outside(verdict, extent.amount) if match.part == "rest" else verdict


def evaluate_folder(
    folder: Path, corpus: Corpus, before: Profiles, after: Profiles, *, max_bytes: int = MAX_FILE_BYTES
) -> Evaluation:
    """Compare labelled texts with a mother corpus under both sets of thresholds.

    Args:
        folder: folders named by verdicts with texts in them, or texts and ``labels.csv`` (file, label).
        corpus: the corpus to compare with.
        before: the present thresholds.
        after: the other ones.
        max_bytes: refuse longer texts.

    Raises:
        NoLabels: there are no labelled texts.
        BadLabel: a label is not a verdict.
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: a file cannot be read.
        EmptyFile, BinaryFile, NoHanText: a text cannot be used.
    """
    items = []
    for path, expected in labelled_texts(folder):
        text = compared_text(read_text(path, needs_han=False, max_bytes=max_bytes), readable(path))
        verdicts = (compare(text, replace(corpus, profiles=profiles)).verdict for profiles in (before, after))
        items.append(EvaluatedItem(readable(path), expected in LEADS, *verdicts))
    return Evaluation(tuple(items))


def labelled_texts(folder: Path) -> Iterator[tuple[Path, Verdict]]:
    """Yield the texts of a folder with their labels, in order.

    Raises:
        NoLabels: there are none.
        BadLabel: a label is not a verdict.
    """
    texts = list(_read_labels(folder) if (folder / LABELS).is_file() else _sorted_into_folders(folder))
    if not texts:
        raise NoLabels(path=readable(folder))
    yield from texts


def _sorted_into_folders(folder: Path) -> Iterator[tuple[Path, Verdict]]:
    for verdict in VERDICTS:
        for path in sorted((folder / verdict).glob("*")):
            if path.suffix.lower() == ".txt":
                yield path, verdict


def _read_labels(folder: Path) -> Iterator[tuple[Path, Verdict]]:
    text = read_text(folder / LABELS, needs_han=False)
    for row in csv.reader(text.splitlines()):
        cells = [cell.strip() for cell in row]
        if len(cells) < 2 or cells[:2] == ["file", "label"]:  # noqa: PLR2004 - a file and its label
            continue
        label = next((verdict for verdict in VERDICTS if verdict == cells[1].lower()), None)
        if label is None:
            raise BadLabel(path=readable(folder / LABELS), label=cells[1])
        yield folder / cells[0], label

"""``pindna measure``: measure statistics that the methods need on the user's own texts."""

from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import numpy as np
import typer

from analysis.words.i18n import gettext as _
from deploy.cli.compare.documents import DocumentReader, Paths
from deploy.cli.compare.methods import Dictionary
from deploy.cli.console import print_progress
from deploy.cli.files import write
from fingerprint.idf import Idf, learn_idf
from fingerprint.reference import measure_reference
from fingerprint.text.letters import to_letters
from fingerprint.text.views import Views
from system.errors import PindnaError
from system.segmentation import segmenter
from tracker.similarity.measurements import letters_text, name_of, words_text

Output = Annotated[Path, typer.Option("--output", "-o", help=_("File to write; - for standard output."))]

_LETTERS = 26


class NothingMeasured(PindnaError):
    """None of the texts could be read."""

    template = "No text could be read, so nothing was measured. Give files or folders that contain texts."


class NoCommonWord(PindnaError):
    """No word occurs in enough texts. Data: ``least``."""

    template = "No word occurs in {least} texts, so nothing was measured. Give more texts, or lower --least."


def letters(paths: Paths, *, output: Output) -> None:
    reading = DocumentReader(output)
    counts = np.zeros(_LETTERS + 1, dtype=np.int64)
    for document in reading.documents(paths, _("Counting letters")):
        counts += np.bincount(to_letters(document.text).codes, minlength=_LETTERS + 1)
    if not counts.any():
        raise NothingMeasured
    letter_counts = {chr(96 + code): int(count) for code, count in enumerate(counts) if code}
    reference = measure_reference(name_of(letter_counts), letter_counts)
    write(output, letters_text(reference))
    message = _("{count} letters, reference {name}: {path}")
    _finish(reading, message.format(count=int(counts.sum()), name=reference.name, path=output))


def words(
    paths: Paths,
    *,
    output: Output,
    dictionary: Dictionary = None,
    least: Annotated[
        int, typer.Option(min=1, help=_("Omit words that occur in fewer texts; they count as unknown words."))
    ] = 2,
) -> None:
    segmented, reading = segmenter(dictionary), DocumentReader(output)
    documents = reading.documents(paths, _("Counting words"))
    learnt = learn_idf("", (Views(document.text, cut=segmented.cut).words for document in documents))
    if not learnt.documents:
        raise NothingMeasured
    kept = {word: count for word, count in learnt.counts.items() if count >= least}
    if not kept:
        raise NoCommonWord(least=least)
    idf = Idf(name_of({**kept, "": learnt.documents}), learnt.documents, MappingProxyType(kept))
    write(output, words_text(idf, segmented.words_id))
    message = _("{words} words of {texts} texts, weights {name}: {path}")
    _finish(reading, message.format(words=len(kept), texts=idf.documents, name=idf.name, path=output))


def _finish(reading: DocumentReader, message: str) -> None:
    print_progress(message)  # not standard output, which may contain the result
    if reading.tally.status:
        raise typer.Exit(reading.tally.status)

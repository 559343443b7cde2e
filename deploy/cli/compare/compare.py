"""``pindna compare``: compare two texts by every method in ``fingerprint/``, with verdict and time."""

import time
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from analysis.words.i18n import gettext as _
from deploy.cli.compare.methods import Dictionary, Weights, chosen_methods, words_of
from deploy.cli.inputs import read_input, text_of
from deploy.cli.options import AsJsonLines
from deploy.cli.tables import print_list
from fingerprint.idf import Idf
from fingerprint.method import Method
from fingerprint.text.views import Views
from storage.settings import load_settings
from system.segmentation import Segmenter

_WARM = Views("雨夜渡口青灯如豆老船工披着蓑衣坐在船头")
_VIEWS = ("normalised", "folded", "characters", "sentences", "words", "letters")


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The result of one method for two texts.

    Attributes:
        similarity: in [0, 1], as the method means it.
        alike: the method's own verdict: the similarity reaches its threshold.
        milliseconds: to fingerprint both texts and compare them; segmentation and the
            tables that a method keeps are made beforehand.
    """

    method: str
    params: str
    similarity: float
    threshold: float
    alike: bool
    milliseconds: float


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help=_("A text, a page or an address."))],
    right: Annotated[
        str, typer.Argument(metavar="B", help=_("The text, page or address to compare it with."))
    ],
    *,
    dictionary: Dictionary = None,
    idf: Weights = None,
    as_json: AsJsonLines = False,
) -> None:
    limit = load_settings().tracker.max_file_bytes
    texts = text_of(read_input(first, max_bytes=limit)), text_of(read_input(right, max_bytes=limit))
    rows = results_of_methods(texts, *words_of(dictionary, idf))
    headers = _("method"), _("similarity"), _("threshold"), _("similar"), _("milliseconds")
    print_list(rows, asdict, headers, _cells, as_json=as_json)


def _cells(row: MethodResult) -> tuple[str, ...]:
    alike = _("yes") if row.alike else _("no")
    return row.method, f"{row.similarity:.3f}", f"{row.threshold:g}", alike, f"{row.milliseconds:.2f}"


def results_of_methods(texts: tuple[str, str], words: Segmenter, idf: Idf) -> list[MethodResult]:
    """Return the result of every method for two texts."""
    views = tuple(Views(text, cut=words.cut) for text in texts)
    for view in views:
        for name in _VIEWS:  # computed before, so that the time of the first method does not include it
            getattr(view, name)
    return [_result(method, views) for method in chosen_methods(words, idf)]


def _result(method: Method[Any], views: tuple[Views, ...]) -> MethodResult:
    method.fingerprint(_WARM)
    started = time.perf_counter()
    similarity = method.similarity(*(method.fingerprint(view) for view in views))
    elapsed = time.perf_counter() - started
    return MethodResult(
        method=method.name,
        params=method.params_id,
        similarity=round(similarity, 4),
        threshold=method.threshold,
        alike=similarity >= method.threshold,
        milliseconds=round(elapsed * 1000, 3),
    )

"""The extractors that are measured: pindna, and the installed libraries of the extra ``bench``."""

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import trafilatura
from lxml import html as lxml_html
from trafilatura.settings import use_config

from benchmarks.extraction import ExtractedText, Extractor
from crawler.extraction import extract
from crawler.extraction.parsing import lines_of
from storage.records import PageKind

_TEXTS: frozenset[PageKind] = frozenset({"article", "chapter", "thread", "incomplete"})


def all_extractors() -> dict[str, Extractor]:
    """Return name → extractor, in the order in which tables list them."""
    extractors: dict[str, Extractor] = {
        "pindna": _extract_with_pindna,
        "trafilatura, defaults": _as_extractor(_extract_with_trafilatura),
        "trafilatura, tuned": _as_extractor(_tuned_trafilatura()),
    }
    if find_spec("readability"):
        extractors["readability-lxml"] = _as_extractor(_readability_extractor(import_module("readability")))
    if find_spec("newspaper"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns about missing optional packages
            extractors["newspaper4k"] = _as_extractor(_newspaper_extractor(import_module("newspaper")))
    return extractors


def _extract_with_pindna(html: str) -> ExtractedText:
    extracted = extract(html.encode("utf-8", "replace"), declared="utf-8")
    return ExtractedText(extracted.text, extracted.kind in _TEXTS)


def _as_extractor(run: Callable[[str], str]) -> Extractor:
    """Return an extractor that calls a library. A page counts as a text if the library returns any text."""

    def extract_text(html: str) -> ExtractedText:
        try:
            text = run(html)
        except ValueError:  # lxml raises it for control characters that a library does not remove
            text = ""
        return ExtractedText(text, bool(text.strip()))

    return extract_text


def _extract_with_trafilatura(html: str) -> str:
    return trafilatura.extract(html) or ""


def _tuned_trafilatura() -> Callable[[str], str]:
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")

    def extract_text(html: str) -> str:
        text = trafilatura.extract(html, include_comments=False, favor_precision=True, config=config)
        return text or ""

    return extract_text


def _readability_extractor(module: Any) -> Callable[[str], str]:
    def extract_text(html: str) -> str:
        try:
            summary = module.Document(html).summary(html_partial=True)
        except module.readability.Unparseable:
            return ""
        return "\n".join(lines_of(lxml_html.fragment_fromstring(summary, create_parent=True)))

    return extract_text


def _newspaper_extractor(module: Any) -> Callable[[str], str]:
    config = module.Config()
    config.fetch_images = False

    def extract_text(html: str) -> str:
        article = module.Article("http://x.example/", language="zh", config=config)
        article.download(input_html=html)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            article.parse()
        return str(article.text)

    return extract_text

"""The extractors that are measured: pindna, and the libraries that are installed (extra ``bench``)."""

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import trafilatura
from lxml import html as lxml_html  # type: ignore[import-untyped]
from trafilatura.settings import use_config

from benchmarks.extraction import TEXT_KINDS, pindna
from crawler.parsing import lines_of


def everyone() -> dict[str, Callable[[str], str]]:
    """Return every extractor by name, in the order of tables."""
    found: dict[str, Callable[[str], str]] = {
        "pindna": _pindna,
        "trafilatura, defaults": _trafilatura,
        "trafilatura, tuned": _trafilatura_tuned(),
    }
    if find_spec("readability"):
        found["readability-lxml"] = _readability(import_module("readability"))
    if find_spec("newspaper"):
        found["newspaper4k"] = _newspaper(import_module("newspaper"))
    return found


def _pindna(html: str) -> str:
    return pindna(html).text


def _trafilatura(html: str) -> str:
    return trafilatura.extract(html) or ""


def _trafilatura_tuned() -> Callable[[str], str]:
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "100")

    def run(html: str) -> str:
        found = trafilatura.extract(html, include_comments=False, favor_precision=True, config=config)
        return found or ""

    return run


def _readability(module: Any) -> Callable[[str], str]:
    def run(html: str) -> str:
        try:
            summary = module.Document(html).summary(html_partial=True)
        except module.readability.Unparseable:
            return ""
        return "\n".join(lines_of(lxml_html.fragment_fromstring(summary, create_parent=True)))

    return run


def _newspaper(module: Any) -> Callable[[str], str]:
    config = module.Config()
    config.fetch_images = False

    def run(html: str) -> str:
        article = module.Article("http://x.example/", language="zh", config=config)
        article.download(input_html=html)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            article.parse()
        return str(article.text)

    return run

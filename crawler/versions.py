"""The versions of everything that influences a result: pindna, Python and libraries."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from lxml.etree import LIBXML_VERSION

from crawler.extraction import EXTRACTION_VERSION
from system.version import VERSION

_LIBRARIES = (
    "backports.zstd", "brotli", "courlan", "cssselect", "htmldate", "jusText", "lxml", "lxml_html_clean",
    "numpy", "parsel", "pypinyin", "rapidfuzz", "scrapy", "tldextract", "trafilatura", "w3lib", "warcio",
)  # fmt: skip


@cache
def versions() -> dict[str, str]:
    """Return name → version, by name; only installed libraries."""
    installed = {
        "pindna": VERSION,
        "python": platform.python_version(),
        "extraction": EXTRACTION_VERSION,
        "libxml2": ".".join(map(str, LIBXML_VERSION)),
    }
    for name in _LIBRARIES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(sorted(installed.items()))

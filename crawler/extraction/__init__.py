"""A page's bytes to its text and fields. Pure: no network, no clock, no database."""

from crawler.extraction.open_page import NO_CONTEXT, PageContext
from crawler.extraction.page import EXTRACTION_VERSION, extract
from crawler.extraction.result import Extracted

__all__ = ["EXTRACTION_VERSION", "NO_CONTEXT", "Extracted", "PageContext", "extract"]

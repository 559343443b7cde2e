"""Extract the text and fields of a page from its bytes. Pure: no network, no clock, no database."""

from crawler.extraction.open_page import NO_CONTEXT, PageContext
from crawler.extraction.page import EXTRACTION_VERSION, extract
from crawler.extraction.result import ExtractedPage

__all__ = ["EXTRACTION_VERSION", "NO_CONTEXT", "ExtractedPage", "PageContext", "extract"]

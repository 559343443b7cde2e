"""A page's bytes to its text and fields. Pure: no network, no clock, no database."""

from crawler.extraction.page import Extracted, extract

__all__ = ["Extracted", "extract"]

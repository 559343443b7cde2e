"""A page's bytes to its text and fields. Pure: no network, no clock, no database."""

from crawler.extraction.page import NOTHING, Extracted, Known, extract

__all__ = ["NOTHING", "Extracted", "Known", "extract"]

"""Spiders: choose the addresses to request next. :mod:`crawler.extraction` reads the pages."""

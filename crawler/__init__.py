"""Crawls news and novel sites and strips each page to its text.

Extraction (:mod:`crawler.extraction` and what it uses) is pure: bytes in, values out. Spiders, middlewares
and pipelines do the network and the storing. Start one crawl with ``python -m crawler``.
"""

"""Crawls news and novel sites and strips each page to its text.

Extraction (:mod:`crawler.extraction` and what it uses) is pure: bytes in, values out. Spiders, middlewares
and pipelines do the network and the storing. Start one crawl with ``python -m crawler``.

A function that uses MongoDB or Redis raises :class:`system.errors.ServiceDown` when the server does not
answer. The caller may repeat the call. Docstrings mention this error only if more follows from it.
"""

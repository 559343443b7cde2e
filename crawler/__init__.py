"""The crawler: fetches pages of news and novel sites and extracts their text.

Extraction (:mod:`crawler.extraction` and its imports) is pure: bytes in, values out. Spiders, middlewares
and pipelines use the network and the database. Start one crawl with ``python -m crawler``.

A function that uses MongoDB or Redis raises :class:`system.errors.ServiceDown` when the server does not
answer. The caller may repeat the call. Docstrings mention this error only if it has further consequences.
"""

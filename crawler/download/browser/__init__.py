"""Renders pages in a browser, behind a forward proxy that keeps the browser out of our network.

``handler`` connects Chromium to Scrapy's downloader; ``page`` handles one page. All connections of the
browser go through ``crawler.download.forwarding.proxy``. Only ``handler`` and its imports need the extra
``browser``.
"""

from storage.frontier.interface import EntryKind

RENDERED: frozenset[EntryKind] = frozenset({"index", "text"})  # sitemaps, feeds and queries are not rendered

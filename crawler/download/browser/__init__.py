"""Pages of named sources rendered in a browser, behind a forward proxy that keeps it out of our own network.

``handler`` puts Chromium under Scrapy's downloader; ``page`` is one page in it;
``crawler.download.forwarding.proxy`` is the only way out that the browser has. Only ``handler`` and what it
uses need the extra ``browser``; the rest imports without.
"""

from storage.frontier.interface import EntryKind

RENDERED: frozenset[EntryKind] = frozenset({"index", "text"})  # sitemaps, feeds and queries are not

"""Scrapy's cookies, without a request that nobody asked for.

Scrapy tells a site's own cookies from those for a whole public suffix with tldextract, which would fetch the
list of suffixes from the internet, past the guard. The list that tldextract brings along is used instead.
"""

from scrapy.downloadermiddlewares import cookies

from crawler.download.own_sites import split_domain

cookies._split_domain = split_domain  # noqa: SLF001 - there is no setting for it


class OfflineCookiesMiddleware(cookies.CookiesMiddleware):
    """Keeps cookies where the source wants them."""

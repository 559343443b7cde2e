"""Scrapy's cookies, without its request for the list of public suffixes.

Scrapy tells a site's own cookies from those for a whole public suffix with tldextract, which would fetch the
list of suffixes from the internet, past our checks of addresses. The list that tldextract brings along is
used instead.
"""

from scrapy.downloadermiddlewares import cookies

from system.sites import suffix_list

cookies._split_domain = suffix_list()  # noqa: SLF001 - there is no setting for it


class OfflineCookiesMiddleware(cookies.CookiesMiddleware):
    """Keeps cookies where the source wants them."""

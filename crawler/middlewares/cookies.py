"""Scrapy's cookies with a built-in list of public suffixes.

To reject cookies for a public suffix, Scrapy uses tldextract, which would download the list of suffixes
without our address checks. The list in the package tldextract is used instead.
"""

from scrapy.downloadermiddlewares import cookies

from system.sites import suffix_list

cookies._split_domain = suffix_list()  # noqa: SLF001 - there is no setting for it


class OfflineCookiesMiddleware(cookies.CookiesMiddleware):
    """Handles cookies of sources that enable them."""

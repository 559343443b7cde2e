"""Treats an immediate refresh as a redirect, by header or by meta element."""

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware

from crawler.pages.refreshing import header_refresh

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class RefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's middleware for the meta element, with a check of the header first."""

    def process_response(  # type: ignore[override] # Scrapy passes no spider to methods without the argument
        self, request: "Request", response: "Response"
    ) -> "Request | Response":
        """Return the response, or the request for its refresh target.

        Raises:
            IgnoreRequest: too many redirects.
        """
        refresh = header_refresh(response)
        if refresh is None or refresh[0] >= self._maxdelay or request.meta.get("dont_redirect", False):
            return super().process_response(request, response)
        redirected = self._redirect_request_using_get(request, response, refresh[1])
        return self._redirect(redirected, request, "refresh header")

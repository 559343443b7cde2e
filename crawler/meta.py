"""Keys of ``request.meta`` and flags of responses, shared by spiders, middlewares and handlers."""

REFERRER = "pindna_asked_by"  # address of the page that this response belongs to
CONDITIONAL = "pindna_conditional"  # the request may be answered with 304
ENTRY = "pindna_entry"  # the frontier entry that the request is for
HEADER_BLOCK = "pindna_header_block"  # status line and fields of the last response, as received
IDENTITY = "pindna_identity"  # number of the proxy identity
LOGIN = "pindna_login"  # the request body contains a login
SKIP_REASON = "pindna_not_asked"  # why the entry ends without a request
NOT_BEFORE = "pindna_not_before"  # earliest time to send the request; monotonic seconds
RECEIVED = "pindna_received"  # the exchange of the last response
REQUEST_BLOCK = "pindna_request_block"  # request line and fields of the last request, as sent
RENDER = "pindna_render"  # kind of entry to render in the browser; empty for plain HTTP
SHOWN = "pindna_shown"  # the same page as the browser showed it; None if that failed
SOCKS = "pindna_socks"  # the SOCKS proxy to go through
SEARCH = "pindna_search"  # the request goes to the search engine of the source
UNPACED = "pindna_unpaced"  # the request goes to our own service
VISIT = "pindna_visit"  # the stored visit of the address

BROKEN_OFF = "broken-off"  # flag of a response whose compressed body is truncated
FROM_BROWSER = "browser"  # flag of a response whose exchange the browser handler recorded

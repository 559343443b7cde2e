"""Keys of ``request.meta``, and flags of responses: what the parts of a crawl leave for one another."""

REFERRER = "pindna_asked_by"  # address of the page that refers to this one, which belongs to it
CONDITIONAL = "pindna_conditional"  # the request may be answered with 304
ENTRY = "pindna_entry"  # the frontier entry that the request is for
HEADER_BLOCK = "pindna_header_block"  # status line and fields of the last response, as they came
IDENTITY = "pindna_identity"  # number of the identity that asks
LOGIN = "pindna_login"  # the request's body is a login
SKIP_REASON = "pindna_not_asked"  # why the entry ends without a request
NOT_BEFORE = "pindna_not_before"  # when to ask at the earliest; monotonic seconds
RECEIVED = "pindna_received"  # the exchange of the last response
REQUEST_BLOCK = "pindna_request_block"  # request line and fields of the last request, as they were sent
RENDER = "pindna_render"  # what the browser is asked for; empty for a request that goes without it
SOCKS = "pindna_socks"  # the SOCKS proxy to go through
UNPACED = "pindna_unpaced"  # the request goes to a service of our own, e.g. a search engine
VISIT = "pindna_visit"  # what is known of the address

BROKEN_OFF = "broken-off"  # flag of a response whose compressed body has no end
FROM_BROWSER = "browser"  # flag of a response whose exchange the browser's handler kept

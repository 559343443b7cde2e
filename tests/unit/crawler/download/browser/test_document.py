"""The headers of an exchange that only the browser saw, as it tells them."""

from crawler.download.browser.document import WireHeaders, blocks_of

REQUEST = {"method": "GET", "url": "https://me:pw@a.example:81?b=c", "headers": {"Accept": "*/*"}}
HEADERS = (("Content-Type", "text/html"), ("X-Title", "渡口"))


def test_headers_of_the_browser_are_used_without_network_events():
    assert blocks_of(REQUEST, 404, HEADERS, wire=WireHeaders()) == (
        b"GET /?b=c HTTP/1.1\r\nHost: a.example:81\r\nAccept: */*",
        b"HTTP/1.1 404 \r\nContent-Type: text/html\r\nX-Title: " + "渡口".encode(),
    )


def test_evidence_is_the_headers_sent_over_the_network():
    wire = WireHeaders()
    wire.record_request(
        {"headers": {":authority": "a.example", "accept": "*/*", "cookie": "a=1", "dnt": "caf\xe9"}}
    )
    wire.record_response({"headers": {"content-type": "text/html", "set-cookie": "a=1\nb=2"}})
    assert blocks_of(REQUEST, 200, HEADERS, wire=wire) == (
        b"GET /?b=c HTTP/1.1\r\naccept: */*\r\ncookie: a=1\r\ndnt: caf\xe9",
        b"HTTP/1.1 200 \r\ncontent-type: text/html\r\nset-cookie: a=1\r\nset-cookie: b=2",
    )


def test_header_block_of_http_1_is_kept_as_it_came():
    wire, came = WireHeaders(), "HTTP/1.1 200 Fine\r\nx-b:  2\r\nSet-Cookie: a=1\r\n\r\n"
    wire.record_response({"headers": {"x-b": "2"}, "headersText": came})
    assert blocks_of(REQUEST, 200, HEADERS, wire=wire)[1] == came.strip().encode()

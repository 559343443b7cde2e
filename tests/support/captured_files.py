"""Files with pages that others captured, one of each form."""

import base64
import gzip
import io
import json
import zipfile

from support.webserver import article
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

URL = "https://copies.example/lamp/1.html"
DATE = "2021-05-06T07:08:09Z"
HTML = article("灯火").encode()
SOFTWARE = "testcrawl/1.0"


def warc(*, body=HTML, url=URL, date=DATE, status="200 OK", fields=(), compressed=True):
    """Return a WARC file with its program, a request, a response and a picture."""
    output = io.BytesIO()
    writer = WARCWriter(output, gzip=compressed)
    writer.write_record(writer.create_warcinfo_record("a.warc.gz", {"software": SOFTWARE}))
    headers = [("Content-Type", "text/html; charset=utf-8"), *fields]
    response = writer.create_warc_record(
        url,
        "response",
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=StatusAndHeaders(status, headers, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": date},
    )
    request = writer.create_warc_record(
        url,
        "request",
        http_headers=StatusAndHeaders(
            "GET /lamp/1.html HTTP/1.1", [("Host", "copies.example")], is_http_request=True
        ),
        warc_headers_dict={"WARC-Date": date},
    )
    writer.write_request_response_pair(request, response)
    picture = writer.create_warc_record(
        "https://copies.example/a.png",
        "response",
        payload=io.BytesIO(b"\x89PNG"),
        length=4,
        http_headers=StatusAndHeaders("200 OK", [("Content-Type", "image/png")], protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": date},
    )
    writer.write_record(picture)
    return output.getvalue()


def wacz(*, members=None, packed=False):
    """Return a WACZ file; other members make a multi-WACZ."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        archive.writestr("datapackage.json", '{"profile": "data-package"}')
        for name, data in (members or {"archive/data.warc.gz": warc()}).items():
            archive.writestr(name, data)
    return output.getvalue()


def har(*, text=HTML, date=DATE):
    """Return a HAR file with a page."""
    content = {
        "mimeType": "text/html; charset=utf-8",
        "encoding": "base64",
        "text": base64.b64encode(text).decode(),
    }
    headers = [{"name": "Content-Encoding", "value": "br"}, {"name": "Server", "value": "x"}]
    entry = {
        "startedDateTime": date,
        "request": {"method": "GET", "url": URL},
        "response": {"status": 200, "statusText": "OK", "headers": headers, "content": content},
    }
    return json.dumps({"log": {"version": "1.2", "creator": {"name": SOFTWARE}, "entries": [entry]}}).encode()


def mhtml():
    """Return an MHTML file with a page."""
    return (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: " + URL.encode() + b"\r\nSubject: x\r\n"
        b"Date: Thu, 6 May 2021 07:08:09 -0000\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n\r\n--b\r\n'
        b"Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\nContent-Location: "
        + URL.encode()
        + b"\r\n\r\n"
        + base64.encodebytes(HTML)
        + b"\r\n--b--\r\n"
    )


def saved_page():
    """Return a page as a browser saves it."""
    return HTML.replace(
        b"<html>", b"<!doctype html>\n<!-- saved from url=(0034)" + URL.encode() + b" -->\n<html>"
    )


def single_file():
    """Return a page as SingleFile saves it."""
    saved = "Thu May 06 2021 15:08:09 GMT+0800 (CST)"
    mark = f"<!--\n Page saved with SingleFile \n url: {URL} \n saved date: {saved}\n-->"
    return HTML.replace(b"<html>", b"<!DOCTYPE html> <html>" + mark.encode())


FILES = {
    "warc": warc(compressed=False),
    "warc.gz": warc(),
    "wacz": wacz(),
    "multi.wacz": wacz(members={"one.wacz": wacz()}),
    "har": har(),
    "mhtml": mhtml(),
    "saved-page": saved_page(),
    "single-file": single_file(),
}
CHUNKED = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (HTML[:100], HTML[100:])) + b"0\r\n\r\n"
GZIPPED = gzip.compress(HTML)

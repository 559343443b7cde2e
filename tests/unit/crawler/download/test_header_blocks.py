"""Heads as bytes: whatever came, a reader of the record finds their end where it is."""

import io

from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeadersParser

from crawler.download.header_blocks import (
    REDACTED,
    fields_of,
    header_block,
    redact,
    redacted_names,
    rewrite_for_warc,
)

STATUS = b"HTTP/1.1 200 OK"


def read(head):
    """What warcio takes for the head, and what it takes for the rest."""
    stream = io.BytesIO(head + b"\r\n\r\nbody")
    result = StatusAndHeadersParser([], verify=False).parse(stream)
    return result.headers, stream.read()


def test_plain_head_is_recorded_byte_for_byte():
    fields = [
        (b"content-TYPE", b"text/html"),
        ("X-é".encode(), b"v"),
        (b"X-\xe9", b"\xff\xfe"),
        (b"Content-Disposition", "attachment; 文件=a.txt".encode()),
        (b"X-GBK", "渡口".encode("gbk")),
        (b"X-Nul", b"a\0b"),
        (b"X-Folded", b"a\r\n  b\r\n\tc"),
        (b"", b"nameless"),
        (b"X Y", b"spaced"),
    ]
    head = header_block(STATUS, fields)
    assert rewrite_for_warc(head, start_line=STATUS) == (head, 0)
    assert read(head)[1] == b"body"


def test_lines_that_would_end_the_head_early_are_rewritten_and_counted():
    for line in (
        b"",
        b"   ",
        b"\t",
        "\u00a0".encode(),
        b"\xa0",
        b"\x85",
        b"\x1c\x1d",
        b"\r",
        "\u3000".encode(),
    ):
        head, changed = rewrite_for_warc(STATUS + b"\r\nA: 1\r\n" + line + b"\r\nB: 2", start_line=STATUS)
        assert (head, changed) == (STATUS + b"\r\nA: 1\r\nB: 2", 1)
    for head, first, number in (
        (b"", STATUS, 1),
        (b"\r\nA: 1", STATUS + b"\r\nA: 1", 1),
        (b"junk", STATUS, 1),
        (STATUS + b"\nA: 1\nB: 2", STATUS + b"\r\nA: 1\r\nB: 2", 0),
        (STATUS + b"\r\nA: 1\rB: 2", STATUS + b"\r\nA: 1 B: 2", 1),
        (
            STATUS + b"\r\nTRANSFER-encoding : chunked",
            STATUS + b"\r\nX-Archive-Orig-TRANSFER-encoding : chunked",
            1,
        ),
    ):
        assert rewrite_for_warc(head, start_line=STATUS) == (first, number)


RAW = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b": ", b"\r\n\r\n", b"\xa0", b"\x85", b"\xc2\xa0"]
    ),
    st.sampled_from(
        [b"Transfer-Encoding: chunked", b"Content-Encoding: gzip", b"Content-Length: 3", b"HTTP/1.1 200 OK"]
    ),
    st.text(max_size=20).map(lambda text: text.encode("gb18030", "replace")),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace")),
)


@given(st.lists(RAW, max_size=12).map(b"".join))
def test_rewritten_head_ends_where_the_body_begins(raw):
    head, _ = rewrite_for_warc(raw, start_line=STATUS)
    headers, rest = read(head)
    assert rest == b"body"
    assert not any(name.lower() == "transfer-encoding" for name, _ in headers)
    assert rewrite_for_warc(head, start_line=STATUS) == (head, 0)


def test_values_are_redacted_by_name_and_by_word():
    head = header_block(
        STATUS,
        [
            (b"SET-cookie", b"a=geheim;\r\n  path=/"),
            (b"X-Echo", b"Bearer geheim!"),
            (b"Set-Cookie ", b"b=geheim"),
            (b"Other", b"kept"),
        ],
    )
    result = redact(head, names={b"set-cookie"}, values=[b"geheim"])
    assert b"geheim" not in result
    assert b"path" not in result
    assert list(fields_of(result)) == [
        (b"SET-cookie", b": " + REDACTED),
        (b"X-Echo", b": Bearer " + REDACTED + b"!"),
        (b"Set-Cookie ", b": " + REDACTED),
        (b"Other", b": kept"),
    ]
    assert redacted_names(result) == ["SET-cookie", "X-Echo", "Set-Cookie"]
    assert redacted_names(head) == []


@given(st.lists(RAW, max_size=12).map(b"".join))
def test_redaction_never_fails_and_removes_everything(raw):
    head = redact(raw + b"\r\nCookie: geheim\r\n geheim", names={b"cookie"}, values=[b"geheim"])
    assert b"geheim" not in head.split(b"\n", 1)[-1]

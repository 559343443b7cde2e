"""A notice as a mail: what is put into a header field stays in it, whatever it is."""

from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.notices.mail import Attachment, envelope_of, write_mail

FIELDS = ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"]
PARTS = [
    "=?",
    "utf-8",
    "?q?",
    "?b?",
    "=0D=0A",
    "DQpCY2M6IGVAeC5jbg==",
    "Bcc: e@x.cn",
    "?=",
    "\r\n",
    "\n",
    " ",
]
PARTS += ["\x00", "\u2028", "\u202e", "\udc80", "<e@x.cn>", ",", '"', "\\", ";", "章", "x" * 90]


def mail_of(text):
    return write_mail(
        sender=(text, "a@b.cn"),
        to=(text, "c@d.cn"),
        subject=text,
        text="x",
        attachments=[Attachment(text, b"x", "application/pdf")],
        message_id="<a@b>",
        made=datetime(2026, 11, 22, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    "text",
    [
        "=?utf-8?q?a=0D=0ABcc:_e@x.cn?=",
        "=?utf-8?b?DQpCY2M6IGVAeC5jbg==?= =?utf-8?q?x?=",
        "a\r\nBcc: e@x.cn",
        "==?utf-8?q?=0D=0ABcc:_e@x.cn?=",
        "x" * 90 + " " + "x" * 100,
    ],
)
def test_text_cannot_begin_another_header_field(text):
    check(text)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_text_in_a_header_field_stays_in_that_field(text):
    check(text)


def check(text):
    mail = mail_of(text)
    message = message_from_bytes(mail, policy=policy.SMTP)
    assert message.keys() == FIELDS
    assert b"\nBcc:" not in mail
    assert envelope_of(mail, name="n1") == ("a@b.cn", "c@d.cn")
    assert [len(message[field].addresses) for field in ("From", "To")] == [1, 1]
    assert [attachment.get_payload(decode=True) for attachment in message.iter_attachments()] == [b"x"]

"""Write a notice as an e-mail: one text part and attachments, no markup. It is sent byte for byte.

:mod:`email` writes each header field from one line, so a title or a name cannot start another field. The
``Message-ID`` is created once, so the receiver recognises a mail that is sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime

from analysis.notices.spelling import mailbox
from analysis.words.visible import one_line
from system.errors import PindnaError

_MAX_HEADER_CHARS = 200
_MAX_NAME_CHARS = 60  # if a longer word is folded, :mod:`email` writes an empty line, which ends the header
# Characters with a meaning in an address field become full-width. Quotes would not suffice, because
# :mod:`email` drops them when it folds a long name.
_SPECIALS = str.maketrans({char: chr(ord(char) + 0xFEE0) for char in '()<>[]:;@\\,"'})


class UnreadableMail(PindnaError):
    """The stored mail of a notice cannot be parsed.

    Attributes:
        name: name of the notice.
    """

    template = "Cannot read the mail of {name}. Make the notice again."


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a mail."""

    name: str
    data: bytes
    media_type: str


def header_text(text: str) -> str:
    """Return a text as a header field may contain it: one line, bounded, without encoded words (RFC 2047).

    :mod:`email` decodes encoded words in its input, and a line end inside one would start another field.
    """
    return one_line(" ".join(text.split())).replace("=?", "=\uff1f")[:_MAX_HEADER_CHARS]


def write_mail(
    *,
    sender: tuple[str, str],
    to: tuple[str, str],
    subject: str,
    text: str,
    attachments: Sequence[Attachment],
    message_id: str,
    made: datetime,
) -> bytes:
    """Return a mail as it is sent, with lines ended by CRLF.

    Args:
        sender: name and address.
        to: name and address.
        subject: more than one line becomes one.
        text: the body.
        attachments: the attached files.
        message_id: with its angle brackets.
        made: date of the mail.

    Raises:
        BadMailbox: an address is invalid.
    """
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = _make_address(*sender)
    message["To"] = _make_address(*to)
    message["Subject"] = header_text(subject)
    message["Date"] = format_datetime(made)
    message["Message-ID"] = message_id
    message.set_content(text, charset="utf-8", cte="base64")
    for attachment in attachments:
        main, _, sub = attachment.media_type.partition("/")
        message.add_attachment(
            attachment.data, maintype=main, subtype=sub, filename=header_text(attachment.name)
        )
    return message.as_bytes()


def envelope_of(mail: bytes, *, name: str) -> tuple[str, str]:
    """Return the sender and recipient addresses of a mail that pindna wrote.

    Raises:
        UnreadableMail: the mail does not contain one of each.
    """
    message = message_from_bytes(mail, policy=policy.SMTP)
    addresses: list[str] = []
    for field in ("From", "To"):
        header = message[field]
        mailboxes = [] if header is None else list(header.addresses)
        if len(mailboxes) != 1:
            raise UnreadableMail(name=name)
        addresses.append(mailbox(mailboxes[0].addr_spec))
    return addresses[0], addresses[1]


def _make_address(name: str, address: str) -> Address:
    display_name = header_text(name)[:_MAX_NAME_CHARS].translate(_SPECIALS)
    return Address(display_name=display_name, addr_spec=mailbox(address))

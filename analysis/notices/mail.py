"""A notice as an e-mail: one text part and its attachments, no markup; it is sent byte for byte.

Header fields are made by :mod:`email` from one line each, so nothing in a title or a name can begin another.
The ``Message-ID`` is made once: however often a person sends the notice, a receiver can tell a repeat.
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
_MAX_NAME_CHARS = 60  # folding a longer word of an address leaves an empty line, which ends the header
# What means something in an address field, in its full-width form: the quotes that would keep a name from
# being read as an address are lost when :mod:`email` folds a long one.
_SPECIALS = str.maketrans({char: chr(ord(char) + 0xFEE0) for char in '()<>[]:;@\\,"'})


class UnreadableMail(PindnaError):
    """The mail of a notice is no mail of ours any more. Data: ``name``."""

    template = "The mail of {name} cannot be read. Make the notice again."


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a mail."""

    name: str
    data: bytes
    media_type: str


def header_text(text: str) -> str:
    """Return a text as a header field may hold it: one line, bounded, no encoded word of RFC 2047.

    :mod:`email` reads encoded words in what it is given, and line ends in them would begin another field.
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
    """Return a mail as it is sent, lines ended by CRLF.

    Args:
        sender: name and address.
        to: name and address.
        subject: one line; more is made one.
        text: the body.
        attachments: what goes with it.
        message_id: with its angle brackets.
        made: its date.

    Raises:
        BadMailbox: an address is none.
    """
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = _address(*sender)
    message["To"] = _address(*to)
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
    """Return the addresses that a mail of ours is from and to.

    Raises:
        UnreadableMail: it does not hold one of each.
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


def _address(name: str, address: str) -> Address:
    display_name = header_text(name)[:_MAX_NAME_CHARS].translate(_SPECIALS)
    return Address(display_name=display_name, addr_spec=mailbox(address))

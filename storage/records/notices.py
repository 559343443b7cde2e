"""Notices: what was written to whom about a case, and what became of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.holders import ContactRole
from storage.records.times import utc_now

# ``infringement``: 侵权通知书; ``dmca``: 17 U.S.C. § 512(c)(3);
# ``reminder``: 催告函; ``counsel``: 律师函委托.
NoticeKind = Literal["infringement", "dmca", "reminder", "counsel"]
NOTICE_KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)

# ``sending`` is written before the first byte goes out. A process that ends while a notice is in it leaves an
# ``uncertain`` one, of which only a person says what became of it.
NoticeState = Literal["made", "sending", "sent", "uncertain", "failed", "answered", "unanswered", "withdrawn"]
NOTICE_STATES: tuple[NoticeState, ...] = get_args(NoticeState)

# What an addressee says: it will remove the copies, or it will not.
Outcome = Literal["accepted", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """Whom a notice is for, as the contact was when it was made."""

    role: ContactRole
    site: str
    name: str = ""
    address: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFile:
    """A file of a notice. ``path`` is where it was written; the SHA-256 says whether it is still the same."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice about a case.

    Attributes:
        id: see :func:`storage.collections.notices.notice_id`.
        number: its short name: the ``3`` of ``n3``.
        case: the number of the case, which stays when a book gets another id.
        is_draft: facts were missing; it is never sent.
        subject: subject of the mail.
        urls: the infringing addresses that it names.
        text: the whole text.
        message_id: of the mail; the same however often it is sent, so that a receiver can drop a repeat.
        evidence_number, evidence_sha256: of the evidence package that goes with it; empty without one.
        files: what was written, by format: ``docx``, ``pdf``, ``txt``, ``eml``, ``evidence``.
        token: of the process that sends it.
        sending: when that began; ``sending_until``: when it is over, one way or another.
        sent: when the mail server took it over; ``receipt`` is what the server said then.
        problem: why it was not sent, or why that is not known.
        reply_due: until when a reply was asked for; None until it is sent.
        is_told: the case knows that it was sent.
        answered: when the reply came; ``outcome`` and ``reply`` say what it was.
        reminds: the id of the notice that a reminder is about.
    """

    id: str
    case: int
    work_id: int
    work_title: str
    site: str
    kind: NoticeKind
    holder: str
    addressee: Addressee
    subject: str
    text: str
    urls: tuple[str, ...] = ()
    number: int = 0
    state: NoticeState = "made"
    is_draft: bool = False
    message_id: str = ""
    evidence_number: str = ""
    evidence_sha256: str = ""
    files: dict[str, NoticeFile] = field(default_factory=dict)
    made: datetime = field(default_factory=utc_now)
    by: str = ""
    token: str = ""
    sending: datetime | None = None
    sending_until: datetime | None = None
    sent: datetime | None = None
    sent_by: str = ""
    receipt: str = ""
    problem: str = ""
    reply_due: datetime | None = None
    is_told: bool = False
    answered: datetime | None = None
    outcome: Outcome | None = None
    reply: str = ""
    because: str = ""
    reminds: str = ""

    @property
    def name(self) -> str:
        """The name that people type: ``n3``."""
        return f"n{self.number}"

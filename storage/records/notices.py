"""Notices: letters about a case, with addressee, state and reply."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.holders import ContactRole
from storage.records.times import utc_now

# ``infringement``: 侵权通知书; ``dmca``: 17 U.S.C. § 512(c)(3);
# ``reminder``: 催告函; ``counsel``: 律师函委托.
NoticeKind = Literal["infringement", "dmca", "reminder", "counsel"]
NOTICE_KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)

# ``sending`` is stored before the first byte is sent. If the process ends in that state, the notice becomes
# ``uncertain``, and a person decides whether it was sent.
NoticeState = Literal["made", "sending", "sent", "uncertain", "failed", "answered", "unanswered", "withdrawn"]
NOTICE_STATES: tuple[NoticeState, ...] = get_args(NoticeState)

# Kinds of replies: the addressee will remove the copies, or refuses.
Outcome = Literal["accepted", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee:
    """The addressee of a notice: a copy of the contact as it was when the notice was made."""

    role: ContactRole
    site: str
    name: str = ""
    address: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFile:
    """A file of a notice. ``path`` is its place on disk; the SHA-256 shows whether it changed."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A letter about a case.

    Attributes:
        id: see :func:`storage.collections.notices.notice_id`.
        number: its short name: the ``3`` of ``n3``.
        case: the number of the case, which stays when the id of a book changes.
        is_draft: facts are missing; the notice is never sent.
        subject: subject of the mail.
        urls: the infringing addresses that it names.
        text: the whole text.
        message_id: of the mail; the same for every attempt, so that the receiver can drop duplicates.
        evidence_number, evidence_sha256: of the enclosed evidence package; empty: none.
        files: files by format: ``docx``, ``pdf``, ``txt``, ``eml``, ``evidence``.
        token: of the sending process.
        sending: when sending began; ``sending_until``: when the attempt expires.
        sent: when the mail server accepted it; ``receipt`` is the server's reply.
        problem: why it was not sent, or why the result is uncertain.
        reply_due: deadline for the reply; None until the notice is sent.
        is_told: the case has an event for the sending.
        answered: when the reply came; ``outcome`` and ``reply`` describe it.
        reminds: for a reminder: the id of the earlier notice.
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
        """The name that people type, such as ``n3``."""
        return f"n{self.number}"

"""Notices: letters about cases of one site, with addressee, state and reply."""

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
class NoticeCase:
    """A case in a notice.

    Attributes:
        number: the number of the case, which stays when the id of a book changes.
        urls: the infringing addresses that the notice lists for the work.
        reminds: for a reminder: the id of the earlier notice about the case.
        work_holder: holder of the work when the notice was made; empty: it had none; None: not recorded.
    """

    number: int
    work_id: int
    work_title: str
    urls: tuple[str, ...] = ()
    reminds: str = ""
    work_holder: str | None = None

    @property
    def name(self) -> str:
        """The name that people type, such as ``c7``."""
        return f"c{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A letter about the works of one holder on one site.

    Attributes:
        id: see :func:`storage.collections.notices.notice_id`.
        number: its short name: the ``3`` of ``n3``.
        cases: its cases, at least one.
        letter, letters: its position among the letters that were made together, and their number.
        is_draft: facts are missing; the notice is never sent.
        subject: subject of the mail.
        text: the whole text.
        message_id: of the mail; the same for every attempt, so that the receiver can drop duplicates.
        evidence_number, evidence_sha256: of the enclosed evidence package; empty: none.
        files: files by format: ``docx``, ``pdf``, ``txt``, ``eml``, ``evidence``.
        token: of the sending process.
        sending: when sending began; ``sending_until``: when the attempt expires.
        sent: when the mail server accepted it; ``receipt`` is the server's reply.
        problem: why it was not sent, or why the result is uncertain.
        reply_due: deadline for the reply; None until the notice is sent.
        is_told: every case has an event for the sending.
        answered: when the reply came; ``outcome`` and ``reply`` describe it.
    """

    id: str
    cases: tuple[NoticeCase, ...]
    site: str
    kind: NoticeKind
    holder: str
    addressee: Addressee
    subject: str
    text: str
    number: int = 0
    letter: int = 1
    letters: int = 1
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

    @property
    def name(self) -> str:
        """The name that people type, such as ``n3``."""
        return f"n{self.number}"

    @property
    def urls(self) -> tuple[str, ...]:
        """The infringing addresses that it lists, each once."""
        return tuple(dict.fromkeys(url for case in self.cases for url in case.urls))

    @property
    def case_names(self) -> tuple[str, ...]:
        """The names of its cases."""
        return tuple(case.name for case in self.cases)

    @property
    def work_titles(self) -> tuple[str, ...]:
        """The titles of its works."""
        return tuple(case.work_title for case in self.cases)

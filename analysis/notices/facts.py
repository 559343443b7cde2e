"""The facts of a notice, and which of them are missing. Pure.

:data:`REQUIRED` lists what the law requires of a notice: 信息网络传播权保护条例 (2013) Art. 14, 民法典 Art.
1195, and 17 U.S.C. § 512(c)(3)(A). A missing fact is reported; it is never left blank.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from analysis.words.i18n import N_
from storage.collections.owners import owner_of
from storage.records import (
    Addressee,
    Case,
    ContactRole,
    Holder,
    HolderDocument,
    Notice,
    NoticeKind,
    Work,
)
from system.errors import PindnaError


@dataclass(frozen=True, slots=True, kw_only=True)
class Infringement:
    """One infringing address and the figures that show the infringement.

    Attributes:
        passages: headings of the copied passages, the most copied first.
        copied_chars: characters of the work on the page.
        outside_chars: copied characters outside the page's article, where readers may not see them.
        coverage: share of the page's article that is copied.
        matches: short names of the matches.
        fetched, sha256: when the response that serves as evidence was received, and the digest of its body.
    """

    url: str
    title: str
    passages: tuple[str, ...]
    copied_chars: int
    coverage: float
    char_identity: float
    first_seen: datetime
    matches: tuple[str, ...] = ()
    fetched: datetime | None = None
    sha256: str = ""
    outside_chars: int = 0

    @property
    def is_outside(self) -> bool:
        """Return whether all copied text is outside the page's article."""
        return self.outside_chars >= self.copied_chars > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """The evidence package of a notice. ``link`` is its address if it is not attached."""

    number: str
    sha256: str
    bytes: int
    file_name: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressList:
    """The workbook with the addresses of a notice, which is attached. ``sha256`` is empty in a preview."""

    file_name: str
    sha256: str = ""
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSubject:
    """A work in a notice, with its case and its infringing addresses.

    Attributes:
        earlier: the last notice about the case that was sent; for a reminder, to the same recipient.
        left_out: addresses of the case that are not listed because they were gone at the last look.
    """

    case: Case
    work: Work
    infringements: tuple[Infringement, ...]
    earlier: Notice | None = None
    left_out: int = 0

    @property
    def copied_chars(self) -> int:
        """Copied characters on all listed addresses together."""
        return sum(infringement.copied_chars for infringement in self.infringements)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFacts:
    """All facts that a template may use.

    Attributes:
        name: number of the notice: ``n3``.
        subjects: its works, at least one; all works have one holder, and all cases one site.
        signer: the person who signs; in a DMCA notice this is the electronic signature.
        reply_days: days within which a reply is requested.
        addressee: the recipient; an instruction goes to the holder's own counsel.
        address_list: the attached list of addresses; None: the letter itself lists them.
        letter, letters: its position among the letters that are made together, and their number.
    """

    kind: NoticeKind
    name: str
    made: datetime
    subjects: tuple[NoticeSubject, ...]
    holder: Holder
    addressee: Addressee
    reply_days: int
    signer: str = ""
    evidence: Enclosure | None = None
    address_list: AddressList | None = None
    letter: int = 1
    letters: int = 1

    @property
    def case(self) -> Case:
        """The case of the first work."""
        return self.subjects[0].case

    @property
    def work(self) -> Work:
        """The first work."""
        return self.subjects[0].work

    @property
    def site(self) -> str:
        """The site of all cases."""
        return self.case.site

    @property
    def infringements(self) -> tuple[Infringement, ...]:
        """The infringing addresses, work by work."""
        return tuple(infringement for subject in self.subjects for infringement in subject.infringements)

    @property
    def urls(self) -> tuple[str, ...]:
        """The infringing addresses, each once: a page may contain several works."""
        return tuple(dict.fromkeys(infringement.url for infringement in self.infringements))

    @property
    def left_out(self) -> int:
        """Number of addresses that are not listed because they were gone at the last look."""
        return sum(subject.left_out for subject in self.subjects)

    @property
    def earlier(self) -> Notice | None:
        """The first of the earlier notices."""
        return next(iter(self.earlier_notices), None)

    @property
    def earlier_notices(self) -> tuple[Notice, ...]:
        """The earlier notices that the letter refers to, each once."""
        notices = {notice.id: notice for subject in self.subjects if (notice := subject.earlier)}
        return tuple(notices.values())

    @property
    def titles(self) -> tuple[HolderDocument, ...]:
        """Proofs that the holder owns the works, each once."""
        proofs = {proof.use: proof for subject in self.subjects for proof in self.titles_of(subject.work)}
        return tuple(proofs.values())

    def titles_of(self, work: Work) -> tuple[HolderDocument, ...]:
        """Proofs that the holder owns a work."""
        return tuple(
            document
            for document in self.holder.documents
            if document.kind == "title" and proves_any(document, [work])
        )

    @property
    def identities(self) -> tuple[HolderDocument, ...]:
        """Documents that prove the holder's identity."""
        return tuple(document for document in self.holder.documents if document.kind == "identity")

    @property
    def authorisations(self) -> tuple[HolderDocument, ...]:
        """Documents that authorise the sender to act for the holder of the works."""
        return tuple(document for document in self.holder.documents if document.kind == "authorisation")

    @property
    def documents(self) -> tuple[HolderDocument, ...]:
        """All enclosed documents, each file once."""
        proofs = (*self.identities, *self.authorisations, *self.titles)
        return tuple({document.sha256: document for document in reversed(proofs)}.values())[::-1]

    @property
    def acts_for_another(self) -> bool:
        """Whether the notice names a holder other than the holder of the works."""
        return bool(self.works_holder)

    @property
    def works_holder(self) -> str:
        """The holder of the works if the notice names another one, else empty."""
        owner = owner_of(self.holder.name)
        holders = (subject.work.holder for subject in self.subjects)
        return next((name for name in holders if name and owner_of(name) != owner), "")

    @property
    def has_outside(self) -> bool:
        """Whether part of the copied text is outside the article of a listed page."""
        return any(infringement.outside_chars for infringement in self.infringements)

    @property
    def copied_chars(self) -> int:
        """Copied characters on all listed addresses together."""
        return sum(subject.copied_chars for subject in self.subjects)


def proves_any(document: HolderDocument, works: Iterable[Work]) -> bool:
    """Return whether a document of a holder is not only about other works."""
    return document.work_id is None or document.work_id in {work.book_id for work in works}


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a notice needs, and where to enter it.

    Attributes:
        label: name of the fact.
        advice: the command that enters it.
        field: the button of the console, and the field behind it.
    """

    label: str
    advice: str
    field: str


_SET = "pindna holder set NAME"
_CONTACT = "pindna site contact set SITE --role ROLE"
FACTS: Mapping[str, Fact] = {
    "addressee-name": Fact(
        N_("the addressee's name"), _CONTACT + " --name", N_("“Recipients…”, “Name of the organisation”")
    ),
    "addressee-email": Fact(
        N_("the addressee's mail address"), _CONTACT + " --email", N_("“Recipients…”, “Mail address”")
    ),
    "authorisation": Fact(
        N_("authorisation by the work's holder"),
        _SET + " --authorisation FILE",
        N_("“Details…”, “Documents”"),
    ),
    "contact": Fact(
        N_("the holder's contact person"),
        _SET + " --contact",
        N_("“Details…”, “Contact person of the rights holder”"),
    ),
    "earlier-notice": Fact(
        N_("an earlier notice that was sent"),
        "pindna notice send NOTICE",
        N_("send or record a notice of this case first"),
    ),
    "email": Fact(N_("the holder's mail address"), _SET + " --email", N_("“Details…”, “Mail address”")),
    "evidence": Fact(
        N_("the evidence package"),
        "pindna notice make CASE --evidence FILE",
        N_("“Create the notice with evidence”"),
    ),
    "holder-address": Fact(
        N_("the holder's address"), _SET + " --address", N_("“Details…”, “Postal address”")
    ),
    "identity": Fact(
        N_("proof of the holder's identity"),
        _SET + " --registration",
        N_("“Details…”, “Number of the business licence or the identity document”"),
    ),
    "infringements": Fact(
        N_("a confirmed match that is still up"),
        "pindna review confirm MATCH",
        N_("confirm a match under “Review”"),
    ),
    "phone": Fact(
        N_("the holder's telephone number"), _SET + " --phone", N_("“Details…”, “Telephone number”")
    ),
    "signature": Fact(
        N_("the name of the signatory"), "pindna notice make CASE --signature SIGNER", N_("“Signatory”")
    ),
    "title": Fact(
        N_("proof of the holder's title to the work"),
        _SET + " --title-proof FILE",
        N_("“Details…”, “Documents”"),
    ),
}

_HOLDER = ("holder-address", "contact", "phone")
REQUIRED: Mapping[NoticeKind, tuple[str, ...]] = {
    "infringement": (
        "addressee-name", *_HOLDER, "identity", "title", "authorisation", "infringements", "evidence"
    ),
    "dmca": (
        "addressee-name", *_HOLDER, "email", "authorisation", "infringements", "evidence", "signature"
    ),
    "reminder": ("addressee-name", *_HOLDER, "infringements", "earlier-notice"),
    "counsel": ("addressee-name", *_HOLDER, "identity", "title", "infringements", "evidence"),
}  # fmt: skip


class FactsMissing(PindnaError):
    """A notice lacks facts.

    Attributes:
        count: how many facts are missing.
        codes: their codes, see :data:`FACTS`.
        titles: titles of the works that lack a fact, by its code, if other works have it.
    """

    template = (
        "The notice was not made, because facts are missing ({count}). Supply them, or make "
        "a draft (--draft), which marks them."
    )

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the missing facts, see :data:`FACTS`."""
        codes = self.data["codes"]
        return codes if isinstance(codes, tuple) else ()

    @property
    def titles(self) -> Mapping[str, tuple[str, ...]]:
        """Titles of the works that lack a fact, see :func:`works_without`."""
        titles = self.data["titles"]
        return titles if isinstance(titles, Mapping) else {}


def missing_facts(facts: NoticeFacts) -> tuple[str, ...]:
    """Return the codes of the missing facts, in the order of :data:`REQUIRED`."""
    holder, addressee = facts.holder, facts.addressee
    lacking = {code for code in _OF_WORK if any(_lacks(facts, subject, code) for subject in facts.subjects)}
    present = {
        "addressee-name": addressee.name,
        "authorisation": facts.authorisations or not facts.acts_for_another,
        "contact": holder.contact,
        "earlier-notice": "earlier-notice" not in lacking,
        "email": holder.email,
        "evidence": facts.evidence,
        "holder-address": holder.address,
        "identity": holder.registration or facts.identities,
        "infringements": "infringements" not in lacking,
        "phone": holder.phone,
        "signature": facts.signer,
        "title": "title" not in lacking,
    }
    return tuple(code for code in REQUIRED[facts.kind] if not present[code])


_OF_WORK = "earlier-notice", "infringements", "title"  # facts that each work needs


def _lacks(facts: NoticeFacts, subject: NoticeSubject, code: str) -> bool:
    """Return whether a work lacks a fact that each work needs."""
    match code:
        case "earlier-notice":
            return subject.earlier is None
        case "infringements":
            return not subject.infringements
        case _:
            return not facts.titles_of(subject.work)


def works_without(facts: NoticeFacts) -> dict[str, tuple[str, ...]]:
    """Return the titles of the works that lack a fact, by the code of a missing fact that each work needs.

    A letter about one work needs no titles: the result is empty.
    """
    if len(facts.subjects) == 1:
        return {}
    return {
        code: tuple(subject.work.title for subject in facts.subjects if _lacks(facts, subject, code))
        for code in missing_facts(facts)
        if code in _OF_WORK
    }


# The usual recipient for each kind of notice.
USUAL_ROLE: Mapping[NoticeKind, ContactRole] = {
    "infringement": "site",
    "dmca": "host",
    "reminder": "site",
    "counsel": "counsel",
}
# Roles of contacts that are registered under their own site, not under the site of the case.
ELSEWHERE: tuple[ContactRole, ...] = ("search", "counsel")

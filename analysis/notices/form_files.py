"""Fill the form of a platform for a notice: a sheet with its fields, and its addresses in batches."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile
from zoneinfo import ZoneInfo

import xlsxwriter

from analysis.notices.facts import proves_any
from analysis.notices.forms import PlatformForm
from analysis.notices.infringements import confirmed_matches
from analysis.notices.sending import CannotSend, check_claims
from analysis.notices.spelling import ascii_address
from analysis.reports.render_csv import table_text
from analysis.reports.sheets import WORKBOOK_OPTIONS, Sheets
from analysis.words.i18n import NC_, translator
from analysis.words.labels import NOTICE_KINDS, NOTICE_STATES, label
from storage.collections.stores import Stores
from storage.records import ClaimedDate, Holder, Match, Notice, NoticeCase, Work
from system.batches import batched
from system.errors import PindnaError


class FormOfDraft(PindnaError):
    """A draft does not fill a form.

    Attributes:
        name: name of the notice.
    """

    template = "{name} is a draft. Supply the missing facts and make the notice again, not as a draft."


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file of a filled form."""

    name: str
    data: bytes


def fill_form(notice: Notice, form: PlatformForm, stores: Stores, *, timezone: str) -> tuple[FormFile, ...]:
    """Fill a form for a notice. Its addresses are checked as before sending.

    Args:
        notice: the notice.
        form: the form.
        stores: the database.
        timezone: IANA name of the zone of all dates.

    Returns:
        The filled sheet, and a list of addresses for each batch.

    Raises:
        FormOfDraft: the notice is a draft.
        CannotSend: the notice was withdrawn.
        NotConfirmed, ClaimWithdrawn, HolderChanged: a claim of the notice does not hold any more.
        UnknownId: a case no longer exists.
    """
    if notice.is_draft:
        raise FormOfDraft(name=notice.name)
    if notice.state == "withdrawn":
        raise CannotSend(name=notice.name, state=label(NOTICE_STATES, notice.state))
    check_claims(notice, stores)
    facts = _Facts(notice, form, stores, ZoneInfo(timezone))
    name = f"{form.name}-{notice.name}"
    fields = [(field.label, field.value.format_map(facts.fields)) for field in form.fields]
    rows = [[column.value.format_map(row) for column in form.columns] for row in facts.rows()]
    files = list(_sheet_files(form, fields, rows, name=name, facts=facts))
    addresses = [ascii_address(url) for url in notice.urls]
    for number, batch in enumerate(batched(addresses, form.batch), 1):
        files.append(FormFile(f"{name}-urls-{number}.txt", "".join(f"{url}\n" for url in batch).encode()))
    return tuple(files)


def zip_of_files(files: Iterable[FormFile]) -> bytes:
    """Return files as a zip archive."""
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(file.name, file.data)
    return out.getvalue()


def download_header(name: str) -> dict[str, str]:
    """Return the header of a download with its file name, which may contain any characters (RFC 6266)."""
    return {"Content-Disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}"}


def _sheet_files(
    form: PlatformForm,
    fields: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[str]],
    *,
    name: str,
    facts: "_Facts",
) -> Iterator[FormFile]:
    """Yield the filled sheet: a workbook with two sheets, or two CSV files."""
    texts = translator(form.language)
    headings = texts.gettext(NC_("form", "Field")), texts.gettext(NC_("form", "Entry"))
    labels = [column.label for column in form.columns]
    if form.sheet == "csv":
        yield FormFile(f"{name}.csv", table_text(headings, fields).encode())
        yield FormFile(f"{name}-urls.csv", table_text(labels, rows).encode())
        return
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, WORKBOOK_OPTIONS) as book:
        book.set_properties({"created": facts.notice.made.replace(tzinfo=None)})
        sheets = Sheets(book, facts.zone)
        sheets.write(texts.gettext(NC_("form", "Fields")), headings, fields)
        sheets.write(texts.gettext(NC_("file", "Addresses")), labels, rows)
    yield FormFile(f"{name}.xlsx", out.getvalue())


class _Facts:
    """The values that the fields and columns of a form may contain.

    Args:
        notice: the notice.
        form: the form.
        stores: the database.
        zone: zone of all dates.
    """

    def __init__(self, notice: Notice, form: PlatformForm, stores: Stores, zone: tzinfo) -> None:
        self.notice, self.zone, self._stores, self._form = notice, zone, stores, form
        self._holder = stores.holders.find(notice.holder) or Holder(name=notice.holder)
        self._works = stores.works.get_many({case.work_id for case in notice.cases})

    @property
    def fields(self) -> Mapping[str, str]:
        """The values of the fields by name."""
        notice, holder = self.notice, self._holder
        works = [work for case in notice.cases if (work := self._works.get(case.work_id))]
        chars = sum(
            match.copied_chars
            for case in notice.cases
            for matches in self._matches(case).values()
            for match in matches
        )
        return {
            "notice": notice.name,
            "date": self._day(notice.made),
            "site": notice.site,
            "kind": translator(self._form.language).gettext(NOTICE_KINDS[notice.kind]),
            "holder": holder.name,
            "registration": holder.registration,
            "contact": holder.contact,
            "position": holder.position,
            "phone": holder.phone,
            "email": holder.email,
            "address": holder.address,
            "works": "".join(f"《{title}》" for title in notice.work_titles),
            "authors": _joined(work.author for work in works),
            "originals": _joined(work.url for work in works),
            "published": _joined(self._day(work.published) for work in works if work.published),
            "addresses": str(len(notice.urls)),
            "copied_chars": str(chars),
            "evidence": notice.evidence_number,
            "evidence_sha256": notice.evidence_sha256,
            "documents": _joined(
                document.name for document in holder.documents if proves_any(document, works)
            ),
            "signer": holder.contact,
        }

    def rows(self) -> Iterator[Mapping[str, str]]:
        """Yield the values of the columns for each address of each work."""
        number = 0
        for case in self.notice.cases:
            matches = self._matches(case)
            for url in case.urls:
                number += 1
                yield self._row(number, url, case, matches.get(url, []))

    def _row(self, number: int, url: str, case: NoticeCase, matches: Sequence[Match]) -> Mapping[str, str]:
        work: Work | None = self._works.get(case.work_id)
        return {
            "number": str(number),
            "url": ascii_address(url),
            "work": case.work_title,
            "author": (work.author if work else None) or "",
            "original": (work.url if work else None) or "",
            "published": self._day(work.published) if work and work.published else "",
            "page_title": matches[0].page_title if matches else "",
            "copied_chars": str(sum(match.copied_chars for match in matches)),
            "first_seen": self._day(min(match.first_seen for match in matches)) if matches else "",
            "holder": self._holder.name,
        }

    def _matches(self, notice_case: NoticeCase) -> Mapping[str, list[Match]]:
        """Return the confirmed matches of each address of a case, the most copied first."""
        matches: dict[str, list[Match]] = {url: [] for url in notice_case.urls}
        case = self._stores.cases.get(notice_case.name)
        for match in sorted(confirmed_matches(case, self._stores), key=lambda match: -match.copied_chars):
            if match.url in matches:
                matches[match.url].append(match)
        return matches

    def _day(self, moment: datetime | ClaimedDate) -> str:
        local = moment.local if isinstance(moment, ClaimedDate) else moment.astimezone(self.zone)
        return f"{local:%Y-%m-%d}"


def _joined(texts: Iterable[str | None]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))

"""``pindna notice list`` and ``show``: notices about cases, and their states."""

from functools import partial
from typing import Annotated

import typer

from analysis.notices.sending import settle_interrupted
from analysis.queries.listing import whole
from analysis.queries.notices import NoticeQuery, get_notice
from analysis.queries.notices import list_notices as list_query
from analysis.words.i18n import gettext as _
from analysis.words.labels import NOTICE_KINDS, NOTICE_STATES
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result, print_text
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, Limit
from deploy.cli.tables import print_list
from storage.records import Notice, NoticeState, utc_now

NoticeName = Annotated[str, typer.Argument(metavar="NOTICE", help=_("Number of the notice, such as n3."))]
_FIELDS = (
    "name case cases letter letters state draft=is_draft kind work site holder to subject urls message_id "
    "evidence files made by sent receipt problem reply_due answered outcome reply because"
)


def list_notices(
    *,
    case: Annotated[str | None, typer.Option(metavar="CASE", help=_("Only notices about this case."))] = None,
    site: Annotated[str | None, typer.Option(metavar="SITE", help=_("Only notices about this site."))] = None,
    state: Annotated[NoticeState | None, typer.Option(help=_("Only notices in this state."))] = None,
    limit: Limit = None,
    as_json: AsJsonLines = False,
) -> None:
    with user_session() as (user, runtime):
        settle_interrupted(runtime.stores, now=utc_now())
        query = NoticeQuery(case=case or "", site=site or "", state=state)
        notices = whole(partial(list_query, user, runtime.stores, query), limit=limit)
        headers = _("id"), _("state"), _("case"), _("kind"), _("to"), _("sent"), _("reply due")
        print_list(notices, as_object, headers, _cells, as_json=as_json)


def _cells(notice: Notice) -> tuple[str, ...]:
    return (
        notice.name,
        state_word(notice),
        _case_names(notice),
        word_of(NOTICE_KINDS, notice.kind),
        notice.addressee.name,
        local_moment(notice.sent),
        local_moment(notice.reply_due),
    )


def _case_names(notice: Notice) -> str:
    """Return the name of the first case, and how many there are in addition."""
    more = len(notice.cases) - 1
    return notice.cases[0].name + (f" +{more}" if more else "")


def state_word(notice: Notice) -> str:
    """Return the state of a notice in words."""
    return _("Draft") if notice.is_draft else word_of(NOTICE_STATES, notice.state)


def show(name: NoticeName, *, as_json: AsJsonObject = False) -> None:
    with user_session() as (user, runtime):
        settle_interrupted(runtime.stores, now=utc_now())
        notice = get_notice(user, runtime.stores, name)
    if as_json:
        print_json_line({**as_object(notice), "text": notice.text})
        return
    print_result(f"{notice.name}  {state_word(notice)}  {' '.join(notice.case_names)}")
    print_result("  " + _("To: {name} <{address}>").format(
        name=notice.addressee.name, address=notice.addressee.email or "–"
    ))  # fmt: skip
    for label, value in (
        (_("sent"), local_moment(notice.sent)),
        (_("receipt"), notice.receipt),
        (_("problem"), _(notice.problem)),
        (_("reply due"), local_moment(notice.reply_due)),
        (_("reply"), notice.reply),
        (_("reason"), notice.because),
    ):
        if value and value != "–":
            print_result(f"  {label}: {value}")
    for form, file in notice.files.items():
        print_result(f"  {form}: {file.path}  SHA-256 {file.sha256}")
    print_result("")
    print_text(notice.text)


def as_object(notice: Notice) -> dict[str, object]:
    """Return a notice as ``--json`` prints it."""
    evidence = {"number": notice.evidence_number, "sha256": notice.evidence_sha256}
    return object_of(
        notice,
        _FIELDS,
        case=notice.cases[0].name,
        cases=[object_of(case, "name work=work_title urls reminds") for case in notice.cases],
        work=notice.cases[0].work_title,
        to=object_of(notice.addressee, "role site name email"),
        evidence=evidence if notice.evidence_number else None,
        files={form: object_of(file, "path sha256") for form, file in notice.files.items()},
    )

"""``pindna notice``: letters about cases, made, sent when a person confirms it, and answered."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from analysis.actions import notices as actions
from analysis.notices.facts import FACTS, FactsMissing
from analysis.notices.gathering import NoticeRequest
from analysis.notices.making import MadeNotice
from analysis.notices.sending import Resolution, settle_interrupted
from analysis.queries.cases import findings_of, get_case
from analysis.queries.listing import whole
from analysis.queries.notices import NoticeQuery, advice_on, get_notice
from analysis.queries.notices import list_notices as list_query
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from analysis.words.labels import NOTICE_KINDS, NOTICE_STATES, word
from deploy.cli.arguments import require
from deploy.cli.asking import NotAsked
from deploy.cli.clock import local_moment
from deploy.cli.console import (
    ask,
    can_ask,
    print_error,
    print_json_line,
    print_problem,
    print_progress,
    print_result,
    print_text,
)
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject, CaseName, Limit
from deploy.cli.tables import print_list, print_outcome
from storage.records import ContactRole, Notice, NoticeKind, NoticeState, Outcome, utc_now

app = typer.Typer(no_args_is_help=True)
_FIELDS = (
    "name case state draft=is_draft kind work=work_title site holder to subject urls message_id evidence "
    "files made by sent receipt problem reply_due answered outcome reply because"
)
_Notice = Annotated[str, typer.Argument(metavar="NOTICE", help=_("Name of the notice: n3."))]
_Because = Annotated[
    str, typer.Option("--because", metavar="TEXT", help=_("How that is known, or the words of the reply."))
]


@app.command("make", help=_("Make a notice about a case: .docx, PDF, text and mail, with the evidence."))
def make(
    name: CaseName,
    *,
    kind: Annotated[NoticeKind, typer.Option(help=_("What to write."))] = "infringement",
    to: Annotated[
        ContactRole | None,
        typer.Option(help=_("Whom to write to; default: as is usual for what is written.")),
    ] = None,
    contact: Annotated[
        str, typer.Option(metavar="SITE", help=_("Site of the search engine or law firm that it is for."))
    ] = "",
    holder: Annotated[
        str, typer.Option(metavar="NAME", help=_("In whose name; default: the holder of the work."))
    ] = "",
    signature: Annotated[str, typer.Option(metavar="NAME", help=_("Who signs."))] = "",
    first: Annotated[int, typer.Option(min=0, help=_("Only so many addresses, the gravest; 0: all."))] = 0,
    evidence: Annotated[
        Path | None, typer.Option(metavar="FILE", help=_("Evidence package; default: one is made."))
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help=_("Mark missing facts instead of refusing; never sent."))
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Make a notice; missing facts are named one by one."""
    require(evidence)
    request = NoticeRequest(kind=kind, role=to, contact=contact, holder=holder, signer=signature, first=first)
    with user_session(by) as (user, runtime):
        case = get_case(user, runtime.stores, name)
        advice = partial(advice_on, user, runtime.stores, case, request)
        try:
            made = actions.make(user, runtime, name, request, is_draft=draft, evidence=evidence)
        except FactsMissing as error:
            _print_missing(advice(error.codes))
            raise
        missing = advice(made.missing)
        matches = findings_of(user, runtime.stores, case).matches
        older = [match.name for match in matches if match.review == "confirmed" and match.page_older]
    if older:
        line = _("Read it twice: the page may be older than the work ({matches}). `pindna case show {case}`")
        print_problem(line.format(matches=", ".join(older), case=case.name))
    for problem in made.problems:
        print_error(problem)
    if as_json:
        print_json_line({**as_object(made.notice), "missing": list(made.missing), "left_out": made.left_out})
    else:
        _show_made(made, missing)


def _print_missing(missing: Mapping[str, str]) -> None:
    """Print a line for each missing fact, with the command that supplies it."""
    for code, advice in missing.items():
        print_problem(_("Missing: {fact} ({advice})").format(fact=_(FACTS[code].label), advice=advice))


def _show_made(made: MadeNotice, missing: Mapping[str, str]) -> None:
    notice = made.notice
    kind = word(translator(), NOTICE_KINDS, notice.kind)
    to = notice.addressee.name or "–"
    print_result(f"{notice.name}  {kind} → {to} <{notice.addressee.email or '–'}>")
    for form, file in notice.files.items():
        print_result(f"  {form}: {file.path}")
    _print_missing(missing)
    if made.left_out:
        line = _("Not named, for they were gone at the last look: {count} addresses")
        print_progress(line.format(count=made.left_out))
    if notice.is_draft:
        print_result(_("This is a draft: it is never sent."))
    elif "eml" not in notice.files:
        print_result(_("There is no mail: the holder or the addressee has no mail address."))


@app.command("list", help=_("List the notices, the newest first."))
def list_notices(
    *,
    case: Annotated[str | None, typer.Option(metavar="CASE", help=_("Only those about this case."))] = None,
    site: Annotated[str | None, typer.Option(metavar="SITE", help=_("Only those about this site."))] = None,
    state: Annotated[NoticeState | None, typer.Option(help=_("Only those in this state."))] = None,
    limit: Limit = None,
    as_json: AsJsonLines = False,
) -> None:
    """Print notices."""
    with user_session() as (user, runtime):
        settle_interrupted(runtime.stores, now=utc_now())
        query = NoticeQuery(case=case or "", site=site or "", state=state)
        notices = whole(partial(list_query, user, runtime.stores, query), limit=limit)
        headers = _("id"), _("state"), _("case"), _("kind"), _("to"), _("sent"), _("reply due")
        print_list(notices, as_object, headers, _cells, as_json=as_json)


def _cells(notice: Notice) -> tuple[str, ...]:
    return (
        notice.name,
        _state(notice),
        f"c{notice.case}",
        word(translator(), NOTICE_KINDS, notice.kind),
        notice.addressee.name,
        local_moment(notice.sent),
        local_moment(notice.reply_due),
    )


def _state(notice: Notice) -> str:
    return _("Draft") if notice.is_draft else word(translator(), NOTICE_STATES, notice.state)


@app.command("show", help=_("Show a notice: its text, its files, and what became of it."))
def show(name: _Notice, *, as_json: AsJsonObject = False) -> None:
    """Print a notice."""
    with user_session() as (user, runtime):
        settle_interrupted(runtime.stores, now=utc_now())
        notice = get_notice(user, runtime.stores, name)
    if as_json:
        print_json_line({**as_object(notice), "text": notice.text})
        return
    print_result(f"{notice.name}  {_state(notice)}  c{notice.case}")
    print_result("  " + _("To: {name} <{address}>").format(
        name=notice.addressee.name, address=notice.addressee.email or "–"
    ))  # fmt: skip
    for label, value in (
        (_("sent"), local_moment(notice.sent)),
        (_("receipt"), notice.receipt),
        (_("problem"), _(notice.problem)),
        (_("reply due"), local_moment(notice.reply_due)),
        (_("reply"), notice.reply),
        (_("because"), notice.because),
    ):
        if value and value != "–":
            print_result(f"  {label}: {value}")
    for form, file in notice.files.items():
        print_result(f"  {form}: {file.path}  SHA-256 {file.sha256}")
    print_result("")
    print_text(notice.text)


@app.command("send", help=_("Send a notice by mail: if the settings allow it and you confirm it."))
def send(
    name: _Notice,
    *,
    yes: Annotated[
        str, typer.Option("--yes", metavar="NOTICE", help=_("Confirm by naming the notice once more."))
    ] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Send a notice, at most once."""
    with user_session(by) as (user, runtime):
        notice = actions.ready(user, runtime, name)  # what hinders it is printed before anybody confirms it
        if not _is_confirmed(notice, yes):
            print_outcome(as_object(notice), _("Nothing was sent."), as_json=as_json)
            return
        notice = actions.send(user, runtime, name, confirm=notice.name)
    line = _("{name} was sent to {address}: {receipt}").format(
        name=notice.name, address=notice.addressee.email, receipt=notice.receipt
    )
    print_outcome(as_object(notice), line, as_json=as_json)


def _is_confirmed(notice: Notice, yes: str) -> bool:
    """Return whether a person named the notice once more.

    Raises:
        NotAsked: it was not confirmed, and there is no terminal.
    """
    if yes:
        return yes.strip().lower() == notice.name
    if not can_ask():
        raise NotAsked(options=f"--yes {notice.name}")
    print_progress(notice.subject)
    addressee = f"{notice.addressee.name} <{notice.addressee.email}>"
    question = _("To send it to {addressee}, type {name}:").format(addressee=addressee, name=notice.name)
    return ask(question).strip().lower() == notice.name


@app.command("resolve", help=_("Say what became of a notice that is uncertain, or that went by post."))
def resolve_notice(
    name: _Notice,
    resolution: Annotated[
        Resolution, typer.Argument(metavar="sent|not-sent|withdrawn", help=_("What became of it."))
    ],
    *,
    reason: _Because = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Let a person decide about a notice."""
    with user_session(by) as (user, runtime):
        notice = actions.resolve(user, runtime, name, resolution, reason=reason)
    print_outcome(as_object(notice), f"{notice.name}  {_state(notice)}", as_json=as_json)


@app.command("reply", help=_("Note the reply to a notice; its case follows."))
def reply(
    name: _Notice,
    outcome: Annotated[
        Outcome, typer.Argument(metavar="accepted|refused", help=_("What the addressee will do."))
    ],
    *,
    reason: _Because = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Note a reply."""
    with user_session(by) as (user, runtime):
        notice = actions.answer(user, runtime, name, outcome, reason=reason)
    print_outcome(as_object(notice), f"{notice.name}  {_state(notice)}", as_json=as_json)


def as_object(notice: Notice) -> dict[str, object]:
    """Return a notice as ``--json`` prints it."""
    evidence = {"number": notice.evidence_number, "sha256": notice.evidence_sha256}
    return object_of(
        notice,
        _FIELDS,
        case=f"c{notice.case}",
        to=object_of(notice.addressee, "role site name email"),
        evidence=evidence if notice.evidence_number else None,
        files={form: object_of(file, "path sha256") for form, file in notice.files.items()},
    )

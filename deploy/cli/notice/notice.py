"""``pindna notice``: make letters about cases, send them after a confirmation, and record replies."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from analysis.actions import notices as actions
from analysis.notices.facts import FACTS, FactsMissing
from analysis.notices.gathering import NoticeRequest, is_listed
from analysis.notices.making import MadeNotice
from analysis.notices.sending import Resolution
from analysis.queries.cases import findings_of, get_case
from analysis.queries.notices import advice_on
from analysis.words.i18n import gettext as _
from analysis.words.labels import NOTICE_KINDS
from deploy.cli.arguments import require
from deploy.cli.asking import NotAsked
from deploy.cli.console import (
    ask,
    can_ask,
    print_error,
    print_json_line,
    print_problem,
    print_progress,
    print_result,
)
from deploy.cli.identity import As, user_session
from deploy.cli.labels import word_of
from deploy.cli.notice.notice_list import NoticeName, as_object, state_word
from deploy.cli.options import AsJsonObject, CaseName
from deploy.cli.tables import print_outcome
from storage.records import ContactRole, Notice, NoticeKind, Outcome

_Because = Annotated[
    str,
    typer.Option(
        "--because", metavar="TEXT", help=_("Source of this information, or the text of the reply.")
    ),
]


def make(
    name: CaseName,
    *,
    kind: Annotated[NoticeKind, typer.Option(help=_("Kind of notice."))] = "infringement",
    to: Annotated[
        ContactRole | None,
        typer.Option(help=_("Recipient; default: the usual recipient of this kind of notice.")),
    ] = None,
    contact: Annotated[
        str,
        typer.Option(
            metavar="SITE", help=_("Site of the search engine or law firm that receives the notice.")
        ),
    ] = "",
    holder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=_("Rights holder in whose name the notice is written; default: the holder of the work."),
        ),
    ] = "",
    signature: Annotated[str, typer.Option(metavar="NAME", help=_("Name of the signatory."))] = "",
    first: Annotated[
        int, typer.Option(min=0, help=_("Maximum number of addresses, the gravest first; 0: all."))
    ] = 0,
    evidence: Annotated[
        Path | None, typer.Option(metavar="FILE", help=_("Evidence package; default: one is made."))
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help=_("Make a draft that marks missing facts. A draft is never sent."))
    ] = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    """Make a notice; if facts are missing, each is listed."""
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
        older = [match.name for match in matches if is_listed(match) and match.page_older]
    if older:
        line = _(
            "Check before sending: the page may be older than the work ({matches}). `pindna case "
            "show {case}` shows the dates."
        )
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
    kind = word_of(NOTICE_KINDS, notice.kind)
    to = notice.addressee.name or "–"
    print_result(f"{notice.name}  {kind} → {to} <{notice.addressee.email or '–'}>")
    for form, file in notice.files.items():
        print_result(f"  {form}: {file.path}")
    _print_missing(missing)
    if made.left_out:
        line = _("Not listed, because they were gone at the last check: {count} addresses")
        print_progress(line.format(count=made.left_out))
    if notice.is_draft:
        print_result(_("This is a draft: it is never sent."))
    elif "eml" not in notice.files:
        print_result(_("There is no mail: the holder or the addressee has no mail address."))


def send(
    name: NoticeName,
    *,
    yes: Annotated[
        str, typer.Option("--yes", metavar="NOTICE", help=_("Confirm by giving the name of the notice."))
    ] = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    with user_session(by) as (user, runtime):
        notice = actions.ready(user, runtime, name)  # errors must appear before the confirmation
        if not _is_confirmed(notice, yes):
            print_outcome(as_object(notice), _("Nothing was sent."), as_json=as_json)
            return
        notice = actions.send(user, runtime, name, confirm=notice.name)
    line = _("{name} was sent to {address}: {receipt}").format(
        name=notice.name, address=notice.addressee.email, receipt=notice.receipt
    )
    print_outcome(as_object(notice), line, as_json=as_json)


def _is_confirmed(notice: Notice, yes: str) -> bool:
    """Ask a person to confirm the notice by typing its name again."""
    if yes:
        return yes.strip().lower() == notice.name
    if not can_ask():
        raise NotAsked(options=f"--yes {notice.name}")
    print_progress(notice.subject)
    addressee = f"{notice.addressee.name} <{notice.addressee.email}>"
    question = _("To send it to {addressee}, type {name}:").format(addressee=addressee, name=notice.name)
    return ask(question).strip().lower() == notice.name


def resolve_notice(
    name: NoticeName,
    resolution: Annotated[
        Resolution,
        typer.Argument(metavar="sent|not-sent|withdrawn", help=_("Result: sent, not-sent or withdrawn.")),
    ],
    *,
    reason: _Because = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    with user_session(by) as (user, runtime):
        notice = actions.resolve(user, runtime, name, resolution, reason=reason)
    print_outcome(as_object(notice), f"{notice.name}  {state_word(notice)}", as_json=as_json)


def reply(
    name: NoticeName,
    outcome: Annotated[
        Outcome,
        typer.Argument(metavar="accepted|refused", help=_("Answer of the addressee: accepted or refused.")),
    ],
    *,
    reason: _Because = "",
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    with user_session(by) as (user, runtime):
        notice = actions.answer(user, runtime, name, outcome, reason=reason)
    print_outcome(as_object(notice), f"{notice.name}  {state_word(notice)}", as_json=as_json)

"""``pindna notice``: make letters about cases, send them after a confirmation, and record replies."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from analysis.accounts.permissions import Identity
from analysis.actions import notices as actions
from analysis.notices.facts import FACTS, FactsMissing
from analysis.notices.gathering import NoticeRequest
from analysis.notices.infringements import is_listed
from analysis.notices.making import MadeNotices
from analysis.notices.sending import Resolution
from analysis.queries.cases import findings_of, get_case
from analysis.queries.notices import LetterScope, advice_on, cases_of_letter
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
from deploy.cli.options import AsJsonObject
from deploy.cli.tables import print_outcome
from storage.records import ContactRole, Notice, NoticeKind, Outcome
from tracker.runtime import Runtime

_Because = Annotated[
    str,
    typer.Option(
        "--because", metavar="TEXT", help=_("Source of this information, or the text of the reply.")
    ),
]


def make(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CASE…", help=_("Numbers of the cases, such as c7; several cases make one letter.")
        ),
    ] = None,
    *,
    site: Annotated[
        str,
        typer.Option(
            metavar="SITE",
            help=_(
                "Instead of cases: one letter about all confirmed works of one rights holder on this site."
            ),
        ),
    ] = "",
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
    """Make a notice about cases or a site; if facts are missing, each is listed."""
    require(evidence)
    request = NoticeRequest(kind=kind, role=to, contact=contact, holder=holder, signer=signature, first=first)
    scope = LetterScope(cases=tuple(names or ()), site=site)
    with user_session(by) as (user, runtime):
        cases = cases_of_letter(user, runtime.stores, scope, request)
        advice = partial(advice_on, user, runtime.stores, cases[0], request)
        try:
            made = actions.make(user, runtime, scope, request, is_draft=draft, evidence=evidence)
        except FactsMissing as error:
            _print_missing(advice(error.codes), error.titles)
            raise
        missing = advice(made.missing)
        _warn_of_older_pages(user, runtime, made)
    for problem in made.problems:
        print_error(problem)
    if as_json:
        print_json_line(_made_object(made))
    else:
        _show_made(made, missing)


def _warn_of_older_pages(user: Identity, runtime: Runtime, made: MadeNotices) -> None:
    """Print a line for each case with a page that may be older than the work."""
    for name in dict.fromkeys(name for notice in made.notices for name in notice.case_names):
        matches = findings_of(user, runtime.stores, get_case(user, runtime.stores, name)).matches
        if older := [match.name for match in matches if is_listed(match) and match.page_older]:
            line = _(
                "Check before sending: the page may be older than the work ({matches}). `pindna case "
                "show {case}` shows the dates."
            )
            print_problem(line.format(matches=", ".join(older), case=name))


def _made_object(made: MadeNotices) -> dict[str, object]:
    """Return notices that were made together as ``--json`` prints them."""
    return {
        **as_object(made.notice),
        "notices": [notice.name for notice in made.notices],
        "missing": list(made.missing),
        "missing_of_works": {code: list(titles) for code, titles in made.titles.items()},
        "left_out": made.left_out,
        "waiting": list(made.waiting),
    }


def _print_missing(missing: Mapping[str, str], titles: Mapping[str, tuple[str, ...]]) -> None:
    """Print a line for each missing fact, with the works that lack it and the command that supplies it."""
    for code, advice in missing.items():
        fact = _(FACTS[code].label)
        if works := titles.get(code):
            fact = _("{fact} for {works}").format(fact=fact, works=", ".join(works))
        print_problem(_("Missing: {fact} ({advice})").format(fact=fact, advice=advice))


def _show_made(made: MadeNotices, missing: Mapping[str, str]) -> None:
    for notice in made.notices:
        _show_notice(notice)
    _print_missing(missing, made.titles)
    if made.left_out:
        line = _("Not listed, because they were gone at the last check: {count} addresses")
        print_progress(line.format(count=made.left_out))
    if made.waiting:
        line = _("Left out, because they wait for the reply to an earlier notice: {cases}")
        print_progress(line.format(cases=", ".join(made.waiting)))
    if made.notice.is_draft:
        print_result(_("This is a draft: it is never sent."))
    elif "eml" not in made.notice.files:
        print_result(_("There is no mail: the holder or the addressee has no mail address."))


def _show_notice(notice: Notice) -> None:
    kind = word_of(NOTICE_KINDS, notice.kind)
    to = notice.addressee.name or "–"
    print_result(f"{notice.name}  {kind} → {to} <{notice.addressee.email or '–'}>")
    for form, file in notice.files.items():
        print_result(f"  {form}: {file.path}")
    if len(notice.cases) > 1:
        works = ", ".join(f"{case.name} 《{case.work_title}》" for case in notice.cases)
        print_result("  " + _("works: {works}").format(works=works))


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

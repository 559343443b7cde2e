"""``pindna evidence log``: the log that reveals changes of stored evidence."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from analysis.actions.evidence_log import log_pending
from analysis.evidence.log_verifying import LogCounts, LogProblem
from analysis.queries.evidence import (
    Deposit,
    LogState,
    list_deposits,
    log_state,
    log_verifier,
    newest_entries,
    signed_root,
)
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext, translator
from analysis.words.labels import LOG_PROBLEMS, LOGGED_KINDS, STATEMENTS
from deploy.cli.clock import local_moment
from deploy.cli.console import print_json_line, print_result, print_text
from deploy.cli.files import refuse_place, write, write_data
from deploy.cli.identity import user_session
from deploy.cli.labels import word_of
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject
from deploy.cli.tables import print_list
from storage.records.evidence_log import Leaf
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import read_file

_MAX_ROOT_BYTES = 10_000
_SHOWN = 20
_COUNTS = "entries=leaves accounted unlogged roots timestamps"
_DEPOSIT = "entries signed witness received"
_LEAF = "entry=id logged=at kind record digest accounts"
_STATE = "log entries at unlogged key last_root timestamps waiting receipts undeposited problem"

Kept = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help=_("A signed root that was kept elsewhere (checkpoint.txt of a package); repeatable."),
    ),
]


class NoSignedRoot(PindnaError):
    """A file does not contain a signed root of a log. Data: ``path``."""

    template = (
        "{path} is not a signed root. `pindna evidence log show --root` prints one, and packages have "
        "one in seal/checkpoint.txt."
    )


def status(*, as_json: AsJsonObject = False) -> None:
    """Print the state of the log; the exit status is 1 if the log was altered."""
    with user_session() as (user, runtime):
        state = log_state(user, runtime.stores, runtime.settings)
    if as_json:
        print_json_line(_state_as_object(state))
    else:
        _show_state(state)
    if state.problem:
        raise typer.Exit(ExitStatus.FOUND)


def _state_as_object(state: LogState) -> dict[str, object]:
    problem = translator().error(state.problem) if state.problem else ""
    return object_of(state, _STATE, problem=problem)


def _show_state(state: LogState) -> None:
    print_result(_("Evidence log {log}: {count} entries").format(log=state.log, count=state.entries))
    print_result("  " + _("Not logged yet: {count}").format(count=state.unlogged))
    print_result("  " + _("Key: {fingerprint}").format(fingerprint=state.key or "–"))
    print_result("  " + _("Last daily root: {moment}").format(moment=local_moment(state.last_root)))
    names = ", ".join(state.timestamps) or _("no authority")
    print_result("  " + _("Timestamped by: {names}").format(names=names))
    if state.waiting:
        print_result("  " + _("Timestamps not received yet: {names}").format(names=", ".join(state.waiting)))
    if state.receipts:
        print_result("  " + _("Deposited with: {names}").format(names=", ".join(state.receipts)))
    if state.undeposited:
        print_result(
            "  " + _("Receipts not received yet: {names}").format(names=", ".join(state.undeposited))
        )
    if state.problem:
        print_result(translator().error(state.problem))


def receipts(
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help=_("Write each signed root and its receipts into this folder."),
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    if out is not None:
        refuse_place(out / "root.txt")
    with user_session() as (user, runtime):
        deposits = list_deposits(user, runtime.stores)
    if out is not None:
        _write_deposits(deposits, out)
    headers = _("entries"), _("signed at"), _("witness"), _("receipt at")
    print_list(deposits, _DEPOSIT, headers, _deposit_cells, as_json=as_json)


def _deposit_cells(deposit: Deposit) -> tuple[str, ...]:
    signed, received = local_moment(deposit.signed), local_moment(deposit.received)
    return str(deposit.entries), signed, deposit.witness, received


def _write_deposits(deposits: Iterable[Deposit], folder: Path) -> None:
    """Write the roots and receipts; files are numbered, because the name of a witness may be any text."""
    for number, deposit in enumerate(deposits, 1):
        write(folder / f"root-{deposit.entries}.txt", deposit.note)
        write_data(folder / f"root-{deposit.entries}.receipt-{number}", deposit.receipt)


def show(
    *,
    limit: Annotated[int, typer.Option(min=1, help=_("Maximum number of entries."))] = _SHOWN,
    root: Annotated[
        bool, typer.Option("--root", help=_("Print only the signed root, to be stored elsewhere."))
    ] = False,
    as_json: AsJsonLines = False,
) -> None:
    with user_session() as (user, runtime):
        if root:
            print_text(signed_root(user, runtime.stores, runtime.settings))
            return
        leaves = newest_entries(user, runtime.stores, limit=limit)
    headers = _("entry"), _("logged at"), _("type of record"), _("id"), _("digest")
    print_list(leaves, _LEAF, headers, _cells, as_json=as_json)


def _cells(leaf: Leaf) -> tuple[str, ...]:
    kind = word_of(LOGGED_KINDS, leaf.kind)
    return str(leaf.id), local_moment(leaf.at), kind, leaf.record, leaf.digest[:16]


def verify(*, kept: Kept = None, as_json: AsJsonLines = False) -> None:
    """Print every difference between log and records; the exit status is 1 if there is one."""
    roots = [(str(path), _kept_root(path)) for path in kept or ()]
    problems = 0
    with user_session() as (user, runtime):
        failure = log_pending(user, runtime)
        verifier = log_verifier(user, runtime.stores, runtime.settings, roots)
        for problem in verifier.problems():
            problems += 1
            _print_problem(problem, as_json=as_json)
    if as_json:
        print_json_line({"problems": problems, **object_of(verifier.counts, _COUNTS)})
    else:
        _print_summary(verifier.counts, problems)
        if failure is not None:
            print_result(translator().error(failure))
    if problems:
        raise typer.Exit(ExitStatus.FOUND)


def _kept_root(path: Path) -> str:
    """Read a signed root from a file; a file of another form is a user's mistake, not a sign of tampering."""
    text = read_file(path, max_bytes=_MAX_ROOT_BYTES).decode("utf-8", "replace")
    if "\n\n— " not in text:
        raise NoSignedRoot(path=path)
    return text


def _print_problem(problem: LogProblem, *, as_json: bool) -> None:
    if as_json:
        print_json_line(object_of(problem, "problem=code place=location detail"))
        return
    parts = [word_of(LOG_PROBLEMS, problem.code), problem.location, _(problem.detail)]
    print_result("✗ " + " · ".join(piece for piece in parts if piece))


def _print_summary(counts: LogCounts, problems: int) -> None:
    if problems:
        headline = ngettext("{count} item was altered.", "{count} items were altered.", problems)
        print_result(headline.format(count=problems))
    else:
        print_result(_("The stored evidence matches the log."))
    for kind, count in counts.leaves.items():
        print_result(f"  {word_of(LOGGED_KINDS, kind)}: {count}")
    for statement, count in counts.accounted.items():
        print_result(f"  {word_of(STATEMENTS, statement)}: {count}")
    print_result("  " + _("Not logged yet: {count}").format(count=counts.unlogged))
    print_result("  " + _("Signed roots that the log leads to: {count}").format(count=counts.roots))
    for root, count in counts.timestamps.items():
        line = _("Timestamps that lead to the root certificate {root}: {count}")
        print_result("  " + line.format(root=root, count=count))
    if not counts.timestamps:
        print_result("  " + _("Not timestamped: only the owner of the key vouches for the time of signing."))

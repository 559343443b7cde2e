"""``pindna person``: export or erase the stored data of a person, on request."""

import json
from typing import Annotated

import typer

from analysis.actions.persons import erase
from analysis.evidence.leaves import canonical
from analysis.queries.persons import data_of
from analysis.words.i18n import gettext as _
from analysis.words.i18n import ngettext
from deploy.cli.asking import Yes, is_confirmed
from deploy.cli.console import print_json_line, print_progress, print_result
from deploy.cli.identity import As, user_session
from deploy.cli.options import AsJsonObject
from deploy.cli.tables import print_outcome

Name = Annotated[str, typer.Argument(metavar="NAME", help=_("The name, spelled as in the records."))]


def export(name: Name) -> None:
    count = 0
    with user_session() as (user, runtime):
        for data in data_of(user, runtime.stores, name):
            row = {"collection": data.collection, "id": data.id, "fields": data.fields}
            print_json_line(json.loads(canonical(row)))
            count += 1
    line = ngettext("{count} record names this person.", "{count} records name this person.", count)
    print_progress(line.format(count=count))


def erase_person(
    name: Name,
    *,
    reason: Annotated[
        str,
        typer.Option(
            "--because", help=_("Who made the request, and when. Do not enter the name that is replaced.")
        ),
    ] = "",
    yes: Yes = False,
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    with user_session(by) as (user, runtime):
        count = sum(1 for _data in data_of(user, runtime.stores, name))
        question = ngettext(
            "Replace the name in {count} record for good?",
            "Replace the name in {count} records for good?",
            count,
        )
        if count and not is_confirmed(question.format(count=count), yes=yes):
            print_outcome({"pseudonym": "", "changed": {}}, _("Nothing was erased."), as_json=as_json)
            return
        erasure = erase(user, runtime, name, reason=reason)
    if as_json:
        print_json_line({"pseudonym": erasure.pseudonym, "changed": dict(erasure.changed)})
        return
    if not erasure.changed:
        print_result(_("No stored record contains this name, so nothing was changed. Check the spelling."))
        return
    for collection, changed in erasure.changed.items():
        print_result(f"{collection}: {changed}")
    print_result(_("From now on: {pseudonym}").format(pseudonym=erasure.pseudonym))
    print_result(
        _("Received pages, and files written before (notices, reports, packages), stay as they are.")
    )

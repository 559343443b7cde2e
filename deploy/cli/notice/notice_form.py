"""``pindna notice forms`` and ``form``: forms of platforms, filled for a notice."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.actions import notices as actions
from analysis.queries.notices import forms_of
from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from deploy.cli.console import print_json_line, print_result
from deploy.cli.files import refuse_place, write_data
from deploy.cli.identity import As, user_session
from deploy.cli.notice.notice_list import NoticeName
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, AsJsonObject
from deploy.cli.tables import print_list
from system.local_files import readable


def forms(*, as_json: AsJsonLines = False) -> None:
    with user_session() as (user, runtime):
        listed = forms_of(user, runtime.settings.analysis.notices)
    language = translator().language
    rows = [object_of(form, "name title sheet batch", title=form.title_in(language)) for form in listed]
    headers = _("name"), _("title"), _("sheet"), _("addresses in a list")
    print_list(rows, dict, headers, lambda row: tuple(map(str, row.values())), as_json=as_json)


def form(
    name: NoticeName,
    form_name: Annotated[
        str, typer.Argument(metavar="FORM", help=_("Name of the form, as in the list of forms."))
    ],
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help=_("Folder for the files."))
    ] = Path(),
    by: As = "",
    as_json: AsJsonObject = False,
) -> None:
    refuse_place(output / "form.xlsx")
    with user_session(by) as (user, runtime):
        filled = actions.fill(user, runtime, name, form_name)
    folder = output / filled.name
    paths = []
    for file in filled.files:
        write_data(folder / file.name, file.data)
        paths.append(readable(folder / file.name))
    if as_json:
        print_json_line({"notice": name, "form": form_name, "files": paths})
        return
    for path in paths:
        print_result(path)

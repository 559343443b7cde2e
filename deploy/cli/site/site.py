"""``pindna site``: the known facts about the sites of pages."""

from typing import Annotated

import typer

from analysis.actions.site_learning import keep_repeated, use_container
from analysis.queries.sources import repeats_of, templates_of
from analysis.words.i18n import gettext as _
from analysis.words.known_sites import find_site
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.identity import As, user_session
from deploy.cli.objects import object_of
from deploy.cli.options import AsJsonLines, Host
from deploy.cli.tables import print_list


def show_repeated(
    host: Host,
    *,
    keep: Annotated[
        list[str] | None,
        typer.Option(help=_("Id of a sentence to leave in the texts from now on; repeatable.")),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help=_("Id of a kept sentence to omit again; repeatable."))
    ] = None,
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    with user_session(by) as (identity, runtime):
        for sentence_id in keep or ():
            keep_repeated(identity, runtime, host, sentence_id, kept=True)
        for sentence_id in remove or ():
            keep_repeated(identity, runtime, host, sentence_id, kept=False)
        repeats = repeats_of(identity, runtime.stores, [host], limit=1).get(host, ())
        if not repeats:
            host = find_site(host, runtime.stores)  # a misspelt host is an error
    headers = _("id"), _("texts"), _("kept"), _("sentence")
    none = _("No repeated text of {host} is known yet.").format(host=host)
    print_list(
        repeats,
        "id text texts kept protected=is_protected",
        headers,
        lambda row: (
            row.id,
            str(row.texts),
            _kept_word(kept=row.kept, is_protected=row.is_protected),
            row.text,
        ),
        as_json=as_json,
        none=none,
    )


def _kept_word(*, kept: bool, is_protected: bool) -> str:
    return _("text of a work") if is_protected else _("yes") if kept else _("no")


def show_template(
    host: Host,
    *,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help=_("Id of a position of texts to ignore from now on; repeatable.")),
    ] = None,
    use: Annotated[
        list[str] | None, typer.Option(help=_("Id of an ignored position to use again; repeatable."))
    ] = None,
    by: As = "",
    as_json: AsJsonLines = False,
) -> None:
    with user_session(by) as (identity, runtime):
        for container_id in ignore or ():
            use_container(identity, runtime, host, container_id, used=False)
        for container_id in use or ():
            use_container(identity, runtime, host, container_id, used=True)
        template = templates_of(identity, runtime.stores, [host], limit=1).get(host)
        if template is None:
            host = find_site(host, runtime.stores)
    if as_json:
        sizes = {"sample": len(template.sample), "frame": len(template.frame)} if template else {}
        for container in template.containers if template else ():
            print_json_line(object_of(container, "id path pages sample frame used=is_used", **sizes))
    elif template:
        headers = _("id"), _("pages"), _("used"), _("position")
        used = {True: _("yes"), False: _("no")}
        print_table(
            headers,
            (
                (learnt.id, str(learnt.pages), used[learnt.is_used], learnt.path)
                for learnt in template.containers
            ),
        )
        print_result(_("Repeated sentences around the texts: {count}").format(count=len(template.frame)))
    else:
        print_result(_("No position of texts has been learnt from {host} yet.").format(host=host))

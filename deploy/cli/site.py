"""``pindna site``: what is known of the sites that pages come from."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _
from analysis.known_sites import find_site
from deploy.cli import site_contact
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.options import AsJsonLines
from deploy.cli.session import session
from storage.collections.repeats import Repeat

app = typer.Typer(no_args_is_help=True)
app.add_typer(site_contact.app, name="contact", help=_("Whom to write to about a site."))


@app.command("repeated", help=_("Show what a site prints on many pages; it is left out of their texts."))
def show_repeated(
    host: Annotated[
        str, typer.Argument(metavar="HOST", help=_("Host, as in its addresses, with its port if unusual."))
    ],
    *,
    keep: Annotated[
        list[str] | None,
        typer.Option(help=_("Id of a sentence to leave in the texts from now on; repeatable.")),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help=_("Id of a kept sentence to leave out again; repeatable."))
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List a host's repeated sentences, after changing which of them are kept."""
    with session() as runtime:
        store = runtime.stores.repeats
        for sentence_id in keep or ():
            store.keep(host, sentence_id)
        for sentence_id in remove or ():
            store.keep(host, sentence_id, kept=False)
        repeats = store.of_host(host).repeats
        if not repeats:
            host = find_site(host, runtime.stores)  # a misspelt host must not pass for one without slogans
    if as_json:
        for repeat in repeats:
            print_json_line(
                {
                    "id": repeat.id,
                    "text": repeat.text,
                    "texts": repeat.texts,
                    "kept": repeat.kept,
                    "protected": repeat.is_protected,
                }
            )
    elif repeats:
        headers = _("id"), _("texts"), _("kept"), _("sentence")
        print_table(headers, map(_cells, repeats))
    else:
        print_result(_("{host} repeats nothing that is known yet.").format(host=host))


def _cells(repeat: Repeat) -> tuple[str, ...]:
    kept = _("text of a work") if repeat.is_protected else _("yes") if repeat.kept else _("no")
    return repeat.id, str(repeat.texts), kept, repeat.text

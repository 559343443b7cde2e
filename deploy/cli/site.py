"""``pindna site``: what is known of the sites that pages come from."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.options import AsJsonLines
from deploy.cli.session import session
from storage.collections.repeats import Repeat

app = typer.Typer(no_args_is_help=True)


@app.command("repeated", help=_("Show what a site prints on many pages; it is left out of their texts."))
def show_repeated(
    site: Annotated[str, typer.Argument(help=_("Host of the site, as reports name it."))],
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
    """List a site's repeated sentences, after changing which of them are kept."""
    with session() as runtime:
        store = runtime.stores.repeats
        for sentence_id in keep or ():
            store.keep(site, sentence_id)
        for sentence_id in remove or ():
            store.keep(site, sentence_id, kept=False)
        repeats = store.of_site(site).repeats
    if as_json:
        for repeat in repeats:
            print_json_line(
                {"id": repeat.id, "text": repeat.text, "texts": repeat.texts, "kept": repeat.kept}
            )
    elif repeats:
        headers = _("id"), _("texts"), _("kept"), _("sentence")
        print_table(headers, map(_cells, repeats))
    else:
        print_result(_("{site} repeats nothing that is known yet.").format(site=site))


def _cells(repeat: Repeat) -> tuple[str, ...]:
    return repeat.id, str(repeat.texts), _("yes") if repeat.kept else _("no"), repeat.text

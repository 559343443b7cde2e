"""``pindna site``: what is known of the sites that pages come from."""

from typing import Annotated

import typer

from analysis.words.i18n import gettext as _
from analysis.words.known_sites import find_site
from deploy.cli.console import print_json_line, print_result, print_table
from deploy.cli.options import AsJsonLines
from deploy.cli.session import session
from deploy.cli.site import site_contact
from storage.collections.repeats import Repeat
from storage.collections.templates import LearntContainer

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


@app.command("template", help=_("Show where a site has its texts, as its pages taught it."))
def show_template(
    host: Annotated[
        str, typer.Argument(metavar="HOST", help=_("Host, as in its addresses, with its port if unusual."))
    ],
    *,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help=_("Id of a place that has no say in its texts from now on; repeatable.")),
    ] = None,
    use: Annotated[
        list[str] | None, typer.Option(help=_("Id of an ignored place that has a say again; repeatable."))
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """List the containers of a host's texts, after changing which of them are used."""
    with session() as runtime:
        store = runtime.stores.templates
        for container_id in ignore or ():
            store.use(host, container_id, used=False)
        for container_id in use or ():
            store.use(host, container_id)
        known = store.of_host(host)
        if not known.containers:
            host = find_site(host, runtime.stores)
    if as_json:
        for container in known.containers:
            print_json_line(
                {
                    "id": container.id,
                    "path": container.path,
                    "pages": container.pages,
                    "sample": len(known.sample),
                    "frame": len(known.frame),
                    "used": container.is_used,
                }
            )
    elif known.containers:
        headers = _("id"), _("pages"), _("used"), _("place")
        print_table(headers, map(_container_cells, known.containers))
        print_result(_("Sentences that stand around its texts: {count}").format(count=len(known.frame)))
    else:
        print_result(_("{host} has taught no place of its texts yet.").format(host=host))


def _container_cells(container: LearntContainer) -> tuple[str, ...]:
    used = _("yes") if container.is_used else _("no")
    return container.id, str(container.pages), used, container.path

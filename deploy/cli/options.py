"""Options that several commands share."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any

import typer

from analysis.words.i18n import gettext as _

AsJson = Annotated[bool, typer.Option("--json", help=_("Print JSON."))]
AsJsonObject = Annotated[bool, typer.Option("--json", help=_("Print one JSON object."))]
AsJsonLines = Annotated[bool, typer.Option("--json", help=_("Print one JSON object per line."))]
WorkName = Annotated[str, typer.Argument(metavar="WORK", help=_("Work, by title, URL or id:NUMBER."))]
WorkNames = Annotated[
    list[str], typer.Argument(metavar="WORK…", help=_("Works, by title, URL or id:NUMBER."))
]
SeveralWorks = Annotated[
    list[str],
    typer.Argument(metavar="WORK…", help=_("Works, by title, URL, id:NUMBER, id:1-35 or load:LOAD.")),
]
CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help=_("Number of the case, such as c7, or its id."))
]
CaseOption = Annotated[str | None, typer.Option(metavar="CASE", help=_("Only this case, such as c7."))]
Because = Annotated[str, typer.Option("--because", help=_("Reason."))]
WhyDecided = Annotated[str, typer.Option("--because", help=_("Reason; required for a dismissal."))]
Note = Annotated[str, typer.Option("--because", help=_("Text of the note."))]
Host = Annotated[
    str,
    typer.Argument(metavar="HOST", help=_("Host as in the addresses of the site, with the port if unusual.")),
]
WaitForAll = Annotated[bool, typer.Option(help=_("Wait until everything is indexed and compared."))]
Limit = Annotated[int | None, typer.Option(min=1, help=_("List only this number of entries; default: all."))]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that takes several options as one dataclass.

    A keyword-only parameter of a dataclass type is replaced by the fields of the dataclass: Typer sees one
    option for each field, and the command gets one object.
    """
    signature = inspect.signature(command)
    bundles = {
        parameter.name: parameter.annotation
        for parameter in signature.parameters.values()
        if _is_bundle(parameter)
    }
    options: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        options += _options(parameter.annotation) if parameter.name in bundles else [parameter]

    @wraps(command)
    def run(**arguments: Any) -> None:
        for name, bundle in bundles.items():
            arguments[name] = bundle(**{field.name: arguments.pop(field.name) for field in fields(bundle)})
        command(**arguments)

    run.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    return run


def _is_bundle(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _options(bundle: Any) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=field.type,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(bundle)
    ]

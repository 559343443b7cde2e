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
AsJsonLines = Annotated[bool, typer.Option("--json", help=_("Print one JSON object a line."))]
Limit = Annotated[int | None, typer.Option(min=1, help=_("Only the first so many; default: all."))]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command have options by the bundle.

    A keyword-only parameter whose type is a dataclass stands for the dataclass's fields: Typer sees an option
    for each, and the command gets them as one value.
    """
    signature = inspect.signature(command)
    bundles = {own.name: own.annotation for own in signature.parameters.values() if _is_bundle(own)}
    options: list[inspect.Parameter] = []
    for own in signature.parameters.values():
        options += _options(own.annotation) if own.name in bundles else [own]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, bundle in bundles.items():
            given[name] = bundle(**{field.name: given.pop(field.name) for field in fields(bundle)})
        command(**given)

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

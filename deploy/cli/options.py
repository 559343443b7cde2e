"""Options that several commands share."""

from typing import Annotated

import typer

from analysis.i18n import gettext as _

AsJson = Annotated[bool, typer.Option("--json", help=_("Print JSON."))]
AsJsonObject = Annotated[bool, typer.Option("--json", help=_("Print one JSON object."))]
AsJsonLines = Annotated[bool, typer.Option("--json", help=_("Print one JSON object a line."))]
Limit = Annotated[int | None, typer.Option(min=1, help=_("Only the first so many; default: all."))]

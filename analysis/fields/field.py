"""The description of a field of a record, and the selection of the fields of a surface."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from analysis.accounts.permissions import Identity
from storage.records import Permission

R = TypeVar("R")

# The surfaces that show fields. ``csv``: CSV and workbooks; ``json``: ``--json`` of commands; ``api``:
# answers of the API; ``figures``: the figures of a record in the HTML report; ``facts``: lines of name and
# value on the terminal and in the console; ``terminal``: the table of a command; ``list``, ``finds``,
# ``case``: tables of the console (a list of these records, the matches to review, a page of a case).
Surface = Literal["csv", "json", "api", "figures", "facts", "terminal", "list", "finds", "case"]

# The format of a value. ``claimed``: a date in a work or a page; ``code``: a code with a label; ``codes``:
# several codes; ``review``: a review state, empty if the match is open; ``reason``: why a page was not read;
# ``texts``: several texts; ``records``: several records, which a table counts.
Format = Literal[
    "text",
    "number",
    "share",
    "moment",
    "claimed",
    "truth",
    "code",
    "codes",
    "review",
    "reason",
    "texts",
    "records",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Generic[R]):
    """A field of a record.

    Attributes:
        name: of a column, and wherever ``named`` has no other.
        label: the heading that people read, marked for translation; empty: only programs see it.
        read: returns the value; None where the record has none.
        format: how the value is shown.
        on: the surfaces that show it.
        words: labels of the codes, for ``code`` and ``codes``.
        cell: returns the value of a cell of a table; None: what follows from the format.
        plain: returns the value for JSON; None: what follows from the format.
        type: of a code in the API's answer.
        is_optional: the API answers null where the value is missing.
        description: in the API's schema.
        named: surface → its name there, where it is another one.
        labelled: surface → its label there, where it is another one.
        needs: the permission to see it.
        is_internal: only those who see the works of all holders see it.
    """

    name: str
    label: str = ""
    read: Callable[[R], Any]
    format: Format = "text"
    on: frozenset[Surface]
    words: Mapping[Any, str] = field(default_factory=dict)
    cell: Callable[[Any], object] | None = None
    plain: Callable[[Any], object] | None = None
    type: Any = str
    is_optional: bool = False
    description: str = ""
    named: Mapping[Surface, str] = field(default_factory=dict)
    labelled: Mapping[Surface, str] = field(default_factory=dict)
    needs: Permission
    is_internal: bool = False

    def name_on(self, surface: Surface) -> str:
        """Return the name of the field on a surface."""
        return self.named.get(surface, self.name)

    def label_on(self, surface: Surface) -> str:
        """Return the label of the field on a surface, marked for translation."""
        return self.labelled.get(surface, self.label)


def fields_on(surface: Surface, fields: Iterable[Field[R]], *, order: str = "") -> tuple[Field[R], ...]:
    """Return the fields of a surface: first the fields in ``order``, then the others as they are described.

    Args:
        surface: which one.
        fields: of a record.
        order: names on that surface, with spaces between; programs and people rely on it.
    """
    places = {name: index for index, name in enumerate(order.split())}
    shown = [entry for entry in fields if surface in entry.on]
    return tuple(sorted(shown, key=lambda entry: places.get(entry.name_on(surface), len(places))))


def visible(fields: Iterable[Field[R]], identity: Identity) -> tuple[Field[R], ...]:
    """Return the fields that a user may see."""
    return tuple(
        entry
        for entry in fields
        if entry.needs in identity.permissions and (identity.sees_everything or not entry.is_internal)
    )

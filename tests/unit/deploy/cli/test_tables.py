"""Lists of records as a table or as JSON, and the line or the record that a command ends with."""

import json
from dataclasses import dataclass

import pytest

from analysis.fields.field import Field
from deploy.cli import console
from deploy.cli.tables import cells_of, headers_of, print_list, print_outcome


@dataclass(frozen=True)
class Letter:
    """A record that is printed."""

    name: str
    count: int


LETTERS = [Letter("n1", 2), Letter("n2", 1234)]
FIELDS = tuple(
    Field(
        name=name,
        label=name.title(),
        labelled={"terminal": name},
        on=frozenset({"terminal"}),
        read=lambda letter, name=name: getattr(letter, name),
        format=kind,
        needs="cases:read",
    )
    for name, kind in (("name", "text"), ("count", "number"))
)


def cells(letter):
    return letter.name, str(letter.count)


@pytest.mark.parametrize(
    "as_object", ["name pages=count", lambda own: {"name": own.name, "pages": own.count}]
)
def test_json_list_has_an_object_a_line(capsys, as_object):
    print_list(iter(LETTERS), as_object, ("name", "count"), cells, as_json=True)
    lines = capsys.readouterr().out.splitlines()
    assert list(map(json.loads, lines)) == [{"name": "n1", "pages": 2}, {"name": "n2", "pages": 1234}]


def test_list_for_people_is_a_table(capsys):
    print_list(LETTERS, "name", ("name", "count"), cells, as_json=False, none="Nothing.")
    words = [
        line.replace("│", " ").replace("┃", " ").split() for line in capsys.readouterr().out.splitlines()
    ]
    assert [own for own in words if len(own) == 2] == [["name", "count"], ["n1", "2"], ["n2", "1234"]]


@pytest.mark.parametrize(
    ("none", "printed"), [("No letter.", ("No letter.\n", "")), ("", ("", "There is nothing to list.\n"))]
)
def test_empty_list_is_a_sentence(capsys, monkeypatch, none, printed):
    monkeypatch.setattr(console, "_output", console._Terminal())
    print_list([], "name", ("name", "count"), cells, as_json=False, none=none)
    assert tuple(capsys.readouterr()) == printed


def test_empty_list_for_programs_is_empty(capsys):
    print_list([], "name", ("name",), cells, as_json=True, none="Nothing.")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("as_json", "printed"), [(False, "Done."), (True, '{"name": "n1"}')])
def test_outcome_is_a_line_or_the_record(capsys, as_json, printed):
    print_outcome({"name": "n1"}, "Done.", as_json=as_json)
    assert capsys.readouterr().out.strip() == printed


def test_row_follows_the_fields_except_replaced_cells():
    assert headers_of(FIELDS) == ("name", "count")
    assert cells_of(FIELDS, LETTERS[1], {}) == ("n2", "1,234")
    assert cells_of(FIELDS, LETTERS[1], {"count": ("1234", "more")}) == ("n2", ("1234", "more"))

"""Arguments are checked before servers start: what is misspelt is told at once, by every command that has it.

The cases are made from the command line itself, so a new option is tried without a line here: each one that
is more than a text gets a value that it cannot have.
"""

from pathlib import Path
from typing import Any

import pytest
from support.commands import run_alone
from typer.main import get_command

from deploy.cli.app import application

# Files that commands write: a folder is in the way.
WRITTEN = {"output", "path", "screenshot", "table", "warc"}
WORDS = {"names": "m1", "urls": "http://h.example/", "inputs": "text.txt", "paths": "text.txt"}
TEXTS = {"str", "bool", "list[str]"}
SERVERLESS = {"compare", "dedupe", "demo", "measure"}  # or, as the demo, with a folder that it makes


def commands(group: Any = None, name: tuple[str, ...] = ()):
    """Yield every command with its name."""
    group = group or get_command(application())
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*name, word))
        else:
            yield (*name, word), command


def bad_value(parameter: Any, folder: Path) -> str:
    if "Path" not in parameter.bare_type():
        return "??"
    if parameter.name in {"out", "output"}:  # a folder may take the file: here a file is in the way
        return str(folder / "text.txt" / "package.zip")
    return str(folder if parameter.name in WRITTEN else folder / "missing" / "file.txt")


def words(parameter: Any, value: str) -> list[str]:
    is_option = parameter.param_type_name == "option"
    return [max(parameter.opts, key=len), value] if is_option else [value]


def cases():
    """Yield the parameters that can be misspelt, with the others that their commands need."""
    for name, command in commands():
        for parameter in command.params:
            if parameter.bare_type() in TEXTS or name[0] in SERVERLESS:
                continue
            yield pytest.param(name, command, parameter, id=f"{' '.join(name)} {parameter.name}")


def others(command: Any, parameter: Any) -> list[str]:
    needed = [other for other in command.params if other.required and other.name != parameter.name]
    needed.sort(key=lambda other: other.param_type_name == "argument")
    return [word for other in needed for word in words(other, WORDS.get(other.name, "x"))]


@pytest.mark.parametrize(("name", "command", "parameter"), list(cases()))
def test_bad_argument_starts_no_server(monkeypatch, tmp_path, name, command, parameter):
    started = []
    monkeypatch.setattr("deploy.stack.embedded_stack", lambda *_args, **_options: started.append(name))
    (tmp_path / "text.txt").write_text("静夜思", encoding="utf-8")
    rest = others(command, parameter)
    bad = words(parameter, bad_value(parameter, tmp_path))
    line = [*bad, *rest] if parameter.param_type_name == "option" else [*rest, *bad]
    done = run_alone(tmp_path, *name, *line, status=2)
    assert not started
    assert done.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["corpus", "add", "novles"], "novles does not exist"),
        (["corpus", "add", "text.txt", "--licensed", "no site"], "“no site” is not a site"),
        (["check", "suspcet.txt"], "suspcet.txt does not exist"),
        (["extract", "page.htm", "--source", "portal"], "page.htm does not exist"),
        (["extract", "text.txt", "--rules", "rulse.toml"], "rulse.toml does not exist"),
        (["licence", "add", "镜花缘", "no site"], "“no site” is not a site"),
        (["licence", "remove", "镜花缘", "no site"], "“no site” is not a site"),
        (["report", "--since", "yesterday"], "yesterday"),
        (
            ["report", "-o", "text.txt/report.html"],
            "text.txt/report.html: cannot be written (Not a directory)",
        ),
        (["page", "snapshot", "http://h.example/", "--warc", "."], ".: cannot be written (Is a directory)"),
        (["review", "list", "--state", "opened"], "opened"),
        (["source", "add", "portal"], "portal"),
        (["source", "add", "portal", "ftp://h.example/"], "ftp://h.example/"),
        (["source", "add", "portal.toml"], "portal.toml does not exist"),
        (["source", "test", "portal.toml"], "portal.toml does not exist"),
        (["profile", "evaluate", "--folder", "labelled"], "labelled does not exist"),
        (["profile", "evaluate", "--set", "copy=1"], "copy"),
        (["check"], "The argument PATH|URL|-… is missing: Texts, pages, folders"),
        (["source", "enable"], "The argument NAME is missing: Name of a stored source."),
        (["corpus", "role", "青灯渡"], "The option --as is missing: Role of the works"),
        (["profile", "evaluate", "--against", "novel@9"], "novel@9"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_reported_before_servers_start(monkeypatch, tmp_path, line, told):
    started = []
    monkeypatch.setattr("deploy.stack.embedded_stack", lambda *_args, **_options: started.append(line))
    (tmp_path / "text.txt").write_text("静夜思", encoding="utf-8")
    done = run_alone(tmp_path, *line, status=2)
    assert told in done.stderr
    assert not started


def test_usable_paths_are_used(monkeypatch, tmp_path):
    """The command that reads the paths reports the missing ones."""
    started = []

    class Started(Exception):
        pass

    def start(*_args, **_options):
        started.append(1)
        raise Started

    monkeypatch.setattr("deploy.stack.embedded_stack", start)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "text.txt").write_text("静夜思", encoding="utf-8")
    run_alone(tmp_path, "corpus", "add", "novles", "text.txt", status=None)
    assert started


def test_every_missing_input_has_its_line_in_json(monkeypatch, tmp_path):
    monkeypatch.setattr("deploy.stack.embedded_stack", pytest.fail)
    done = run_alone(tmp_path, "check", "a.txt", "b.txt", "--json", status=2)
    assert [line.count('"reason": "missing-file"') for line in done.stdout.splitlines()] == [1, 1]
    assert done.stderr.count("\n") == 2

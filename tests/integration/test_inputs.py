"""What commands do with inputs that cannot be used: nothing waits, nothing vanishes, the status says it."""

import json
import os
import pty
import signal
import subprocess
from importlib import import_module

import pytest
from support.commands import run_alone
from support.processes import PINDNA
from support.strategies import story

from deploy.cli import app
from deploy.demo.samples import SAMPLES
from system.errors import ServiceDown
from system.exit_status import ExitStatus

NOVELS = SAMPLES / "novels"
COPY = NOVELS.joinpath("青灯渡.txt").read_text(encoding="utf-8")[500:1200]
OTHER = story(700, 5)

# Every command that reads files which the user names, with {} in the place of one.
READERS = {
    "check": ("check", "--corpus", NOVELS, "{}"),
    "check corpus": ("check", "--corpus", "{folder}", "other.txt"),
    "compare": ("compare", "{}", "other.txt"),
    "dedupe": ("dedupe", "{}"),
    "dedupe idf": ("dedupe", "other.txt", "--method", "cosine", "--idf", "{}"),
    "dedupe dictionary": ("dedupe", "other.txt", "--method", "cosine", "--dictionary", "{}"),
    "extract": ("extract", "{}"),
    "extract rules": ("extract", "page.html", "--rules", "{}"),
    "measure letters": ("measure", "letters", "{}", "-o", "-"),
    "measure words": ("measure", "words", "{}", "-o", "-"),
    "profile evaluate": ("profile", "evaluate", "--folder", "{labelled}", "--corpus", NOVELS),
    "source test": ("source", "test", "{}"),
}


@pytest.fixture
def special(tmp_path):
    """A folder with nothing but a pipe in it, and what a command line needs beside."""
    for name in ("only", "labelled/copy"):
        (tmp_path / name).mkdir(parents=True)
        os.mkfifo(tmp_path / name / "a.txt")
    os.mkfifo(tmp_path / "only" / "a.toml")
    (tmp_path / "other.txt").write_text(OTHER, encoding="utf-8")
    (tmp_path / "page.html").write_text("<p>正文</p>", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", READERS)
def test_no_command_waits_for_a_pipe(special, name):
    file = "only/a.toml" if name.startswith("source") else "only/a.txt"
    places = {"{}": file, "{folder}": "only", "{labelled}": "labelled"}
    words = [places.get(str(argument), argument) for argument in READERS[name]]
    done = run_alone(special, *words, status=2)
    assert "not a regular file" in done.stderr


@pytest.mark.parametrize("name", ["check", "check corpus", "compare", "dedupe", "extract", "measure letters"])
def test_longest_file_is_a_setting(tmp_path, name):
    (tmp_path / "pindna.toml").write_text("[tracker]\nmax_file_bytes = 4096\n", encoding="utf-8")
    (tmp_path / "only").mkdir()
    (tmp_path / "other.txt").write_text(OTHER, encoding="utf-8")
    (tmp_path / "only" / "a.txt").write_text(story(5_000, 1), encoding="utf-8")
    places = {"{}": "only/a.txt", "{folder}": "only"}
    words = [places.get(str(argument), argument) for argument in READERS[name] if argument != NOVELS]
    words = [word for word in words if word != "--corpus" or name == "check corpus"]
    if name == "check":
        words += ["--corpus", NOVELS.parent / "others"]
    done = run_alone(tmp_path, *words, status=2)
    assert "larger than 4096 bytes" in done.stderr


def test_standard_input_without_end_is_bounded(tmp_path):
    with open("/dev/zero", "rb") as endless:  # noqa: PTH123 - a device
        done = subprocess.run(
            [PINDNA, "check", "--corpus", NOVELS, "-"],
            stdin=endless,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
            cwd=tmp_path,
            timeout=60,
            check=False,
        )
    assert done.returncode == ExitStatus.UNUSABLE
    assert b"Skipped -: larger than 67108864 bytes" in done.stderr


@pytest.mark.parametrize(
    ("inputs", "status"),
    [
        (["clear.txt"], ExitStatus.DONE),
        (["copy.txt"], ExitStatus.FOUND),
        (["none.txt", "pipe"], ExitStatus.UNUSABLE),
        (["clear.txt", "none.txt", "pipe", "empty.txt"], ExitStatus.PARTLY),
        (["clear.txt", "none.txt", "copy.txt", "latin.txt"], ExitStatus.FOUND),
    ],
)
def test_every_input_has_its_line(tmp_path, inputs, status):
    (tmp_path / "clear.txt").write_text(OTHER, encoding="utf-8")
    (tmp_path / "copy.txt").write_text(COPY, encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "latin.txt").write_bytes(b"no Chinese")
    os.mkfifo(tmp_path / "pipe")
    done = run_alone(tmp_path, "check", "--corpus", NOVELS, "--json", *inputs, status=status)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["input"] for row in rows] == inputs
    reasons = {"none.txt": "missing-file", "pipe": "not-regular"}
    reasons |= {"empty.txt": "empty-file", "latin.txt": "no-han-text"}
    assert [row.get("reason") for row in rows] == [reasons.get(name) for name in inputs]
    assert all(("verdict" in row) != ("error" in row) for row in rows)
    pages = run_alone(tmp_path, "extract", "--json", *inputs, status=None)
    assert [json.loads(line)["input"] for line in pages.stdout.splitlines()] == inputs


def test_corpus_that_is_not_whole_is_no_clean_bill(tmp_path):
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "a.txt").write_text(COPY, encoding="utf-8")
    (tmp_path / "clear.txt").write_text(OTHER, encoding="utf-8")
    words = "check", "--corpus", "works", "clear.txt", "--json"
    assert json.loads(run_alone(tmp_path, *words).stdout)["left_out"] == 0
    os.mkfifo(tmp_path / "works" / "b.txt")
    assert json.loads(run_alone(tmp_path, *words, status=4).stdout)["left_out"] == 1
    rows = [{"title": "题", "text": OTHER[:100], "date": "0001-01-01"}]
    (tmp_path / "works" / "b.txt").unlink()
    (tmp_path / "works" / "c.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "clear.txt").write_text(story(700, 6), encoding="utf-8")
    done = run_alone(tmp_path, *words, status=4)
    assert "Ignored the date “0001-01-01” in" in done.stderr


@pytest.fixture
def failing(monkeypatch, tmp_path):
    """Let the comparison of one text fail as no test can make it fail from outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    real = import_module("deploy.cli.check.check").compare

    def put(error):
        def compare(page, *arguments, **options):
            if page.text.startswith("青"):
                raise error
            return real(page, *arguments, **options)

        monkeypatch.setattr("deploy.cli.check.check.compare", compare)

    for name, text in (("1.txt", OTHER), ("2.txt", "青" + OTHER), ("3.txt", COPY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return put


@pytest.mark.parametrize(
    ("error", "reasons", "status"),
    [
        (RuntimeError("page text"), [None, "unexpected", None], ExitStatus.BUG),
        (
            ServiceDown(service="Redis", address="a", problem="p"),
            [None, "service-down", "service-down"],
            ExitStatus.DOWN,
        ),
    ],
)
def test_error_in_the_middle_hides_no_other_input(failing, capsys, error, reasons, status):
    failing(error)
    assert app.run_command(["check", "--corpus", str(NOVELS), "--json", "1.txt", "2.txt", "3.txt"]) == status
    output = capsys.readouterr()
    rows = [json.loads(line) for line in output.out.splitlines()]
    assert [row["input"] for row in rows] == ["1.txt", "2.txt", "3.txt"]
    assert [row.get("reason") for row in rows] == reasons
    assert rows[0]["verdict"] == "clear"
    assert "page text" not in output.out + output.err


def test_closed_pipe_is_no_finding_and_no_clean_bill(tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text(story(20_000, number), encoding="utf-8")
    process = subprocess.Popen(
        [PINDNA, "extract", *sorted(tmp_path.glob("*.txt"))], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == ExitStatus.READER_GONE
    assert errors == b""


def test_ctrl_c_ends_with_status_130_and_a_single_line(tmp_path):
    (tmp_path / "a.txt").write_text(OTHER, encoding="utf-8")
    process = subprocess.Popen(
        [PINDNA, "check", "--corpus", NOVELS, "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    process.stdin.write(story(100_000, 1).encode())  # more than a pipe holds: somebody has read by then
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == ExitStatus.INTERRUPTED
    assert len(errors.splitlines()) == 1


def test_real_terminal_gets_no_control_character_of_a_file(tmp_path):
    name = "a\x1b]0;owned\x07\x1b[2J\u202e.txt"
    (tmp_path / name).write_text(OTHER, encoding="utf-8")
    leader, follower = pty.openpty()
    done = subprocess.run(
        [PINDNA, "check", "--corpus", NOVELS, name, "none" + name],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
        },
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    os.close(follower)
    output = b""
    try:
        while piece := os.read(leader, 65_536):
            output += piece
    except OSError:  # Linux says so that nobody has the other end any more
        pass
    os.close(leader)
    assert done.returncode == ExitStatus.PARTLY
    assert output.decode().count("a␛]0;owned␇␛[2J[U+202E].txt") == 2
    assert not [mark for mark in (b"\x1b]", b"\x1b[2J", b"\x07", "\u202e".encode()) if mark in output]

"""What strangers wrote never steers a terminal: every command, over a database and files full of traps.

Titles, addresses, headers, sources, repeats, file names and messages hold control characters of both sets,
links and titles for the terminal, changes of direction, markup and line ends. Each command runs as on a
terminal and as in a pipe; none of it may arrive. A command that is added has to be added here.
"""

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import typer.main
from support.matches import match_with
from support.processes import environment_of
from support.strategies import story
from support.webserver import article, web_site

import deploy.cli
from analysis.accounts.permissions import local_identity
from analysis.words.visible import HIDDEN
from crawler.addresses import canonical
from deploy.cli.app import application
from deploy.cli.scan.scan import show_scan
from storage.collections.captures import capture_id
from storage.collections.cases import case_id
from storage.collections.page_events import event_id
from storage.collections.pages import page_id
from storage.collections.repeats import Repeat, repeat_id
from storage.collections.templates import LearntContainer
from storage.records import (
    Account,
    Candidate,
    CandidateEvidence,
    Capture,
    Case,
    Decision,
    Page,
    PageEvent,
    Passage,
    Scan,
    Session,
    SiteLicence,
    Snapshot,
    Source,
    SourceHealth,
    Token,
    Visit,
    Watch,
    Work,
    utc_now,
)
from system.exit_status import ExitStatus
from system.messages import Message
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services

MARK = "恶意"
EVIL = (
    f"{MARK}\x1b]0;owned\x07\x1b[2J\x1b[8m\x9b31m\x90q\x9c\x1b]8;;http://evil.example\x07"
    "\u202e\u2066\u200b\u00ad\x7f\x08[bold red]红[/bold red][link=http://evil.example]链[/link]:smile:"
    "\r\nFORGED 0 pages\t\u2028\U000e0041\u0000"
)
IN_NAMES = EVIL.replace("/", "|").replace("\0", "")  # file names hold neither slashes nor NULs
IN_PLACES = IN_NAMES.replace("[", "(")  # addresses with brackets are refused
TEXT = story(400, 1)
URL = "http://site.example/" + IN_PLACES
# What rich writes by itself: styles, the cursor hidden, shown and moved, lines erased.
_RICH = re.compile(r"\x1b\[\?25[lh]|\x1b\[[0-7;]*m|\x1b\[\d*[AK]|\r(?!\n)")


@pytest.fixture
def ids():
    page = page_id(URL, TEXT)
    return {"page": page, "match": "m1", "dismissal": "d1", "repeat": repeat_id(7), "sha": "0" * 64}


@pytest.fixture
def world(stores, ids):
    """A database in which every field that a stranger fills is hostile."""
    now = utc_now()
    work = Work(
        id=1, key=EVIL, title=EVIL, kind="novel", origin=EVIL, author=EVIL, holder=EVIL, status="indexed"
    )
    stores.works.new_ids("works", 1)
    stores.works.save(replace(work, licences=(SiteLicence(site=EVIL),), url=EVIL, passage_ids=(1,)))
    stores.passages.save_many([Passage(id=1, work_id=1, ordinal=0, title=EVIL, text=TEXT, sha256="0")])
    stores.sources.save(Source(name=EVIL, kind="news", start_urls=(URL, EVIL), robots_reason=EVIL))
    evidence = CandidateEvidence(file=EVIL, sha256="0", form="chat", line=1, text=EVIL, works=(EVIL,))
    for site in ("evil.example", "evil2.example"):
        candidate = Candidate(id=site, urls=(f"http://{site}/",), evidence=(evidence,), works=(EVIL,))
        stores.candidates.add_new([replace(candidate, remarks=(Message("{rule}", {"rule": EVIL}),))])
    stores.health.save(
        SourceHealth(name=EVIL, paused_until=now + timedelta(days=1), pause_reason=EVIL, last_success=now)
    )
    stores.health.raise_alert(EVIL, "blocked", detail=EVIL, scan_id="s1")
    stores.scans.open(Scan(id="s1", trigger="hand", sources=(EVIL,), started=now))
    stores.repeats.learn(EVIL, sample={}, repeats=[Repeat(id=ids["repeat"], hash=7, text=EVIL, texts=5)])
    stores.templates.learn(EVIL, sample=[], containers=[LearntContainer(path=EVIL, pages=3)], frame=[])
    for url in (URL, canonical(URL)):
        add_page(stores, url, ids["sha"])
    match = match_with(
        id=ids["match"], page_id=ids["page"], passage_id=1, site="site.example", url=URL, page_title=EVIL
    )
    match = replace(match, work_title=EVIL, passage_title=EVIL, because=EVIL, scan_id="s1")
    stores.matches.replace_for_pages({ids["page"]: [match]})
    stores.cases.save(
        Case(
            id=case_id(1, "site.example"),
            work_id=1,
            work_title=EVIL,
            site="site.example",
            verdict="copy",
            pages=1,
            passages=1,
            copied_chars=9,
            first_seen=now,
            last_seen=now,
        )
    )
    watch = Watch(id="w", url=URL, source=EVIL, page_id=ids["page"], since=now, due=now, moved_to=EVIL)
    stores.watches.enrol(watch, 99)
    stores.accounts.add(Account(name="wu", role="holder", holders=(EVIL,)))
    times = {"started": now, "seen": now, "ends": now + timedelta(days=1)}
    stores.sessions.add(Session(id="s", account="wu", address=EVIL, agent=EVIL, **times))
    stores.tokens.add(
        Token(id="", digest="d", account="wu", label=EVIL, scopes=(), made=now, ends=now + timedelta(days=1))
    )
    stores.decisions.save_many(
        [
            Decision(
                id=ids["dismissal"],
                state="dismissed",
                site=EVIL,
                work_id=1,
                passage_id=1,
                passage_sha256="0",
                start=0,
                end=9,
                because=EVIL,
                work_title=EVIL,
                passage_title=EVIL,
                url=EVIL,
            )
        ]
    )
    return stores


def add_page(stores, url, sha):
    now = utc_now()
    fields = {"url": url, "source": EVIL}
    page = Page(
        id=page_id(url, TEXT),
        host="site.example",
        kind="article",
        title=EVIL,
        text=TEXT,
        **fields,
    )
    failed = replace(page, id=page_id(url, ""), text="", state="failed", reason=EVIL, content_hash="x")
    for entry in (page, failed):
        stores.pages.see_many([replace(entry, author=EVIL, encoding=EVIL, scan_id="s1", snapshots=(EVIL,))])
    stores.visits.save(Visit(state="moved", moved_to=EVIL, **fields))
    event = event_id(url, "moved", "", "s1")
    moved = PageEvent(id=event, kind="moved", at=now, scan_id="s1", detail=EVIL, **fields)
    stores.page_events.add_many([moved])
    capture = Capture(
        id=capture_id(url, sha, now), scan_id="s1", fetched=now, status=200, sha256=sha, **fields
    )
    stores.captures.add_many([capture])
    stores.snapshots.save(
        Snapshot(sha256=sha, url=url, status=200, headers=EVIL.encode(), body=EVIL.encode(), fetched=now)
    )


@pytest.fixture
def files(tmp_path):
    """A folder whose names and contents are hostile."""
    folder = tmp_path / IN_NAMES
    folder.mkdir()
    (folder / f"{IN_NAMES}.txt").write_text(TEXT, encoding="utf-8")
    (folder / f"{IN_NAMES}2.txt").write_text(f"{EVIL}\n{TEXT}", encoding="utf-8")
    (folder / f"{IN_NAMES}.html").write_text(article(EVIL), encoding="utf-8")
    (folder / f"{IN_NAMES}.toml").write_text(f'"{MARK}\\u001b[2J" = 1', encoding="utf-8")
    rows = [
        {"title": EVIL + "\ud800", "text": TEXT, "date": EVIL},
        {"title": EVIL, "text": TEXT},
        {"title": EVIL},
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    labelled = tmp_path / "labelled" / "copy"
    labelled.mkdir(parents=True)
    (labelled / f"{IN_NAMES}.txt").write_text(f"{TEXT}。", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\x1b[2J.txt")).write_bytes(b"")
    return folder


def command_lines(files, ids, site):
    """Return for each command the arguments that it is tried with, those that take something away last."""
    text, other, page = (str(files / f"{IN_NAMES}{suffix}") for suffix in (".txt", "2.txt", ".html"))
    toml, bad = str(files / f"{IN_NAMES}.toml"), str(files / "none") + IN_NAMES
    good = str(files / "site.toml")
    Path(good).write_text(
        f'name = "s"\nkind = "urls"\nurls = ["{site.url}/a", "{site.url}/b"]\n', encoding="utf-8"
    )
    sites = str(files / f"{IN_NAMES}-sites.txt")
    Path(sites).write_text(f"http://evil3.example/ {EVIL}\n{EVIL}\n", encoding="utf-8")
    folder, labelled, out = str(files), str(files.parent / "labelled"), str(files / "out") + IN_NAMES
    json_too = lambda *words: [words, (*words, "--json")]  # noqa: E731 - shorter than what it stands for
    return {
        "demo": [("--data-dir", f"/dev/null/{IN_NAMES}")],
        "up": [()],
        "serve": [("--host", IN_NAMES)],  # no argument of a program holds a NUL
        "doctor": [(), ("--settings",)],
        "corpus add": [("--no-wait", folder, bad), ("--no-wait", text, "--licensed", EVIL)],
        "corpus list": json_too(),
        "corpus loads": json_too(),
        "corpus show": [*json_too("id:1"), ("none" + EVIL,)],
        "licence add": [("id:1", "site.example"), ("id:1", EVIL), ("id:1", "site.example", "--share", "0.5")],
        "licence list": json_too(),
        "index stats": json_too(),
        "index verify": [()],
        "index rebuild": [()],
        "index compact": [()],
        "scan": [()],
        "source add": [(EVIL, URL), (EVIL, EVIL), (toml,)],
        "source test": [*json_too(good), (EVIL + "none",)],
        "source list": json_too(),
        "source import": [*json_too(sites, bad), (bad,)],
        "source candidates": json_too(),
        "source candidate": [*json_too("evil.example"), ("none" + EVIL,)],
        "source accept": [("none" + EVIL,), ("evil.example",)],
        "source reject": [("none" + EVIL,), ("evil2.example", "--because", EVIL)],
        "source reopen": [("none" + EVIL,)],
        "source enable": [("none" + EVIL,), (EVIL,)],
        "source disable": [("none" + EVIL,), (EVIL,)],
        "page show": [*json_too(URL), ("http://none.example/" + IN_PLACES,)],
        "page import": [*json_too(page, "--url", "http://site.example/1"), (text,)],
        "page snapshot": [
            (URL,),
            (URL, "--headers"),
            (URL, "--document"),
            (URL, "--warc", out),
            (URL, "--warc", bad + "/x"),
            (URL, "--sha256", EVIL),
        ],
        "page verify": [*json_too(), *json_too(URL)],
        "page prune": [("--days", "99")],
        "site template": [*json_too(EVIL), (EVIL + "none",), (EVIL, "--ignore", EVIL)],
        "site repeated": [*json_too(EVIL), (EVIL + "none",), (EVIL, "--keep", EVIL)],
        "crawl": [("none" + EVIL,)],
        "extract": [
            *json_too(page, text, bad),
            (page, "--offsets"),
            (page, "--rules", toml),
            (page, "--source", EVIL),
        ],
        "check": json_too("--corpus", folder, text, other, page, bad, f"--{EVIL}"[2:]),
        "profile list": json_too(),
        "profile show": [("none" + EVIL,)],
        "profile evaluate": [
            *json_too("--folder", labelled, "--corpus", folder, "--set", "copy_chars=999999"),
            ("--set", EVIL + "=1"),
        ],
        "review list": json_too(),
        "review show": [*json_too("m1"), (EVIL,)],
        "review next": [(), ("--site", EVIL)],
        "review dismiss": [(EVIL, "--because", EVIL)],
        "case list": json_too(),
        "case show": [*json_too("c1"), (EVIL,)],
        "case history": [*json_too("c1"), (EVIL,)],
        "case assign": [("c1", "--to", EVIL), (EVIL, "--to", "x")],
        "case note": [("c1", "--because", EVIL), (EVIL, "--because", "x")],
        "evidence log status": json_too(),
        "evidence log show": [*json_too(), ("--limit", "1")],
        "evidence log verify": json_too(),
        "evidence log receipts": json_too(),
        "evidence key show": json_too(),
        "evidence key rotate": [("--as", EVIL)],
        "evidence verify": [(bad,), (page,), (text, "--key", EVIL)],
        "evidence export": [(EVIL,), ("c1", "-o", bad + "/x"), ("c1", "--as", EVIL)],
        "holder add": [(EVIL, "--address", EVIL), (EVIL,)],
        "holder set": [(EVIL, "--contact", EVIL), ("none" + EVIL, "--contact", "x")],
        "holder list": json_too(),
        "holder show": [*json_too(EVIL), ("none" + EVIL,)],
        "site contact set": [("site.example", "--name", EVIL), (EVIL, "--name", "x")],
        "site contact list": json_too(),
        "site lookup": [*json_too("site.example"), ("site.example", "--stored"), (EVIL,)],
        "site contact confirm": [("site.example", EVIL), (EVIL, "0")],
        "notice make": [("c1", "--draft", "--holder", EVIL), (EVIL,), ("--site", EVIL)],
        "notice list": json_too(),
        "notice show": [*json_too("n1"), (EVIL,)],
        "notice forms": json_too(),
        "notice form": [("n1", "baidu"), (EVIL, EVIL)],
        "notice send": [("n1", "--yes"), (EVIL,)],
        "notice resolve": [("n1", "withdrawn", "--because", EVIL), (EVIL, "sent")],
        "notice reply": [("n1", "accepted", "--because", EVIL), (EVIL, "accepted")],
        "review doubt": [(EVIL, "--because", EVIL)],
        "watch now": [("c1",), ("http://none.example/" + IN_PLACES,)],
        "alert list": json_too(),
        "alert outbox": json_too(),
        "alert test": [(EVIL,)],
        "alert add": [(EVIL, "--address", EVIL)],
        "alert remove": [(EVIL,)],
        "settings get": [*json_too(), (EVIL,)],
        "settings set": [(EVIL, "x"), ("analysis.alerts.quiet", EVIL)],
        "person export": json_too(EVIL),
        "user add": [
            (EVIL, "--role", "analyst", "--no-password"),
            ("li", "--role", "holder", "--no-password", "--holder", EVIL),
        ],
        "user list": json_too(),
        "user show": [*json_too("wu"), (EVIL,)],
        "user role": [(EVIL, "--role", "analyst")],
        "user password": [(EVIL,)],
        "user reset": [(EVIL,)],
        "user totp": [(EVIL,)],
        "user rotate-key": [()],
        "user sign-out": [("wu",), (EVIL,)],
        "user disable": [(EVIL,)],
        "user enable": [(EVIL,)],
        "token add": [
            ("wu", "--label", EVIL),
            (EVIL, "--label", EVIL),
            ("wu", "--label", "x", "--scope", EVIL),
        ],
        "token list": [*json_too("wu"), (EVIL,)],
        "token revoke": [(EVIL,)],
        "review confirm": [(ids["match"], EVIL)],
        "review reopen": [(ids["match"], EVIL)],
        "dismiss": [(ids["match"], EVIL, "--because", EVIL)],
        "dismissals list": json_too(),
        "compare": [*json_too(text, other), (text, bad)],
        "dedupe": [*json_too(folder), (folder, "--csv", "-"), (text, "--method", EVIL)],
        "measure letters": [(folder, "-o", "-"), (folder, "-o", out)],
        "measure words": [(folder, "-o", "-", "--least", "1"), (folder, "-o", bad + "/x", "--least", "1")],
        "report": [
            *(("--format", form, "-o", "-") for form in ("html", "csv", "json")),
            ("-o", out),
            ("--work", EVIL + "none"),
        ],
        "case confirm": [(EVIL,), ("c1", "--because", EVIL)],
        "watch list": json_too(),
        "case dismiss": [("c1", EVIL, "--because", EVIL)],
        "case notify": [("c1", "--because", EVIL), (EVIL,)],
        "case reply": [("c1", "--answer", "refused", "--because", EVIL), (EVIL,)],
        "case close": [("c1", EVIL, "--because", EVIL)],
        "case reopen": [("c1", EVIL)],
        "site contact remove": [("site.example",), (EVIL,)],
        "holder remove": [(EVIL, "--yes"), ("none" + EVIL, "--yes")],
        "backup create": [(out,), ("-o", bad + "/x", "--json"), (out, "-o", out)],
        "backup verify": [(text,), (out, "--json"), (bad,)],
        "backup restore": [(out,), (bad, "--replace", "--yes")],
        "upgrade": json_too("--dry-run"),
        "person erase": [(EVIL, "--yes")],
        "dismissals remove": [(ids["dismissal"], EVIL), (ids["dismissal"], EVIL, "--yes")],
        "licence remove": [("id:1", EVIL), ("id:1", "site.example")],
        "source remove": [(EVIL,), (EVIL, "--yes"), ("none" + EVIL,)],
        "corpus edition": [("id:1", "--none"), ("none" + EVIL, "--none"), ("id:1", "--of", EVIL)],
        "corpus role": [("none" + EVIL, "--as", "earlier"), ("id:1", "--as", "earlier", "--yes")],
        "corpus rename": [("id:1", EVIL + "new")],
        "corpus merge": [("id:1", "none" + EVIL), ("id:1", "id:1")],
        "corpus split": [("id:1", EVIL, "--passages", EVIL), ("id:1", EVIL + "new", "--passages", "1")],
        "corpus remove": [("none" + EVIL, "id:1"), ("id:1", "--yes")],
        "corpus undo": [(EVIL, "--yes"), ("--yes",)],
        "corpus restore": [("none" + EVIL, "id:1", "--no-wait")],
    }


# Commands in whose output nothing stands that a stranger chose.
_OWN_WORDS = {
    "up",
    "serve",
    "alert list",
    "alert outbox",
    "evidence log receipts",
    "settings get",
    "evidence log show",
    "evidence log status",
    "evidence log verify",
    "index compact",
    "index rebuild",
    "index stats",
    "upgrade",
    "page prune",
    "person erase",
}
# What a pipe or a file gets exactly as it is.
_DOCUMENTS = {"page snapshot", "dedupe", "measure letters", "measure words", "report"}


def leaves(command, path=()):
    children = getattr(command, "commands", None)
    if children is None:
        yield " ".join(path)
        return
    for name, child in children.items():
        yield from leaves(child, (*path, name))


def assert_harmless(output, *, where):
    """Fail if something in it would steer a terminal, or passes for a line of ours."""
    left = _RICH.sub("", output)
    hidden = HIDDEN.search(left)
    assert hidden is None, (where, hidden, left[max(0, hidden.start() - 60) : hidden.end() + 60])
    assert "\x1b[8m" not in output, where


@pytest.fixture
def environment(settings, tmp_path):
    return {
        **environment_of(settings),
        "PINDNA_STORAGE__DATA_DIR": str(tmp_path / "data" / IN_NAMES),
        "PINDNA_TRACKER__PROFILES": json.dumps({EVIL: {"base": "novel", "version": 1}}),
        "TERM": "xterm-256color",
    }


@pytest.mark.timeout(1_200)
@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    "terminal",
    # Some 250 commands each; what goes into a pipe passes through the same functions.
    [pytest.param(True, id="on a terminal"), pytest.param(False, id="in a pipe", marks=pytest.mark.long)],
)
@pytest.mark.long
def test_foreign_text_cannot_control_the_terminal(pindna, files, ids, terminal):
    with web_site() as site:
        site.default = article(EVIL)
        lines = command_lines(files, ids, site)
        assert set(lines) == set(leaves(typer.main.get_command(application())))
        for name, variants in lines.items():
            output = ""
            for words in variants:
                done = pindna(*name.split(), *words, is_terminal=terminal, status=None)
                out, errors = done.stdout, done.stderr
                assert done.returncode != ExitStatus.BUG, (name, words, errors)
                output += out + errors
                exact = name in _DOCUMENTS and not terminal
                assert_harmless(errors if exact else out + errors, where=(name, words))
                if "--json" not in words and name not in {"extract", *_DOCUMENTS}:
                    assert not [line for line in (out + errors).splitlines() if line.startswith("FORGED")], (
                        name
                    )
            assert (MARK in output or "%E6%81%B6" in output) == (name not in _OWN_WORDS), (name, output)


@pytest.mark.parametrize("terminal", [True, False])
def test_scan_summary_escapes_foreign_text(pindna, world, settings, terminal):
    runtime = open_runtime(settings)
    try:
        closed, identity = world.scans.get("s1"), local_identity("ana", "administrator")
        done = pindna(
            program=lambda _: show_scan(identity, runtime, closed), is_terminal=terminal, status=None
        )
    finally:
        runtime.close()
    assert MARK in done.stdout
    assert MARK in done.stderr
    assert_harmless(done.stdout + done.stderr, where="scan")


@pytest.mark.usefixtures("world")
def test_markup_is_printed_as_text_and_json_is_unchanged(pindna, files):
    table = pindna("corpus", "list", is_terminal=True).stdout
    title = "".join(re.sub(r"[│┃]", "", table).split())
    assert "[boldred]红[/boldred][link=http://evil.example]链[/link]:smile:" in title
    for terminal in (True, False):
        listed = pindna("corpus", "list", "--json", is_terminal=terminal)
        assert json.loads(listed.stdout)["title"] == EVIL
        done = pindna("dedupe", files, "--json", is_terminal=terminal, status=None)
        titles = {row["title"] for line in done.stdout.splitlines() for row in json.loads(line)["documents"]}
        assert EVIL.replace("\0", "").strip() in titles


def test_warnings_of_libraries_are_escaped():
    code = (
        "import logging, sys, warnings; from deploy.cli.console import take_over; take_over();"
        "logging.getLogger('lxml').warning('%s', sys.argv[1]); warnings.warn(sys.argv[1])"
    )
    words = [sys.executable, "-c", code, EVIL.replace("\0", "")]
    done = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    errors = done.stderr.decode()
    assert errors.count(MARK) == 2
    assert_harmless(errors, where="warnings")


@pytest.mark.usefixtures("world")
def test_body_is_piped_byte_for_byte(pindna):
    assert pindna("page", "snapshot", URL).stdout == EVIL


@pytest.mark.parametrize(
    "path", sorted(Path(deploy.cli.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_only_the_console_module_writes_to_the_terminal(path):
    """No command can forget to escape."""
    if path.stem == "console":
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [name.name for name in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "rich" not in imported
    assert not {
        name for name in called if name == "print" or name.endswith((".echo", ".secho", "get_binary_stream"))
    }
    assert not {name for name in called if re.match(r"sys\.(stdout|stderr)\.(buffer\.)?write", name)}

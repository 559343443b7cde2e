"""A data folder that an earlier version made opens with everything in it.

``tests/folders`` holds one for each schema: the demo's folder after a scan, two confirmations and a
dismissal. Whoever changes what is stored adds a step to ``storage.collections.upgrades``, and these keep
opening: by ``pindna upgrade``, which leaves a way back.
"""

import json
import os
import shutil
import tarfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.commands import run_alone, run_command
from support.unpacking import extract_all

from deploy.cli.demo.demo import upgrade_samples
from deploy.stack.embedded import embedded_stack
from storage.collections import schema
from storage.collections.page_figures import PageScope
from storage.collections.stores import open_stores
from storage.records import MAX_MINUTES, UnreadFigures
from storage.settings import load_settings
from tracker.indexing.params import DEFAULT_PARAMS

pytestmark = pytest.mark.usefixtures("embedded_programs")
FOLDERS = sorted((Path(__file__).parents[1] / "folders").glob("schema-*.tar.xz"))
STORED = {
    "captures": 70,
    "cases": 19,
    "crawls": 5,
    "decisions": 3,
    "fingerprints": 64,
    "health": 5,
    "matches": 33,
    "page_events": 41,
    "pages": 47,
    "passages": 32,
    "repeats": 4,
    "scans": 1,
    "snapshots": 70,
    "sources": 5,
    "visits": 47,
    "works": 15,
}


def unpack(archived, folder):
    folder.mkdir(mode=0o700)
    with tarfile.open(archived) as archive:
        extract_all(archive, folder)
    return folder


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda path: path.name)
def stack(request, tmp_path_factory):
    """The services of such a folder, which commands find running."""
    with embedded_stack(unpack(request.param, tmp_path_factory.mktemp("earlier") / "data")) as running:
        yield running


@pytest.fixture(scope="module")
def on_servers(stack, tmp_path_factory):
    """Run a command on the servers of the folder as on one's own, which nobody else uses."""
    folder = tmp_path_factory.mktemp("on-servers")
    storage = stack.settings.storage

    def run(*arguments, status=0, **variables):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "PINDNA_STORAGE__DATA_DIR": str(stack.folder.path),
            "PINDNA_STORAGE__MONGO_URL": storage.mongo_url.get_secret_value(),
            "PINDNA_STORAGE__REDIS_URL": storage.redis_url.get_secret_value(),
            **variables,
        }
        return run_command(*arguments, environment=environment, folder=folder, status=status)

    return run


@pytest.fixture(scope="module")
def upgraded(on_servers, stack, tmp_path_factory):
    """The folder after `pindna upgrade`: what the commands said, and the backup that it made first."""
    backup = tmp_path_factory.mktemp("backup") / "before.tar"
    refused = on_servers("review", "list", status=3).stderr
    dry = on_servers("upgrade", "--dry-run").stdout
    with closing(open_stores(stack.settings.storage)) as opened:
        left = opened.database["schema"].find_one({"_id": "schema"})["version"]
    done = on_servers("upgrade", "-o", backup)
    again = on_servers("upgrade", "--json").stdout
    return SimpleNamespace(refused=refused, dry=dry, left=left, done=done, again=again, backup=backup)


@pytest.fixture
def stores(stack, upgraded):  # noqa: ARG001 - brought up to date before it is read
    """What the folder holds."""
    with closing(open_stores(stack.settings.storage)) as opened:
        opened.open_schema()
        yield opened


@pytest.fixture
def pindna(stack, upgraded, tmp_path):  # noqa: ARG001 - the same
    """Run a command as a user of the folder does."""

    def run(*arguments, status=0):
        done = run_alone(tmp_path, "--data-dir", stack.folder.path, *arguments, status=status)
        return done.stdout if status == 0 else done.stderr

    return run


def test_it_is_upgraded_when_that_is_said_and_after_a_backup(upgraded):
    assert upgraded.refused == (
        f"The database has schema {upgraded.left}, but this version of pindna needs schema {schema.VERSION}. "
        "Run `pindna upgrade`, which writes a backup first.\n"
    )
    assert upgraded.dry.startswith(f"Schema {upgraded.left} → {schema.VERSION}\n")
    assert "15 works · 47 pages · 33 matches" in upgraded.dry
    assert f"backup restore {upgraded.backup} --replace" in upgraded.done.stderr
    assert json.loads(upgraded.again)["changes"] == {}


def test_backup_before_it_leads_back(on_servers, stack, upgraded, tmp_path):
    """A backup of the upgraded folder gives the same in another installation."""
    there = {
        "PINDNA_STORAGE__DATA_DIR": str(tmp_path),
        "PINDNA_STORAGE__MONGO_DATABASE": "restored",
        "PINDNA_STORAGE__REDIS_URL": stack.settings.storage.redis_url.get_secret_value()[:-1] + "1",
    }
    after = upgraded.backup.with_name("after.tar")
    on_servers("evidence", "log", "verify")  # which logs what waits for it
    made = json.loads(on_servers("backup", "create", "-o", after, "--json").stdout)
    checked = json.loads(on_servers("backup", "verify", after, "--json").stdout)
    beside = [stack.folder.path / name for name in ("evidence-key.pem", "evidence-root.txt")]
    assert made == checked | {"beside": [str(path) for path in beside]}
    for path in beside:
        shutil.copy(path, tmp_path)
    assert made["documents"]["matches"] == STORED["matches"]
    restored = on_servers("backup", "restore", after, **there)
    assert restored.stdout.startswith("The database is restored to the backup.\n")
    on_servers("index", "verify", **there)
    for words in (("review", "list", "--json"), ("case", "list", "--json")):
        assert on_servers(*words, **there).stdout == on_servers(*words).stdout
    for variables in (there, {}):  # that it was backed up, or restored, is an entry more
        on_servers("evidence", "log", "verify", **variables)
    refused = on_servers("backup", "restore", upgraded.backup, status=2, **there).stderr
    assert "is not empty" in refused
    back = on_servers("backup", "restore", upgraded.backup, "--replace", "--yes", **there)
    assert "Run `pindna upgrade`" in back.stderr
    assert "Run `pindna upgrade`" in on_servers("review", "list", status=3, **there).stderr
    with closing(open_stores(stack.settings.storage)) as opened:
        database = opened.database.client["restored"]
        assert database["schema"].find_one({"_id": "schema"})["version"] == upgraded.left
        for name, number in STORED.items():
            if name != "decisions":  # which were dismissals and reviews
                assert database[name].count_documents({}) == number, name


def test_folder_of_an_earlier_version_opens_with_everything_in_it(stores):
    for name, number in STORED.items():
        assert stores.database[name].count_documents({}) == number, name
    assert stores.database["schema"].find_one({"_id": "schema"})["version"] == schema.VERSION
    assert {source.max_minutes for source in stores.sources.all()} == {MAX_MINUTES}
    (scan,) = stores.scans.newest(99)
    assert all(crawl.state == "done" and crawl.left == {} for crawl in stores.scans.crawls(scan.id))
    reviews = [match.review for match in stores.matches.reviewed()]
    assert sorted(reviews) == ["confirmed", "confirmed", "dismissed"]
    decisions = [decision.state for decision in stores.decisions.listed()]
    assert sorted(decisions) == ["confirmed", "confirmed", "dismissed"]
    assert stores.matches.get("m33").number == 33
    assert {case.number for case in stores.cases.listed()} == set(range(1, 20))
    assert "confirmed" in {case.state for case in stores.cases.listed()}


def test_its_dates_are_days_and_times_of_china(stores):
    works = {work.id: work.published for work in stores.works.all()}
    pages = {page.id: page.published for page in stores.pages.all()}
    assert {date.precision for date in works.values() if date} == {"day"}
    assert {date.offset_minutes for date in pages.values() if date} == {480}
    for match in (match for work in works for match in stores.matches.of_work(work)):
        assert match.work_published == works[match.work_id]
        assert match.page_published == pages[match.page_id]
        assert match.page_older == bool(match.page_older_by)


def test_commands_work_on_an_old_folder_as_on_a_new_folder(pindna, tmp_path):
    assert len(pindna("corpus", "list").splitlines()) > 15
    matches = [json.loads(line) for line in pindna("review", "list", "--json").splitlines()]
    assert len(matches) == STORED["matches"]
    index = json.loads(pindna("index", "stats", "--json"))  # built anew, for its parameters were others
    assert tuple(index["params_ids"]) == DEFAULT_PARAMS.params_ids
    assert index["passages"] == STORED["passages"]
    pindna("index", "verify")
    pindna("report", "--format", "json", "--output", "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["pages"]["total"] == STORED["pages"]
    assert len(report["cases"]) > 10
    assert pindna("page", "snapshot", matches[0]["url"])


def test_demo_continues_in_the_folder_of_an_earlier_demo(tmp_path):
    folder = unpack(FOLDERS[-1], tmp_path / "demo")
    upgrade_samples(folder, load_settings(storage={"mongo_url": None, "redis_url": None}))
    with embedded_stack(folder) as running, closing(open_stores(running.settings.storage)) as stores:
        assert stores.older_schema() == 0
        assert stores.document_counts(["works"]) == {"works": STORED["works"]}


def test_its_pages_have_no_rest_yet_and_its_matches_are_in_articles(stores):
    pages = list(stores.pages.all())
    assert len(pages) == STORED["pages"]
    assert {(page.rest_hash, page.rest_verdict, page.is_doubtful) for page in pages} == {("", None, False)}
    assert {len(page.unread) for page in pages} == {0}
    matches = stores.matches.of_pages([page.id for page in pages])
    assert {(match.part, match.found_in) for match in matches} == {("article", ())}
    assert stores.page_figures.unread(PageScope()) == UnreadFigures()
    assert stores.scans.newest(1)[0].unread == UnreadFigures()

"""A data folder that an earlier version made opens with everything in it.

``tests/folders`` holds one for each schema: the demo's folder after a scan, two confirmations and a
dismissal. Whoever changes what is stored adds a step to ``storage.collections.upgrades``, and these keep
opening.
"""

import json
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from support.commands import run_alone

from deploy.stack.embedded import embedded_stack
from storage.collections import schema
from storage.collections.stores import open_stores
from storage.records import MAX_MINUTES
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


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda path: path.name)
def stack(request, tmp_path_factory):
    """The services of such a folder, which commands find running."""
    folder = tmp_path_factory.mktemp("earlier") / "data"
    folder.mkdir(mode=0o700)
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    with embedded_stack(folder) as running:
        yield running


@pytest.fixture
def stores(stack):
    """What the folder holds, brought up to date as every command brings it before it reads."""
    with closing(open_stores(stack.settings.storage)) as opened:
        opened.ensure_schema()
        yield opened


@pytest.fixture
def pindna(stack, tmp_path):
    """Run a command as a user of the folder does."""

    def run(*arguments, status=0):
        done = run_alone(tmp_path, "--data-dir", stack.folder.path, *arguments, status=status)
        return done.stdout if status == 0 else done.stderr

    return run


def test_a_folder_of_an_earlier_version_opens_with_everything_in_it(stores):
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


def test_the_commands_work_on_it_as_on_a_new_one(pindna, tmp_path):
    assert len(pindna("corpus", "list").splitlines()) > 15
    matches = [json.loads(line) for line in pindna("review", "list", "--json").splitlines()]
    assert len(matches) == STORED["matches"]
    told = pindna("index", "verify", status=3)
    assert "it was built with other parameters. Run `pindna index rebuild`." in told
    index = json.loads(pindna("index", "stats", "--json"))  # rebuilt by itself, as before any comparison
    assert tuple(index["params_ids"]) == DEFAULT_PARAMS.params_ids
    assert index["passages"] == STORED["passages"]
    pindna("index", "verify")
    pindna("report", "--format", "json", "--output", "report.json")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["pages"]["total"] == STORED["pages"]
    assert len(report["cases"]) > 10
    assert pindna("page", "snapshot", matches[0]["url"])

"""A data folder that an earlier version made opens with everything in it.

``tests/folders`` holds one for each schema: the demo's folder after a scan, two confirmations and a
dismissal. Whoever changes what is stored adds a step to ``storage.collections.schema``, and these keep
opening.
"""

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from support.processes import PINDNA

from deploy.stack.embedded import embedded_stack
from storage.collections import schema
from storage.collections.stores import open_stores
from storage.records import MAX_MINUTES

pytestmark = pytest.mark.usefixtures("embedded_programs")
FOLDERS = sorted((Path(__file__).parents[1] / "folders").glob("schema-*.tar.xz"))
STORED = {
    "captures": 70,
    "cases": 19,
    "crawls": 5,
    "dismissals": 1,
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


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name)
def folder(request, tmp_path):
    unpacked = tmp_path / "data"
    unpacked.mkdir(mode=0o700)
    with tarfile.open(request.param) as archive:
        archive.extractall(unpacked, filter="data")
    return unpacked


def pindna(folder, *arguments, status=0):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder.parent),
        "LC_ALL": "C.UTF-8",
        "PINDNA_STORAGE__DATA_DIR": str(folder),
    }
    done = subprocess.run(
        [PINDNA, *arguments],
        env=environment,
        cwd=folder.parent,
        capture_output=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode()


def test_a_folder_of_an_earlier_version_opens_with_everything_in_it(folder):
    with embedded_stack(folder) as stack:
        stores = open_stores(stack.settings.storage)
        stores.ensure_schema()
        for name, number in STORED.items():
            assert stores.database[name].count_documents({}) == number, name
        assert stores.database["schema"].find_one({"_id": "schema"})["version"] == schema.VERSION
        assert {source.max_minutes for source in stores.sources.all()} == {MAX_MINUTES}
        (scan,) = stores.scans.all()
        assert all(crawl.state == "done" and crawl.left == {} for crawl in stores.scans.crawls(scan.id))
        reviews = [match.review for match in stores.matches.reviewed()]
        assert sorted(reviews) == ["confirmed", "confirmed", "dismissed"]
        stores.close()


def test_the_commands_work_on_it_as_on_a_new_one(folder):
    assert len(pindna(folder, "corpus", "list").splitlines()) > 15
    matches = [json.loads(line) for line in pindna(folder, "review", "list", "--json").splitlines()]
    assert len(matches) == STORED["matches"]
    pindna(folder, "index", "verify")
    pindna(folder, "report", "--format", "json", "--output", "report.json")
    report = json.loads((folder.parent / "report.json").read_text(encoding="utf-8"))
    assert report["pages"]["total"] == STORED["pages"]
    assert len(report["cases"]) > 10
    assert pindna(folder, "page", "snapshot", matches[0]["url"])

"""Lock, licences, bill of materials and advisories agree with the environment and with each other."""

import hashlib
import importlib.util
import io
import json
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from deploy.build_sbom import bill_of_materials
from system.version import VERSION

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^(\S+)==(\S+)(.*)((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)*)$", LOCK, re.MULTILINE)
LOCKED = {name: version for name, version, *_ in ENTRIES}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The image has no embedded servers: MongoDB and Redis have images of their own, and SecantusDB is GPL.
IN_IMAGE = sorted(PROJECT["optional-dependencies"].keys() - {"all", "bench", "dev", "docs", "embedded"})


def script(name):
    """Return a maintainer's script as a module."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notice, advisories, release = script("notice"), script("advisories"), script("release")


def pinned():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def test_locked_versions_are_the_pinned_ones():
    assert {name: pinned().get(name) for name in LOCKED} == LOCKED, "run `make lock`"


def test_lock_has_every_distribution_of_the_image():
    assert notice.installed(*IN_IMAGE) - LOCKED.keys() == set(), "run `make lock`"


def test_every_locked_distribution_has_hashes_and_no_address():
    assert len(ENTRIES) == len(re.findall("==", LOCK)) == len(LOCKED)
    assert [name for name, _, _, hashes in ENTRIES if "--hash" not in hashes] == []
    assert "//" not in LOCK


def test_image_installs_the_locked_extras_with_hashes_only():
    dockerfile = (ROOT / "deploy/docker/Dockerfile").read_text(encoding="utf-8")
    installs = re.findall(r"pip install ([^&]*)", dockerfile)
    assert len(installs) == 3
    assert all("--require-hashes" in words or "--no-index" in words for words in installs)
    assert re.search(r"^# What the extras (.*) add\.$", LOCK, re.MULTILINE)[1].split(", ") == IN_IMAGE


def test_notice_lists_the_licences_of_the_environment():
    listed = notice.listed()
    differing = {name: text for name, text in notice.licences().items() if listed.get(name) != text}
    assert differing == {}, "run `make notice`"
    assert LOCKED.keys() - listed.keys() - {"pip", "setuptools"} == set()


def test_no_licence_but_of_the_server_is_copyleft_for_its_users():
    strict = {name for name, text in notice.listed().items() if "GPL" in text and " OR " not in text}
    assert strict == {"secantusdb"}


def test_notice_names_every_table_with_its_sources():
    text = (ROOT / "NOTICE").read_text(encoding="utf-8")
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    tables = {entry["path"] for entry in annotations} - {"**", ".ci/advisories.json"}
    assert tables == {str(path.relative_to(ROOT)) for path in (ROOT / "fingerprint/text").glob("_[a-z]*.py")}
    assert all(path in text for path in tables)
    assert "https://creativecommons.org/licenses/by/3.0/" in text


def test_every_licence_has_its_text():
    annotations = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    used = {name for entry in annotations for name in entry["SPDX-License-Identifier"].split(" AND ")}
    assert used == {path.stem for path in (ROOT / "LICENSES").iterdir()}
    assert set(PROJECT["license"].split(" AND ")) == used - {"CC-BY-4.0"}


@pytest.fixture(scope="module")
def bom():
    return json.loads(bill_of_materials(ROOT, VERSION))


def test_bill_of_materials_lists_every_distribution_and_table(bom):
    libraries = {part["name"]: part for part in bom["components"] if part["type"] == "library"}
    assert {name: part["version"] for name, part in libraries.items()} == {
        name: version for name, version in LOCKED.items() if name not in {"pip", "setuptools"}
    }
    assert libraries["numpy"]["scope"] == "required"
    assert libraries["nicegui"]["scope"] == "optional"
    licences = [licence["expression"] for part in bom["components"] for licence in part["licenses"]]
    assert len(licences) == len(bom["components"])
    assert "NOASSERTION" not in licences
    assert {part["name"] for part in bom["components"] if part["type"] == "data"} == {
        f"fingerprint/text/{name}.py" for name in ("_components", "_pairs", "_syllables", "_tables")
    }


def test_two_bills_of_materials_are_equal(bom):
    assert bom == json.loads(bill_of_materials(ROOT, VERSION))
    references = [part["bom-ref"] for part in (bom["metadata"]["component"], *bom["components"])]
    assert len(references) == len(set(references))
    assert bom["dependencies"][0]["ref"] == f"pkg:pypi/pindna@{VERSION}"


def test_pinned_versions_have_no_listed_vulnerability():
    stored = json.loads(advisories.ADVISORIES.read_text(encoding="utf-8"))
    assert list(advisories.found(advisories.pinned(), stored["advisories"])) == []


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ("1.0", False),
        ("1.1", True),
        ("1.4.9", True),
        ("1.5", False),
        ("2.0", True),
        ("2.2", True),
        ("2.3", False),
    ],
)
def test_advisory_affects_the_versions_of_its_ranges(version, affected):
    events = [{"introduced": "1.1"}, {"fixed": "1.5"}, {"introduced": "2.0"}, {"last_affected": "2.2"}]
    package = {"ecosystem": "PyPI", "name": "Some.Name"}
    record = {
        "id": "X-1",
        "affected": [{"package": package, "ranges": [{"type": "ECOSYSTEM", "events": events}]}],
    }
    (entry,) = advisories.entries(record)
    assert advisories.affects(entry, Version(version)) is affected
    lines = list(advisories.found({"some-name": version}, [entry]))
    assert len(lines) == affected


def test_advisory_without_ranges_affects_the_listed_versions():
    package = {"ecosystem": "PyPI", "name": "a"}
    listed = {"package": package, "versions": ["1.0", "1.0.0-not-a-version"]}
    (entry,) = advisories.entries({"id": "X-2", "aliases": ["CVE-1"], "affected": [listed]})
    (line,) = advisories.found({"a": "1.0.0", "b": "1"}, [entry])
    assert line == "a 1.0.0 is affected by X-2, CVE-1. No version is known to fix it."


def test_advisories_are_read_from_folders_and_zip_files(tmp_path):
    text = 'id: X-3\nmodified: "2026-01-02T00:00:00Z"\naffected:\n- package: {ecosystem: PyPI, name: numpy}\n'
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/X-3.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "deep/readme.md").write_text("#", encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("X-3.json", json.dumps({"id": "X-3", "affected": []}))
    assert [record["id"] for record in advisories.records(tmp_path / "deep")] == ["X-3"]
    assert [record["id"] for record in advisories.records(tmp_path / "all.zip")] == ["X-3"]


def archive(names, *, seconds, owner):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as target:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uid, member.uname = len(name), seconds, owner, str(owner)
            target.addfile(member, io.BytesIO(name.encode()))
    return packed.getvalue()


def test_archives_that_differ_in_order_time_and_owner_become_equal():
    one = release.normalised(archive(["a/b", "a/c"], seconds=1.5, owner=0), 86400)
    other = release.normalised(archive(["a/c", "a/b"], seconds=7, owner=1000), 86400)
    assert one == other
    with tarfile.open(fileobj=io.BytesIO(one)) as read:
        assert [(member.name, member.mtime, member.mode) for member in read] == [
            ("a/b", 86400, 0o644),
            ("a/c", 86400, 0o644),
        ]
        assert read.extractfile("a/c").read() == b"a/c"


def test_builds_that_differ_are_refused_by_name(tmp_path):
    for folder, text in (("one", "x"), ("other", "y")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.whl").write_text(text, encoding="utf-8")
    one, other = (list((tmp_path / folder).iterdir()) for folder in ("one", "other"))
    release.require_equal(one, one)
    with pytest.raises(SystemExit, match=r"differ: a\.whl"):
        release.require_equal(one, other)


def test_sums_are_signed_with_the_named_key(tmp_path):
    program = shutil.which("ssh-keygen") or pytest.skip("OpenSSH is not installed")
    key, dist = tmp_path / "key", tmp_path / "dist"
    subprocess.run([program, "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    dist.mkdir()
    (dist / "a.whl").write_bytes(b"x")
    release.write_sums(dist)
    sums = dist / release.SUMS
    assert sums.read_text(encoding="utf-8") == f"{hashlib.sha256(b'x').hexdigest()}  a.whl\n"
    signature = release.sign(sums, f"ssh:{key}")
    (tmp_path / "signers").write_text(f"releases {key.with_suffix('.pub').read_text(encoding='utf-8')}")
    check = [program, "-Y", "verify", "-f", tmp_path / "signers", "-I", "releases", "-n", "pindna"]
    with sums.open("rb") as text:
        subprocess.run([*check, "-s", signature], stdin=text, check=True, capture_output=True)


@pytest.mark.parametrize("key", ["", "id_ed25519", "pgp:1", "ssh:"])
def test_unknown_kind_of_key_is_refused(tmp_path, key):
    with pytest.raises(SystemExit, match="Name ssh:PATH"):
        release.sign(tmp_path / "SHA256SUMS", key)

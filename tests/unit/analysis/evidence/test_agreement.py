"""Packages whose documents contradict each other."""

import json

import pytest

from analysis.evidence.agreement import logged_digests, named_files
from analysis.evidence.opening import NotAPackage, open_package
from analysis.evidence.stored_zip import StoredZip

HASH = "0" * 64
LOGGED = {"id": "a", "url": "http://a.cn/1", "sha256": HASH, "fetched": "2026-11-01T00:00:00.000+00:00"}
ROW = {**LOGGED, "fetched": "2026-11-01T00:00:00Z", "page_id": "p"}


@pytest.fixture
def of(tmp_path):
    """A function that calls another one with a package of some files."""

    def run(function, files):
        with (tmp_path / "p.zip").open("wb") as file, StoredZip(file) as package:
            for name, text in files.items():
                package.add(f"P-1/{name}", text.encode())
        with open_package(tmp_path / "p.zip") as package:
            return function(package)

    return run


def manifests(tags=f"{HASH}  bagit.txt\n", payload=f"{HASH}  data/a.txt\n"):
    return {"manifest-sha256.txt": payload, "tagmanifest-sha256.txt": tags}


def test_manifests_list_only_files_of_the_package_once(of):
    assert of(named_files, manifests()) == {"bagit.txt": HASH, "data/a.txt": HASH}
    for wrong in (
        manifests(payload=f"{HASH}  data/a.txt\n" * 2),
        manifests(payload=f"{'A' * 64}  data/a.txt\n"),
        manifests(payload=f"{HASH} data/a.txt\n"),
        manifests(payload=f"{HASH}  seal/key.pem\n"),
        manifests(tags=f"{HASH}  data/a.txt\n"),
        manifests(tags="\r\n"),
    ):
        with pytest.raises(NotAPackage, match="not a manifest"):
            of(named_files, wrong)


def lists(row, content=None):
    proof = {"record": "a"} if content is None else {"record": "a", "content": json.dumps(content)}
    texts = {"data/captures.jsonl": row, "data/history.jsonl": None, "seal/inclusion.jsonl": proof}
    return {name: json.dumps(value) if value else "" for name, value in texts.items()}


def test_captures_match_the_logged_captures(of):
    assert of(logged_digests, lists(ROW, LOGGED)) == {HASH: {""}}
    assert of(logged_digests, lists(ROW, {**LOGGED, "digest": "d"})) == {HASH: {"d"}}
    assert of(logged_digests, lists(ROW)) == {}
    for name, value in (("id", "b"), ("url", "http://b.cn/"), ("fetched", "2020-01-01T00:00:00Z")):
        with pytest.raises(NotAPackage, match="differs from the evidence log"):
            of(logged_digests, lists({**ROW, name: value}, LOGGED))

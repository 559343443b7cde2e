"""The seal of a package: what it shows, and that no byte of it can be changed unnoticed."""

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from support.captures import keep_captures
from support.timestamp_authority import timestamp_authority

from analysis.evidence.keys import rotate
from analysis.evidence.signing import SIGNATURE, LeafRef, check_seal, seal
from analysis.evidence.timestamps import BadTimestamp, check_timestamp, timestamps
from analysis.words.catalogue import marked_texts
from storage.settings.results import TimestampAuthority

pytestmark = pytest.mark.services
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
MANIFEST = b"0123  manifest-sha256.txt\n"
REFERENCE = "${PINDNA_SECRET_TSA}"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    with timestamp_authority(tmp_path_factory.mktemp("authority")) as running:
        yield running


@pytest.fixture
def sealing(settings, stores, authority):
    """A function that seals the manifest with some captures, and the settings it does so with."""

    def setup(*extra, manifest=MANIFEST):
        own = TimestampAuthority(url=authority.url, root=authority.root)
        evidence = settings.analysis.evidence.model_copy(
            update={"authorities": (own, *extra), "authority_timeout_s": 5.0}
        )
        analysis = settings.analysis.model_copy(update={"evidence": evidence})
        used = settings.model_copy(update={"analysis": analysis})
        captures = keep_captures(stores, 3)
        leaves = [LeafRef("capture", capture.id) for capture in captures]
        leaves.append(LeafRef("event", "none such"))
        return seal(manifest, number="E-1", leaves=leaves, stores=stores, settings=used)

    return setup


def codes(files, manifest=MANIFEST, **options):
    return [(finding.code, finding.state) for finding in check_seal(files, manifest, **options)]


def test_seal_shows_signature_time_and_log(sealing):
    files = sealing()
    assert codes(files) == [
        ("signed-by-unknown", "note"),
        ("timestamped-by-unknown", "note"),
        ("included", "good"),
        ("unlogged", "note"),
    ]
    findings = check_seal(files, MANIFEST)
    trusted = {findings[0].data["key"], findings[1].data["fingerprint"]}
    assert codes(files, trusted=trusted)[:2] == [("signed", "good"), ("timestamped", "good")]
    assert findings[1].data["root"] == "CN=Root of the tests"
    assert findings[2].data["count"] == "3"
    assert all(finding.line() for finding in findings)
    assert codes(files, MANIFEST + b" ") == [("broken", "bad")]


def test_errors_of_the_seal_have_a_translation(sealing):
    files = sealing()
    known = {text for _file, _line, text in marked_texts()}
    wrongs = [
        ({"key.pem": b"no key"}, MANIFEST, "key.pem is not an Ed25519 key in pindna's format"),
        ({"seal.json": b"{}"}, MANIFEST, "the signature seal.json.sig does not match seal.json"),
        ({}, b"", f"the signature {SIGNATURE} does not match tagmanifest-sha256.txt"),
        ({"checkpoint.txt": b""}, MANIFEST, "checkpoint.txt differs from the sealed file"),
    ]
    for altered, manifest, problem in wrongs:
        (finding,) = check_seal({**files, **altered}, manifest)
        assert finding.line() == f"The seal is broken: {problem}."
        assert {finding.template, finding.data["problem"].template} <= known


def test_strangers_check_it_with_openssl(sealing, tmp_path):
    for name, data in sealing().items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "manifest").write_bytes(MANIFEST)
    signature = ["pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "manifest"]
    stamp = [
        "ts",
        "-verify",
        "-data",
        "manifest",
        "-in",
        "timestamp-1.tsr",
        "-CAfile",
        "timestamp-1.root.pem",
    ]
    for command in ([*signature, "-sigfile", "tagmanifest-sha256.txt.sig"], stamp):
        done = subprocess.run(
            [shutil.which("openssl"), *command], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_every_changed_byte_and_missing_file_is_detected(sealing):
    files = sealing()
    for name, data in files.items():
        step = max(1, len(data) // 120)
        for place in range(0, len(data), step):
            changed = bytearray(data)
            changed[place] ^= 1 + place % 255
            assert "bad" in {state for _, state in codes({**files, name: bytes(changed)})}, (name, place)
        left = {other: value for other, value in files.items() if other != name}
        assert "bad" in {state for _, state in codes(left)}, name
        assert "bad" in {state for _, state in codes({**files, name: b""})}, name
    assert "bad" in {state for _, state in codes({**files, "more": b""})}
    assert codes({}) == [("missing", "bad")]


def test_dead_authority_is_named_and_the_rest_goes_on(sealing, authority, settings, stores):
    dead = TimestampAuthority(url="http://127.0.0.1:1/tsa", root=authority.root)
    assert ("authority-failed", "note") in codes(sealing(dead))
    files = seal(MANIFEST, number="E-2", leaves=[], stores=stores, settings=settings)
    assert codes(files)[1:] == [("not-timestamped", "note")]
    assert json.loads(files["seal.json"])["timestamps"] == []


@pytest.mark.parametrize("answer", [(500, b"no"), (200, b""), (200, b"x" * 300_000), (302, b"")])
def test_bad_answer_of_an_authority_is_a_single_line(authority, answer, monkeypatch):
    monkeypatch.setattr(authority, "answers", answer)
    own = TimestampAuthority(url=authority.url, root=authority.root)
    given, failed = timestamps(MANIFEST, [own], timeout_s=5)
    assert given == []
    assert authority.url in str(failed[0])
    assert "\n" not in str(failed[0])


def test_password_comes_from_the_environment(authority, monkeypatch):
    own = TimestampAuthority(url=authority.url, root=authority.root, user="me", password=REFERENCE)
    assert "PINDNA_SECRET_TSA" in str(timestamps(MANIFEST, [own], timeout_s=5)[1][0])
    monkeypatch.setenv("PINDNA_SECRET_TSA", "word")
    assert timestamps(MANIFEST, [own], timeout_s=5)[0]
    assert authority.asked[-1]["Authorization"] == "Basic bWU6d29yZA=="


def test_timestamp_is_of_these_bytes_and_of_this_root(authority, tmp_path):
    own = TimestampAuthority(url=authority.url, root=authority.root)
    (stamp,), _ = timestamps(MANIFEST, [own], timeout_s=5)
    root = authority.root.read_bytes()
    shown = check_timestamp(stamp.token, MANIFEST, root)
    assert abs(shown.time - datetime.now(UTC)) < timedelta(minutes=5)
    with pytest.raises(BadTimestamp):
        check_timestamp(stamp.token, MANIFEST + b"x", root)
    folder = tmp_path / "other"
    folder.mkdir()
    with timestamp_authority(folder) as other, pytest.raises(BadTimestamp):
        check_timestamp(stamp.token, MANIFEST, other.root.read_bytes())


def test_package_is_sealed_with_the_key_in_force(sealing, settings, stores):
    before = check_seal(sealing(), MANIFEST)[0].data["key"]
    rotate(settings, stores.evidence_keys, by="me", now=NOW)
    files = sealing()
    assert check_seal(files, MANIFEST)[0].data["key"] != before
    assert not [state for _, state in codes(files) if state == "bad"]

"""The seal of an evidence package: signature, timestamps, and proofs that its records are in the log.

Files below ``seal/``:

``key.pem``
    the public key, which ``openssl`` can read.
``tagmanifest-sha256.txt.sig``
    64 bytes: the Ed25519 signature of ``tagmanifest-sha256.txt``.
``timestamp-N.tsr``, ``timestamp-N.root.pem``
    RFC 3161 timestamps of the same file, each with the root certificate that it was checked against.
``checkpoint.txt``
    the signed root of the evidence log, see :mod:`analysis.evidence.checkpoints`.
``inclusion.jsonl``
    one line for each capture and event: the leaf, its position, the record's content and salt, and the path
    from the leaf to the root.
``seal.json``, ``seal.json.sig``
    number, time, key and the SHA-256 of all other files here; and the signature of this file.

So every byte is signed or is a signature. Checking needs only the files. It does not show who owns the key:
compare the fingerprint with one from another channel.
"""

import base64
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from analysis.evidence import merkle
from analysis.evidence.checkpoints import Checkpoint, read_checkpoint, sign_checkpoint
from analysis.evidence.keys import SigningKey, signing_key
from analysis.evidence.leaves import canonical, content_of, digest_of, leaf_bytes
from analysis.evidence.log import LogTree, append_pending, checked_tree
from analysis.evidence.public_keys import as_pem, fingerprint_of, from_pem, is_signed
from analysis.evidence.seal_findings import SealBroken, SealFinding
from analysis.evidence.timestamps import (
    AuthorityFailed,
    BadTimestamp,
    Timestamp,
    check_timestamp,
    load_root,
    root_fingerprint,
    timestamps,
)
from storage.collections.documents import Document
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.records.evidence_log import Leaf, LoggedKind
from storage.settings import Settings
from system.messages import N_, Message

FORMAT = 1
KEY, SIGNATURE = "key.pem", "tagmanifest-sha256.txt.sig"
CHECKPOINT, INCLUSION = "checkpoint.txt", "inclusion.jsonl"
SEAL, SEAL_SIGNATURE = "seal.json", "seal.json.sig"
# maximum bytes of an untrusted document, which may need thirty times as much memory when parsed
_MAX_JSON = 8 << 20
_UNREADABLE = N_("{name} has an unknown structure")


class LeafRef(NamedTuple):
    """A record of a package that should be in the log.

    Attributes:
        kind: ``capture`` or ``event``.
        record: its id.
    """

    kind: LoggedKind
    record: str


def seal(
    manifest: bytes,
    *,
    number: str,
    leaves: Sequence[LeafRef],
    stores: Stores,
    settings: Settings,
    now: datetime | None = None,
) -> dict[str, bytes]:
    """Return the files of a seal, by their names below ``seal/``.

    Pending records are logged first. Authorities that fail are listed in ``seal.json``.

    Args:
        manifest: content of ``tagmanifest-sha256.txt``.
        number: number of the package.
        leaves: the records in it.
        stores: the database.
        settings: key and authorities.
        now: time of the seal; None: the clock.

    Raises:
        LogBroken: the evidence log was altered.
        KeyElsewhere, KeyUnusable: this machine cannot sign.
        ServiceDown, StorageFailed: the database refused.
    """
    made = now or utc_now()
    key = signing_key(settings, stores.evidence_keys, now=made)
    append_pending(stores, settings, now=now)
    evidence = settings.analysis.evidence
    stamps, failed = timestamps(manifest, evidence.authorities, timeout_s=evidence.authority_timeout_s)
    files = {KEY: as_pem(key.row.public), SIGNATURE: key.sign(manifest)}
    for index, stamp in enumerate(stamps, 1):
        files[f"timestamp-{index}.tsr"], files[f"timestamp-{index}.root.pem"] = stamp.token, stamp.root
    files |= _inclusion_files(leaves, stores, settings, key, made)
    files[SEAL] = _make_summary(
        files, manifest, number=number, made=made, key=key, stamps=stamps, failed=failed
    )
    files[SEAL_SIGNATURE] = key.sign(files[SEAL])
    return files


def _make_summary(
    files: Mapping[str, bytes],
    manifest: bytes,
    *,
    number: str,
    made: datetime,
    key: SigningKey,
    stamps: Sequence[Timestamp],
    failed: Sequence[AuthorityFailed],
) -> bytes:
    summary = {
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
        "format": FORMAT,
        "key": key.fingerprint,
        "made": made,
        "number": number,
        "tagmanifest": hashlib.sha256(manifest).hexdigest(),
        "timestamps": [stamp.authority for stamp in stamps],
        "timestamps_missing": [error.data["authority"] for error in failed],
    }
    return canonical(summary)


def _inclusion_files(
    leaves: Sequence[LeafRef], stores: Stores, settings: Settings, key: SigningKey, made: datetime
) -> dict[str, bytes]:
    """Return the root, signed with the key in force, and a line for each record."""
    tree = checked_tree(stores, settings)
    head = tree.head
    note = sign_checkpoint(Checkpoint(head.origin, head.size, head.root, made), key) if head.size else ""
    lines = []
    for kind in dict.fromkeys(ref.kind for ref in leaves):
        ids = sorted({ref.record for ref in leaves if ref.kind == kind})
        leaf_records = stores.evidence_log.leaves_of(kind, ids)
        documents = stores.evidence_log.records(kind, ids)
        for record in ids:
            leaf = leaf_records.get(record)
            if leaf is None or leaf.id >= head.size:
                lines.append(canonical({"kind": kind, "record": record}))
            else:
                lines.append(canonical(_inclusion_line(leaf, documents.get(record), tree)))
    return {CHECKPOINT: note.encode(), INCLUSION: b"".join(line + b"\n" for line in lines)}


def _inclusion_line(leaf: Leaf, document: Document | None, tree: LogTree) -> dict[str, Any]:
    """Return the line of a record, without its content if a statement deleted or changed it."""
    proof = merkle.inclusion_proof(leaf.id, tree.head.size, tree.tile)
    entry: dict[str, Any] = {
        "at": leaf.at,
        "digest": leaf.digest,
        "index": leaf.id,
        "kind": leaf.kind,
        "proof": [base64.b64encode(node).decode() for node in proof],
        "record": leaf.record,
    }
    if document is None or leaf.accounts:
        return entry
    content = content_of(document).decode("utf-8", "surrogatepass")
    return {**entry, "content": content, "salt": leaf.salt.hex()}


def check_seal(
    files: Mapping[str, bytes], manifest: bytes, *, trusted: Collection[str] = ()
) -> list[SealFinding]:
    """Check a seal and return the findings. The seal is intact if no finding is ``bad``.

    Pure: it needs neither services nor network, and handles any content of the files.

    Args:
        files: the files below ``seal/``, by their names there.
        manifest: content of ``tagmanifest-sha256.txt``.
        trusted: fingerprints of trusted keys and root certificates.
    """
    try:
        public = _public_key(files[KEY])
        summary = _read_summary(files, manifest, public)
    except KeyError as error:
        return [SealFinding("missing", "bad", file=str(error.args[0]))]
    except SealBroken as error:
        return [SealFinding("broken", "bad", problem=error.data["problem"])]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return [SealFinding("broken", "bad", problem=Message(_UNREADABLE, {"name": SEAL}))]
    fingerprint = fingerprint_of(public)
    is_known = fingerprint in trusted
    signed = SealFinding(
        "signed" if is_known else "signed-by-unknown",
        "good" if is_known else "note",
        key=fingerprint,
        number=str(summary["number"]),
        made=str(summary["made"]),
    )
    return [signed, *_check_timestamps(files, summary, manifest, trusted), *_check_inclusion(files, public)]


def _public_key(pem: bytes) -> bytes:
    try:
        return from_pem(pem)
    except ValueError as error:
        raise SealBroken(
            problem=Message(N_("{name} is not an Ed25519 key in pindna's format"), {"name": KEY})
        ) from error


def _read_summary(files: Mapping[str, bytes], manifest: bytes, public: bytes) -> dict[str, Any]:
    """Return the summary of a seal after checking its signatures and its list of files.

    Raises:
        KeyError: a file is missing.
        SealBroken: a check failed.
        ValueError, TypeError, AttributeError: the summary cannot be read.
    """
    if not is_signed(files[SEAL], files[SEAL_SIGNATURE], public):
        raise _wrong_signature(SEAL_SIGNATURE, SEAL)
    if not is_signed(manifest, files[SIGNATURE], public):
        raise _wrong_signature(SIGNATURE, "tagmanifest-sha256.txt")
    summary: dict[str, Any] = _parse_json(files[SEAL])
    if summary["format"] != FORMAT:
        unknown = Message(N_("unknown format {format}; update pindna"), {"format": str(summary["format"])})
        raise SealBroken(problem=unknown)
    if summary["key"] != fingerprint_of(public) or canonical(summary) != files[SEAL]:
        raise SealBroken(problem=Message(N_("the entries of {name} contradict each other"), {"name": SEAL}))
    if summary["tagmanifest"] != hashlib.sha256(manifest).hexdigest():
        raise SealBroken(problem=N_("the seal belongs to another manifest"))
    texts = [summary["number"], summary["made"], *summary["timestamps"], *summary["timestamps_missing"]]
    if not all(isinstance(text, str) for text in texts):
        raise SealBroken(problem=Message(_UNREADABLE, {"name": SEAL}))
    _check_against(files, summary)
    return summary


def _wrong_signature(signature: str, name: str) -> SealBroken:
    problem = N_("the signature {signature} does not match {name}")
    return SealBroken(problem=Message(problem, {"signature": signature, "name": name}))


def _check_against(files: Mapping[str, bytes], summary: Mapping[str, Any]) -> None:
    """Check that a seal contains exactly the files in its summary, and all mandatory ones.

    Raises:
        KeyError: a file is missing.
        SealBroken: a file differs from the sealed one.
    """
    seal_files = {SEAL, SEAL_SIGNATURE}
    present = {
        name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name not in seal_files
    }
    for name in sorted(present.keys() | summary["files"].keys() | {CHECKPOINT, INCLUSION}):
        if name not in present:
            raise KeyError(name)
        if present[name] != summary["files"].get(name):
            raise SealBroken(problem=Message(N_("{name} differs from the sealed file"), {"name": name}))


def _check_timestamps(
    files: Mapping[str, bytes], summary: Mapping[str, Any], manifest: bytes, trusted: Collection[str]
) -> Iterator[SealFinding]:
    authorities = summary["timestamps"]
    for number, authority in enumerate(authorities, 1):
        try:
            root = files[f"timestamp-{number}.root.pem"]
            shown = check_timestamp(files[f"timestamp-{number}.tsr"], manifest, root)
        except KeyError:
            yield SealFinding("missing", "bad", file=f"timestamp-{number}")
            continue
        except BadTimestamp as error:
            yield SealFinding(
                "bad-timestamp", "bad", authority=str(authority), problem=str(error.data["problem"])
            )
            continue
        is_known = root_fingerprint(load_root(root)) in trusted
        yield SealFinding(
            "timestamped" if is_known else "timestamped-by-unknown",
            "good" if is_known else "note",
            time=shown.time.isoformat(),
            authority=str(authority),
            root=shown.root,
            fingerprint=shown.fingerprint,
        )
    if not authorities:
        yield SealFinding("not-timestamped", "note")
    for authority in summary["timestamps_missing"]:
        yield SealFinding("authority-failed", "note", authority=str(authority))


def _check_inclusion(files: Mapping[str, bytes], public: bytes) -> Iterator[SealFinding]:
    """Check the proofs. The root must be signed with the key of the seal."""
    note = files[CHECKPOINT].decode("utf-8", "replace")
    checkpoint = read_checkpoint(note, [public]) if note else None
    if note and checkpoint is None:
        yield SealFinding("bad-root", "bad")
        return
    included = unlogged = without = 0
    for line in files[INCLUSION].splitlines():
        try:
            entry = _parse_json(line)
            state = _state_of(entry, checkpoint)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            entry, state = {}, "bad"
        if state == "bad":
            yield SealFinding("not-included", "bad", record=str(entry.get("record", "")))
        included += state in {"included", "without"}
        without += state == "without"
        unlogged += state == "unlogged"
    if included and checkpoint is not None:
        yield SealFinding(
            "included",
            "good",
            count=str(included),
            size=str(checkpoint.size),
            at=checkpoint.at.isoformat(),
            log=checkpoint.origin,
            root=checkpoint.root.hex(),
        )
    if without:
        yield SealFinding("erased", "note", count=str(without))
    if unlogged:
        yield SealFinding("unlogged", "note", count=str(unlogged))


def _parse_json(document: bytes) -> Any:
    """Parse untrusted JSON.

    Raises:
        ValueError: it is invalid, or too long.
        RecursionError: it is nested too deeply.
    """
    if len(document) > _MAX_JSON:
        raise ValueError("too long")
    return json.loads(document)


def _state_of(entry: Mapping[str, Any], checkpoint: Checkpoint | None) -> str:
    """Return the state of a record: ``included``, ``without`` its content, ``unlogged``, or ``bad``."""
    if "index" not in entry:
        return "unlogged"
    if checkpoint is None:
        return "bad"
    salt = bytes.fromhex(entry.get("salt", ""))
    leaf = Leaf(
        id=entry["index"],
        kind=entry["kind"],
        record=entry["record"],
        digest=entry["digest"],
        salt=salt,
        at=datetime.fromisoformat(entry["at"]),
    )
    proof = [base64.b64decode(node, validate=True) for node in entry["proof"]]
    hashed = merkle.leaf_hash(leaf_bytes(leaf))
    if not merkle.is_included(hashed, leaf.id, checkpoint.size, proof, checkpoint.root):
        return "bad"
    if "content" not in entry:
        return "without"
    content = entry["content"].encode("utf-8", "surrogatepass")
    is_of_record = json.loads(content)["id"] == leaf.record
    return "included" if is_of_record and digest_of(content, salt) == leaf.digest else "bad"

"""Deposit the signed root of each day with witnesses outside of the installation, and store their receipts.

A witness is a program on this machine, such as the client of a platform for keeping evidence (存证), or a
webhook. It receives the signed root and returns a receipt of any form, which is stored unchanged. A witness
that fails is asked again, for the newest roots first.
"""

import subprocess
import threading
from typing import IO

from analysis.alerts import posting
from analysis.alerts.outcomes import NotDelivered
from analysis.alerts.webhooks import headers_of, key_of
from storage.collections.stores import Stores
from storage.records import utc_now
from storage.records.evidence_log import SignedRoot, StoredReceipt
from storage.settings import Settings
from storage.settings.results import RootWitness
from system.errors import PindnaError
from system.messages import N_, Message
from system.secrets import secret_of

MAX_RECEIPT = 200_000  # maximum bytes of a receipt
_ROOTS = 5  # maximum number of roots in one run for which receipts are requested
_ACCEPTED = range(200, 300)
_SETTING = "analysis.evidence.witnesses"


class WitnessFailed(PindnaError):
    """A witness returned no receipt.

    Attributes:
        witness: its name.
        problem: the reason.
    """

    template = "The witness {witness} returned no receipt: {problem}. pindna will ask it again."


def deposit_roots(stores: Stores, settings: Settings) -> list[WitnessFailed]:
    """Deposit the roots that lack a receipt. Return the errors, one for each witness that failed.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    evidence = settings.analysis.evidence
    failures: dict[str, WitnessFailed] = {}
    for root in stores.evidence_log.undeposited_roots(_ROOTS):
        for witness in evidence.witnesses:
            if witness.name not in root.undeposited or witness.name in failures:
                continue
            try:
                receipt = request_receipt(root, witness, timeout_s=evidence.authority_timeout_s)
            except WitnessFailed as error:
                failures[witness.name] = error
            else:
                stores.evidence_log.record_receipt(root.id, receipt)
    return list(failures.values())


def request_receipt(root: SignedRoot, witness: RootWitness, *, timeout_s: float) -> StoredReceipt:
    """Deposit a root with a witness and return the receipt.

    Args:
        root: the signed root; the witness receives its note, a C2SP checkpoint.
        witness: the program or webhook.
        timeout_s: time limit of a program.

    Raises:
        WitnessFailed: it returned none.
    """
    try:
        note = root.note.encode()
        receipt = _run(witness, note, timeout_s) if witness.command else _post(witness, root, note)
        if not receipt.strip():
            raise NotDelivered(problem=Message(N_("its answer is empty")))
        if len(receipt) > MAX_RECEIPT:
            raise NotDelivered(problem=Message(N_("its answer is too long")))
    except (OSError, PindnaError) as error:
        problem = error.data.get("problem", error) if isinstance(error, PindnaError) else error.strerror
        raise WitnessFailed(witness=witness.name, problem=problem or type(error).__name__) from error
    return StoredReceipt(witness=witness.name, receipt=receipt, at=utc_now())


def _run(witness: RootWitness, note: bytes, timeout_s: float) -> bytes:
    """Return what a program prints; it reads the root from its standard input.

    Raises:
        NotDelivered: it failed, or took too long.
        OSError: it cannot be started.
    """
    with subprocess.Popen(  # noqa: S603 - the configured program, without a shell
        witness.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        killer = threading.Timer(timeout_s, process.kill)
        killer.start()
        try:
            receipt = _exchange(process.stdin, process.stdout, note)
            if len(receipt) > MAX_RECEIPT:
                process.kill()
            status = process.wait()
        finally:
            killer.cancel()
    if status and len(receipt) <= MAX_RECEIPT:
        raise NotDelivered(problem=Message(N_("it ended with status {status}"), {"status": status}))
    return receipt


def _exchange(stdin: IO[bytes] | None, stdout: IO[bytes] | None, note: bytes) -> bytes:
    assert stdin is not None  # noqa: S101 - both are pipes
    assert stdout is not None  # noqa: S101
    stdin.write(note)
    stdin.close()
    return stdout.read(MAX_RECEIPT + 1)


def _post(witness: RootWitness, root: SignedRoot, note: bytes) -> bytes:
    """Return the answer of a webhook to the signed root, sent as text; a secret signs it as it signs alerts.

    Raises:
        NotDelivered: it did not answer, or refused.
        MissingSecret: its secret is not set.
    """
    headers = {"content-type": "text/plain; charset=utf-8"}
    if witness.secret:
        key = key_of(secret_of(witness.secret, where=_SETTING))
        headers = {**headers_of(f"root-{root.id}", note, key, utc_now()), **headers}
    status, receipt = posting.post(witness.url, note, headers, max_bytes=MAX_RECEIPT + 1)
    if status not in _ACCEPTED:
        raise NotDelivered(problem=Message(N_("HTTP {status}"), {"status": status}))
    return receipt

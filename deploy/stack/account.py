"""Create pindna's account in a document store, while no other client can reach the server.

SecantusDB creates an account only for a client that is logged in, or while it runs without passwords. So a
store without our account is opened once without passwords, and closed again. During that time the server
demands a client certificate, and accepts only one certificate that was created just before. So no other
client can connect. Stores that an earlier version filled are handled in the same way.

A crash leaves a useless key, or that server, which is ended before the next start. Only the store itself
decides whether the account exists.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.stack.errors import ForeignAccounts
from deploy.stack.folder import DataFolder, unusable
from deploy.stack.passwords import USER
from deploy.stack.probes import HOST
from system.private_files import write_private

_LIFE = timedelta(days=1)


@contextmanager
def fresh_key(folder: DataFolder) -> Iterator[None]:
    """Create a key that opens a server on this machine, and delete it after the block.

    Raises:
        DataFolderUnusable, DiskFull: it cannot be written.
    """
    try:
        write_private(folder.account_key, _key_and_certificate())
    except OSError as error:
        raise unusable(folder.account_key, error) from error
    try:
        yield
    finally:
        folder.account_key.unlink(missing_ok=True)


def _key_and_certificate() -> bytes:
    """Return a private key and its self-signed certificate, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, USER)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _LIFE)
        .not_valid_after(now + _LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return secret + certificate.public_bytes(serialization.Encoding.PEM)


def refuse_others(folder: DataFolder, names: Collection[str]) -> None:
    """Check that a store contains our account and no other account.

    Raises:
        ForeignAccounts: it knows others.
    """
    other_names = sorted(set(names) - {f"admin.{USER}"})
    if other_names:
        raise ForeignAccounts(path=folder.of("mongo"), names=", ".join(other_names))

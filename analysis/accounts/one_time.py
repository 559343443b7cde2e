"""One-time passwords by time (RFC 6238), and recovery codes for a lost device."""

import hashlib
import hmac
import secrets
from datetime import datetime

import pyotp

_STEP_S = 30  # RFC 6238's default, which every app supports
_DRIFT = 1  # maximum difference between clocks, in steps
_RECOVERY_CODES = 10
_GROUPS = 6  # number of groups in a code, each of four characters
_RECOVERY_CHARS = "abcdefghjkmnpqrstuvwxyz23456789"  # no two look alike


def new_secret() -> str:
    """Return a new secret of 160 bits, base 32."""
    return pyotp.random_base32()


def provisioning_uri(secret: str, *, name: str, installation: str) -> str:
    """Return the ``otpauth:`` address for a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=installation)


def accepted_step(secret: str, code: str, *, after: int, now: datetime) -> int | None:
    """Return the time step of a one-time password; None if it is wrong or was already used.

    Args:
        secret: secret of the account.
        code: the typed code.
        after: step of the last used code.
        now: the present time.
    """
    digits = "".join(code.split())
    if not (digits.isascii() and digits.isdigit()):
        return None
    otp = pyotp.TOTP(secret)
    present = int(now.timestamp()) // _STEP_S
    for step in range(present - _DRIFT, present + _DRIFT + 1):
        if step > after and hmac.compare_digest(otp.generate_otp(step), digits):
            return step
    return None


def new_recovery_codes() -> list[str]:
    """Return ten codes of 118 bits, each valid for one sign-in.

    With 112 bits or more a digest needs no salt (OWASP ASVS 4.0.3, 2.6.2).
    """
    return ["-".join(_random_group() for _ in range(_GROUPS)) for _ in range(_RECOVERY_CODES)]


def _random_group() -> str:
    return "".join(secrets.choice(_RECOVERY_CHARS) for _ in range(4))


def recovery_digest(code: str) -> str:
    """Return the stored form of a recovery code: its SHA-256 in hexadecimal.

    Case, spaces and hyphens do not matter.
    """
    letters = "".join(code.split()).replace("-", "").casefold()
    return hashlib.sha256(letters.encode(errors="surrogatepass")).hexdigest()

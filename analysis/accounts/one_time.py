"""One-time passwords by time (RFC 6238), and the recovery codes for whoever has lost what makes them."""

import hashlib
import hmac
import secrets
from datetime import datetime

import pyotp

_STEP_S = 30  # RFC 6238's default, which every app knows
_DRIFT = 1  # steps that clocks may be apart
_RECOVERY_CODES = 10
_GROUPS = 6  # of four characters each
_RECOVERY_CHARS = "abcdefghjkmnpqrstuvwxyz23456789"  # none looks like another


def new_secret() -> str:
    """Return a new secret of 160 bits, base 32."""
    return pyotp.random_base32()


def provisioning_uri(secret: str, *, name: str, installation: str) -> str:
    """Return the ``otpauth:`` address that an app reads as a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=installation)


def accepted_step(secret: str, code: str, *, after: int, now: datetime) -> int | None:
    """Return the time step that a one-time password is of; None if it is wrong or was taken already.

    Args:
        secret: of the account.
        code: as it was typed.
        after: the step of the last one that was taken.
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
    """Return ten codes of 118 bits, each good for one sign-in.

    With 112 bits or more a digest needs no salt (OWASP ASVS 4.0.3, 2.6.2).
    """
    return ["-".join(_group() for _ in range(_GROUPS)) for _ in range(_RECOVERY_CODES)]


def _group() -> str:
    return "".join(secrets.choice(_RECOVERY_CHARS) for _ in range(4))


def recovery_digest(code: str) -> str:
    """Return what is kept of a recovery code: its SHA-256, in hexadecimal.

    Case, spaces and hyphens do not matter.
    """
    letters = "".join(code.split()).replace("-", "").casefold()
    return hashlib.sha256(letters.encode(errors="surrogatepass")).hexdigest()

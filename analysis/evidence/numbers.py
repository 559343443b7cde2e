"""Package numbers, which can be dictated by telephone and reveal typing errors.

``PD-20261122-483920157-47``: the day in UTC, nine random digits, and two check digits (ISO 7064, MOD 97-10,
as in bank accounts). They detect every single wrong digit and every swap of neighbours.
"""

import re
import secrets
from datetime import UTC, datetime

_NUMBER = re.compile(r"PD-([0-9]{8})-([0-9]{9})-([0-9]{2})")
_MODULUS = 97


def new_number(now: datetime) -> str:
    """Return a number for a package made now."""
    day, serial = now.astimezone(UTC).strftime("%Y%m%d"), f"{secrets.randbelow(10**9):09}"
    return f"PD-{day}-{serial}-{_check_digits(day + serial)}"


def is_number(text: str) -> bool:
    """Return whether a text is a package number with correct check digits.

    >>> is_number("PD-20261122-483920157-47"), is_number("PD-20261122-483920175-47")
    (True, False)
    """
    parts = _NUMBER.fullmatch(text)
    return parts is not None and _check_digits(parts[1] + parts[2]) == parts[3]


def _check_digits(digits: str) -> str:
    return f"{_MODULUS + 1 - int(digits) * 100 % _MODULUS:02}"

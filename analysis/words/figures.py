"""Numbers in words."""


def percent(share: float) -> str:
    """Return a share in per cent, rounded *down* to one decimal: 99.96 % must not be shown as 100 %.

    >>> percent(0.9996), percent(1.0), percent(0.29)
    ('99.9%', '100%', '29.0%')
    """
    tenths = int(share * 1000 + 1e-6)
    return f"{tenths / 10:.1f}%" if tenths < 1000 else "100%"  # noqa: PLR2004 - 100 %

"""Parse numbers in Chinese texts: Arabic digits, and Chinese numerals with and without units."""

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "○": 0,
    "两": 2,
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_TEN_THOUSAND = 10_000
_MAX_NUMERAL_CHARS = 20
_MAX_NUMBER = 1_000_000_000  # no novel has more chapters


def number_of(numeral: str) -> int | None:
    """Return the value of an Arabic or Chinese numeral, or None if the text is not a number.

    Chinese numerals may be positional (二〇三) or have units (一百零五, 十二, 三千, 一万二千).
    """
    if len(numeral) > _MAX_NUMERAL_CHARS:
        return None
    number = _parse_numeral(numeral)
    return None if number is None or number >= _MAX_NUMBER else number


def _parse_numeral(numeral: str) -> int | None:
    if numeral.isascii() and numeral.isdigit():
        return int(numeral)
    if not set(numeral) & {*_UNITS, "万"}:
        digits = [_DIGITS.get(char, -1) for char in numeral]
        return None if -1 in digits or not digits else int("".join(map(str, digits)))
    high, ten_thousands, low = numeral.rpartition("万")
    if ten_thousands:
        above, below = _parse_numeral(high), _parse_numeral(low) if low else 0
        return None if above is None or below is None else above * _TEN_THOUSAND + below
    return _parse_with_units(numeral)


def _parse_with_units(numeral: str) -> int | None:
    """Return the value of a numeral with the units 十, 百 and 千, or None."""
    total, digit = 0, None
    for char in numeral:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _UNITS:
            total += (1 if digit is None else digit) * _UNITS[char]
            digit = None
        else:
            return None
    return total + (digit or 0)

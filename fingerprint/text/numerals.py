"""Numbers in Chinese texts: in digits, and in Han characters with and without units."""

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "○": 0,
    "两": 2,
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_TEN_THOUSAND = 10_000
_MAX_NUMERAL_CHARS = 20
_MAX_NUMBER = 1_000_000_000  # no novel is longer


def number_of(numeral: str) -> int | None:
    """Return the value of Arabic or Chinese numerals, or None if the text is not a number.

    Chinese numerals may be positional (二〇三), with units (一百零五, 十二, 三千), or in ten thousands
    (一万二千).
    """
    if len(numeral) > _MAX_NUMERAL_CHARS:
        return None
    number = _value(numeral)
    return None if number is None or number >= _MAX_NUMBER else number


def _value(numeral: str) -> int | None:
    if numeral.isascii() and numeral.isdigit():
        return int(numeral)
    if not set(numeral) & {*_UNITS, "万"}:
        digits = [_DIGITS.get(char, -1) for char in numeral]
        return None if -1 in digits or not digits else int("".join(map(str, digits)))
    high, ten_thousands, low = numeral.rpartition("万")
    if ten_thousands:
        above, below = _value(high), _value(low) if low else 0
        return None if above is None or below is None else above * _TEN_THOUSAND + below
    return _with_units(numeral)


def _with_units(numeral: str) -> int | None:
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

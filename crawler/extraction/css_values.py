"""CSS lengths and colours, as far as they decide visibility. Pure."""

import re
from colorsys import hls_to_rgb
from functools import lru_cache

EM_PIXELS = 16.0
TRANSPARENT = "transparent"
UNKNOWN = "?"  # a value that only a browser can compute, for instance a variable
GLOBAL = frozenset({"initial", "inherit", "unset", "revert", "revert-layer"})

_NUMBER = r"[+-]?(?:\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\d*+(?:e[+-]?\d{1,3})?"
_LENGTH = re.compile(rf"({_NUMBER})([a-z]*|%)", re.ASCII)
_PIXELS = {
    "px": 1.0,
    "em": EM_PIXELS,
    "rem": EM_PIXELS,
    "lh": 24.0,
    "ex": 8.0,
    "ch": 8.0,
    "ic": EM_PIXELS,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
} | {f"{size}{unit}": pixels for size in ("", "s", "l", "d") for unit, pixels in (("vw", 12.8), ("vh", 7.2))}
_PIXELS |= {"vmin": 7.2, "vmax": 12.8, "vi": 12.8, "vb": 7.2}
_FUNCTION = re.compile(
    r"(?:-webkit-)?(?:calc|min|max|clamp|var|env|attr|round|abs|sign|anchor|anchor-size)\("
)
_CALC = re.compile(r"(?:-webkit-)?calc\((?P<sum>[^()]*(?:\([^()]*\)[^()]*)*)\)")
_TERM = re.compile(rf"\s*([+*/()-])\s*|\s*({_NUMBER})([a-z]*|%)\s*", re.ASCII)

_CHANNEL = rf"\s*({_NUMBER}|none)(%?)"
_RGB = re.compile(
    rf"rgba?\({_CHANNEL}\s*[,\s]{_CHANNEL}\s*[,\s]{_CHANNEL}\s*(?:[,/]\s*(?P<alpha>{_NUMBER}|none)(?P<percent>%?)\s*)?\)"
)
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.ASCII)
_OTHER = re.compile(
    r"(?:hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark|device-cmyk)\(.*\)", re.DOTALL
)
_GAP = r"(?:\s*,\s*|\s+)"
_HSL = re.compile(rf"hsla?\(\s*({_NUMBER})(?:deg)?{_GAP}({_NUMBER})%{_GAP}({_NUMBER})%[^%]*\)")
_ALPHA = re.compile(rf"[,/]\s*(?P<alpha>{_NUMBER})(?P<percent>%?)\s*\)$")
_WORDS = {
    "white": "#ffffff",
    "black": "#000000",
    "red": "#ff0000",
    "green": "#008000",
    "blue": "#0000ff",
    "yellow": "#ffff00",
    "gray": "#808080",
    "grey": "#808080",
    "silver": "#c0c0c0",
    "snow": "#fffafa",
    "ivory": "#fffff0",
    "ghostwhite": "#f8f8ff",
    "floralwhite": "#fffaf0",
    "mintcream": "#f5fffa",
    "azure": "#f0ffff",
    "seashell": "#fff5ee",
    "whitesmoke": "#f5f5f5",
    "transparent": TRANSPARENT,
}
_WORD_LIST = """
aliceblue antiquewhite aqua aquamarine beige bisque blanchedalmond blueviolet brown burlywood cadetblue
chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon
darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue
dimgray dimgrey dodgerblue firebrick forestgreen fuchsia gainsboro gold goldenrod greenyellow honeydew
hotpink indianred indigo khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral
lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen
lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon
mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen
mediumturquoise mediumvioletred midnightblue mistyrose moccasin navajowhite navy oldlace olive olivedrab
orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink
plum powderblue purple rebeccapurple rosybrown royalblue saddlebrown salmon sandybrown seagreen sienna
skyblue slateblue slategray slategrey springgreen steelblue tan teal thistle tomato turquoise violet wheat
yellowgreen currentcolor canvas canvastext linktext buttontext graytext
"""
_OTHER_WORDS = frozenset(_WORD_LIST.split())
_MAX_ALPHA = 0.05  # maximum opacity of an invisible colour
_MAX_CALC_CHARS = 200
_MAX_CACHED_CHARS = 50  # maximum characters of a colour that is cached
_MAX_CHANNEL = 6  # largest difference between two colours that look the same


def pixels(value: str | None, *, percent: float | None = None) -> float | None:
    """Return a length in pixels; None for a keyword or a length that cannot be computed.

    Args:
        value: in lower case.
        percent: pixels per one per cent; without it, percentages cannot be computed.
    """
    if not value:
        return None
    match = _LENGTH.fullmatch(value)
    if match is None:
        calc = _CALC.fullmatch(value) if len(value) <= _MAX_CALC_CHARS else None
        return _calculated(calc["sum"], percent) if calc else None
    return _in_pixels(match[1], match[2], percent)


def _in_pixels(number: str, unit: str, percent: float | None) -> float | None:
    scale = percent if unit == "%" else _PIXELS.get(unit)
    if unit == "":
        scale = 1.0 if float(number) == 0 else None
    return None if scale is None else float(number) * scale


def _calculated(text: str, percent: float | None) -> float | None:
    """Return the value of a sum of products; brackets are resolved from the innermost."""
    tokens: list[str | float] = []
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None:
            return None
        at = term.end()
        if term[1]:
            tokens.append(term[1])
            continue
        value = float(term[2]) if term[3] == "" else _in_pixels(term[2], term[3], percent)
        if value is None:
            return None
        if tokens and isinstance(tokens[-1], float):  # two values such as 1px -2px are not a sum
            tokens.append("+")
        tokens.append(value)
    result = _sum(tokens)
    return None if tokens else result


def _sum(tokens: list[str | float]) -> float | None:
    total = _product(tokens)
    while total is not None and tokens and tokens[0] in {"+", "-"}:
        sign = tokens.pop(0)
        other = _product(tokens)
        total = None if other is None else total + other if sign == "+" else total - other
    return total


def _product(tokens: list[str | float]) -> float | None:
    total = _atom(tokens)
    while total is not None and tokens and tokens[0] in {"*", "/"}:
        sign = tokens.pop(0)
        other = _atom(tokens)
        if other is None or (sign == "/" and other == 0):
            return None
        total = total * other if sign == "*" else total / other
    return total


def _atom(tokens: list[str | float]) -> float | None:
    first = tokens.pop(0) if tokens else None
    if isinstance(first, float):
        return first
    if first == "-":
        value = _atom(tokens)
        return None if value is None else -value
    if first == "(":
        value = _sum(tokens)
        return value if tokens and tokens.pop(0) == ")" else None
    return None


def is_length(value: str, *, signed: bool = True, unitless: bool = True) -> bool:
    """Return whether a browser reads a value as a length, a percentage or a computation of them.

    A number without a unit is a length only on pages in quirks mode.
    """
    match = _LENGTH.fullmatch(value)
    if match is None:
        return _FUNCTION.match(value) is not None and value.endswith(")")
    has_unit = match[2] in _PIXELS or match[2] == "%" or (match[2] == "" and unitless)
    return has_unit and (signed or not match[1].startswith("-"))


def colour_of(value: str | None) -> str | None:
    """Return a colour as ``#rrggbb``, ``transparent`` or :data:`UNKNOWN`; None if it is not a colour."""
    if not value:
        return None
    return _colour_of(value) if len(value) <= _MAX_CACHED_CHARS else _colour_of.__wrapped__(value)


@lru_cache(maxsize=4096)  # a page has few different colours
def _colour_of(value: str) -> str | None:
    text = value.strip().lower()
    if text in _WORDS or text in _OTHER_WORDS:
        return _WORDS.get(text, UNKNOWN)
    return _of_digits(text[1:]) if _HEX.fullmatch(text) else _of_function(text)


def _of_function(text: str) -> str | None:
    if (rgb := _RGB.fullmatch(text)) is not None:
        if _is_clear(rgb["alpha"], rgb["percent"]):
            return TRANSPARENT
        channels = ((rgb[1], rgb[2]), (rgb[3], rgb[4]), (rgb[5], rgb[6]))
        return "#" + "".join(f"{_channel(number, unit):02x}" for number, unit in channels)
    if _OTHER.fullmatch(text):
        alpha = _ALPHA.search(text) if "/" in text or text.count(",") > 2 else None  # noqa: PLR2004
        if alpha and _is_clear(alpha["alpha"], alpha["percent"]):
            return TRANSPARENT
        hsl = _HSL.fullmatch(text)
        return UNKNOWN if hsl is None else _of_hsl(*map(float, hsl.groups()))
    return UNKNOWN if text.startswith("var(") else None


def _of_hsl(hue: float, saturation: float, lightness: float) -> str:
    light, strong = (max(0.0, min(1.0, value / 100)) for value in (lightness, saturation))
    channels = hls_to_rgb(hue % 360 / 360, light, strong)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)


def _of_digits(digits: str) -> str:
    if len(digits) <= 4:  # noqa: PLR2004
        digits = "".join(digit * 2 for digit in digits)
    is_clear = len(digits) == 8 and int(digits[6:], 16) <= 255 * _MAX_ALPHA  # noqa: PLR2004
    return TRANSPARENT if is_clear else f"#{digits[:6]}"


def _is_clear(alpha: str | None, percent: str) -> bool:
    if alpha is None:
        return False
    value = 0.0 if alpha == "none" else float(alpha)
    return (value / 100 if percent else value) <= _MAX_ALPHA


def _channel(number: str, unit: str) -> int:
    value = 0.0 if number == "none" else float(number)
    value = value * 2.55 if unit else value
    return int(max(0.0, min(255.0, value)) + (0.5 if unit else 0.0))


def is_alike(colour: str, other: str) -> bool:
    """Return whether two colours, as ``#rrggbb``, look the same to a reader."""
    if not colour.startswith("#") or not other.startswith("#"):
        return False
    channels = (abs(int(colour[at : at + 2], 16) - int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return max(channels) <= _MAX_CHANNEL

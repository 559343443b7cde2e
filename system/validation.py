"""Translatable messages for values that pydantic or the TOML parser refuses.

The messages of pydantic are in English only, but each of its errors has a type and data. pindna's validators
raise ``ValueError`` with a :class:`~system.messages.Message` or with a text marked for translation.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from pydantic_core import ErrorDetails

from system.messages import N_, Message

_NOT_ALLOWED = N_("there is no such field")
_ANY_OTHER = N_("this value cannot be used here")
_TEXT, _NUMBER, _WHOLE = N_("a text is needed"), N_("a number is needed"), N_("a whole number is needed")
_YES_NO, _LIST = N_("true or false is needed"), N_("a list is needed")
_SECTION = N_("a section with named values is needed")
_DATE, _TIME = N_("a date such as 2026-03-31 is needed"), N_("a time of day such as 07:30 is needed")
_MOMENT = N_("a date with a time such as 2026-03-31T07:30+08:00 is needed")
_CHOICE = N_("it must be one of {expected}")
_ADDRESS = N_("an address such as https://book.example.cn is needed")

# Templates by the type of pydantic's error. Placeholders are keys of the error's context. ``limit`` stands
# for any key in _LIMITS.
_LIMITS = frozenset({"ge", "gt", "le", "lt"})
PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "bool_parsing": _YES_NO,
        "bool_type": _YES_NO,
        "bytes_too_long": N_("it must have {max_length} or fewer bytes"),
        "bytes_too_short": N_("it must have {min_length} or more bytes"),
        "bytes_type": _TEXT,
        "dataclass_exact_type": _SECTION,
        "dataclass_type": _SECTION,
        "date_from_datetime_inexact": _DATE,
        "date_from_datetime_parsing": _DATE,
        "date_parsing": _DATE,
        "date_type": _DATE,
        "datetime_from_date_parsing": _MOMENT,
        "datetime_object_invalid": _MOMENT,
        "datetime_parsing": _MOMENT,
        "datetime_type": _MOMENT,
        "decimal_parsing": _NUMBER,
        "decimal_type": _NUMBER,
        "deque_type": _LIST,
        "dict_type": _SECTION,
        "enum": _CHOICE,
        "extra_forbidden": _NOT_ALLOWED,
        "finite_number": _NUMBER,
        "float_parsing": _NUMBER,
        "float_type": _NUMBER,
        "frozen_dict_type": _SECTION,
        "frozen_set_type": _LIST,
        "greater_than": N_("it must be more than {limit}"),
        "greater_than_equal": N_("it must be {limit} or more"),
        "int_from_float": _WHOLE,
        "int_parsing": _WHOLE,
        "int_parsing_size": N_("the number is too large"),
        "int_type": _WHOLE,
        "iterable_type": _LIST,
        "json_invalid": N_("it is not valid JSON"),
        "json_type": N_("it is not valid JSON"),
        "less_than": N_("it must be less than {limit}"),
        "less_than_equal": N_("it must be {limit} or less"),
        "list_type": _LIST,
        "literal_error": _CHOICE,
        "mapping_type": _SECTION,
        "missing": N_("it is missing"),
        "missing_argument": N_("it is missing"),
        "missing_keyword_only_argument": N_("it is missing"),
        "missing_positional_only_argument": N_("it is missing"),
        "model_attributes_type": _SECTION,
        "model_type": _SECTION,
        "multiple_of": N_("it must be a multiple of {multiple_of}"),
        "named_tuple_type": _LIST,
        "none_required": N_("it must be empty"),
        "ordered_dict_type": _SECTION,
        "set_type": _LIST,
        "string_not_ascii": N_("it may contain only ASCII characters"),
        "string_pattern_mismatch": N_("its form must match {pattern}"),
        "string_too_long": N_("it must have {max_length} or fewer characters"),
        "string_too_short": N_("it must have {min_length} or more characters"),
        "string_type": _TEXT,
        "string_unicode": N_("it is not UTF-8 text"),
        "time_parsing": _TIME,
        "time_type": _TIME,
        "timezone_aware": N_("the time needs its zone, such as +08:00"),
        "timezone_naive": N_("the time must not have a zone"),
        "too_long": N_("it must have {max_length} or fewer entries"),
        "too_short": N_("it must have {min_length} or more entries"),
        "tuple_type": _LIST,
        "unexpected_keyword_argument": _NOT_ALLOWED,
        "unexpected_positional_argument": _NOT_ALLOWED,
        "url_parsing": _ADDRESS,
        "url_scheme": N_("the address must begin with one of {expected_schemes}"),
        "url_syntax_violation": _ADDRESS,
        "url_too_long": N_("it must have {max_length} or fewer characters"),
        "url_type": _ADDRESS,
    }
)
_POSITION = re.compile(r"\(at line (?P<line>\d+), column (?P<column>\d+)\)")


def refused_value_problem(error: ErrorDetails, *, unknown: str = _NOT_ALLOWED) -> str | Message:
    """Return what is wrong with a value that pydantic refuses.

    Args:
        error: an item of ``ValidationError.errors()``.
        unknown: the text for a field that does not exist, marked for translation.
    """
    context = error.get("ctx", {})
    if error["type"] == "extra_forbidden":
        return unknown
    if isinstance(reason := context.get("error"), Exception):
        return validator_problem(reason)
    template = PROBLEMS.get(error["type"], _ANY_OTHER)
    values = {
        "limit" if name in _LIMITS else name: _displayed_value(value) for name, value in context.items()
    }
    return Message(template, values)


def validator_problem(error: Exception) -> str | Message:
    """Return the message of an error that one of pindna's validators raised."""
    match error.args:
        case (Message() as message,):
            return message
        case (str() as text,) if text.startswith("Expected UploadFile"):  # FastAPI's own validator
            return N_("a file is needed")
        case _:
            return str(error)


def toml_problem(error: ValueError) -> str | Message:
    """Return what is wrong with a text that is not valid TOML."""
    if isinstance(error, UnicodeDecodeError):
        return N_("the file is not UTF-8 text")
    if position := _POSITION.search(str(error)):
        return Message(N_("it is not valid TOML at line {line}, column {column}"), position.groupdict())
    return N_("it is not valid TOML")


def _displayed_value(value: object) -> str | int | float:
    """Return a value of an error's context for display; a list of choices loses quotes and the word “or”."""
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else value
    return str(value).replace("' or '", "', '").replace("'", "")

"""Refused values: every problem of pydantic and TOML is reported in the user's language."""

import tomllib
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from fastapi import UploadFile
from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError, field_validator
from pydantic_core import _pydantic_core
from support.latin import forgotten

from analysis.words.i18n import Translator
from system.messages import N_, Message
from system.validation import PROBLEMS, refused_value_problem, toml_problem, validator_problem

LISTED = {kind["type"]: kind for kind in _pydantic_core.list_all_errors()}
# Our models contain no such fields: no Python objects, no unions with tags, no UUIDs, no fractions.
NEVER = {
    *("arguments_type", "assertion_error", "bytes_invalid_encoding", "callable_type", "complex_str_parsing"),
    *("complex_type", "counter_type", "date_future", "date_past", "datetime_future", "datetime_past"),
    *("decimal_max_digits", "decimal_max_places", "decimal_whole_digits", "default_factory_not_called"),
    *("ellipsis_error", "fraction_parsing", "fraction_type", "frozen_field", "frozen_instance"),
    *("get_attribute_error", "invalid_key", "is_instance_of", "is_subclass_of", "iteration_error"),
    *("missing_sentinel_error", "multiple_argument_values", "needs_python_object", "no_such_attribute"),
    *("recursion_depth_exceeded", "recursion_loop", "set_item_not_hashable", "time_delta_parsing"),
    *("time_delta_type", "timezone_offset", "union_tag_invalid", "union_tag_not_found", "uuid_parsing"),
    *("uuid_type", "uuid_version", "value_error"),
}


def details(kind):
    """Return an error of a type with the context that pydantic gives it as an example."""
    context = {
        name: "'a' or 'b'" if value == "" else 3
        for name, value in (LISTED[kind].get("example_context") or {}).items()
    }
    return {
        "type": kind,
        "loc": ("a",),
        "msg": LISTED[kind]["message_template_python"],
        "input": 0,
        "ctx": context,
    }


def test_every_type_of_pydantic_is_translated_or_never_raised():
    assert set(PROBLEMS) | NEVER == set(LISTED)
    assert set(PROBLEMS) & NEVER == set()


@pytest.mark.parametrize("kind", sorted(set(LISTED) - {"value_error", "assertion_error"}))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_type_is_reported_in_the_language(kind, language):
    line = Translator(language).problem(refused_value_problem(details(kind)))
    assert line
    assert "{" not in line
    assert not line.startswith(("Input", "Field", "String"))
    assert language == "en" or forgotten(line, names=frozenset("ab")) == []


class Colour(StrEnum):
    """A choice."""

    RED = "red"
    BLUE = "blue"


class Model(BaseModel):
    """A model with a field of each type that the models of pindna have."""

    model_config = ConfigDict(extra="forbid")

    share: Annotated[float, Field(ge=0, lt=1)] = 0
    count: Annotated[int, Field(gt=0, le=9)] = 1
    name: Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]*$")] = "ab"
    is_on: bool = False
    kind: Literal["news", "novel"] = "news"
    colour: Colour = Colour.RED
    names: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] = ("a",)
    texts: list[str] = []
    table: dict[str, int] = {}
    day: date = date(2026, 3, 31)
    moment: datetime = datetime(2026, 3, 31, tzinfo=UTC)
    path: Path | None = None
    secret: SecretStr = SecretStr("x")

    @field_validator("table")
    @classmethod
    def _small(cls, value):
        if "x" in value:
            raise ValueError(Message(N_("there is no file {path}"), {"path": "x"}))
        if "y" in value:
            raise ValueError(N_("it is neither a time such as 03:00 nor a cron line"))
        return value


WRONG = [
    ({"share": -1}, "it must be 0 or more", "不得小于 0"),
    ({"share": 1}, "it must be less than 1", "须小于 1"),
    ({"share": "x"}, "a number is needed", "须为数字"),
    ({"count": 0}, "it must be more than 0", "须大于 0"),
    ({"count": 10}, "it must be 9 or less", "不得大于 9"),
    ({"count": 1.5}, "a whole number is needed", "须为整数"),
    ({"name": "a"}, "it must have 2 or more characters", "不得少于 2 个字符"),
    ({"name": "abcde"}, "it must have 4 or fewer characters", "不得超过 4 个字符"),
    ({"name": "AB"}, "its form must match ^[a-z]*$", "格式须符合 ^[a-z]*$"),
    ({"name": 3}, "a text is needed", "须为文本"),
    ({"is_on": "perhaps"}, "true or false is needed", "须为 true 或 false"),
    ({"kind": "x"}, "it must be one of news, novel", "只能是以下之一：news, novel"),
    ({"colour": "x"}, "it must be one of red, blue", "只能是以下之一：red, blue"),
    ({"names": ()}, "it must have 1 or more entries", "不得少于 1 项"),
    ({"names": "abc"}, "a list is needed", "须为列表"),
    ({"texts": {}}, "a list is needed", "须为列表"),
    ({"table": 3}, "a section with named values is needed", "须为一组名称与值"),
    ({"table": {"x": 1}}, "there is no file x", "文件 x 不存在"),
    (
        {"table": {"y": 1}},
        "it is neither a time such as 03:00 nor a cron line",
        "应为 03:00 形式的时间，或 cron 表达式",
    ),
    ({"day": "x"}, "a date such as 2026-03-31 is needed", "须为 2026-03-31 这样的日期"),
    ({"path": 3}, "this value cannot be used here", "此处不能使用这个值"),
    ({"other": 3}, "there is no such field", "没有这个字段"),
]


@pytest.mark.parametrize(("values", "english", "chinese"), WRONG)
def test_refused_value_is_explained(values, english, chinese):
    with pytest.raises(ValidationError) as caught:
        Model.model_validate(values)
    problem = refused_value_problem(caught.value.errors()[0])
    assert Translator("en").problem(problem) == english
    assert Translator("zh").problem(problem) == chinese


def test_missing_value_and_wrong_json_are_explained():
    for read, line in ((lambda: TypeAdapter(dict[str, int]).validate_json("{"), "不是有效的 JSON"),):
        with pytest.raises(ValidationError) as caught:
            read()
        assert Translator("zh").problem(refused_value_problem(caught.value.errors()[0])) == line
    missing = {"type": "missing", "loc": ("a",), "msg": "Field required", "input": {}}
    assert Translator("zh").problem(refused_value_problem(missing)) == "缺少这一项"


def test_unknown_name_has_the_word_of_its_context():
    extra = {"type": "extra_forbidden", "loc": ("a",), "msg": "", "input": {}}
    assert refused_value_problem(extra, unknown="there is no such key") == "there is no such key"


def test_text_instead_of_a_file_is_explained():
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(UploadFile).validate_python("x")
    assert Translator("zh").problem(refused_value_problem(caught.value.errors()[0])) == "须为文件"


def test_error_without_its_reason_is_explained():
    bare = {"type": "value_error", "loc": ("a",), "msg": "Value error, Odd", "input": 0}
    assert Translator("en").problem(refused_value_problem(bare)) == "this value cannot be used here"


def test_figures_are_short_and_may_be_endless():
    limit = {"type": "less_than", "loc": ("a",), "msg": "", "input": 0, "ctx": {"lt": float("inf")}}
    assert Translator("en").problem(refused_value_problem(limit)) == "it must be less than inf"
    limit["ctx"] = {"lt": 0.5}
    assert Translator("en").problem(refused_value_problem(limit)) == "it must be less than 0.5"


def test_reason_of_our_validators_stays_whole():
    message = Message("there is no file {path}", {"path": "x"})
    assert validator_problem(ValueError(message)) is message
    assert validator_problem(ValueError("a text")) == "a text"


TOML = [
    ("a = 1\nb = ?", "第 2 行第 5 列不是有效的 TOML"),
    ("a = [1,", "不是有效的 TOML"),
    ("a = 1\na = 2", "不是有效的 TOML"),
]


@pytest.mark.parametrize(("text", "chinese"), TOML)
def test_location_in_a_toml_file_is_reported(text, chinese):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - what the parser raises
        tomllib.loads(text)
    line = Translator("zh").problem(toml_problem(caught.value))
    assert line == chinese


def test_file_that_is_not_utf8_is_explained():
    with pytest.raises(UnicodeDecodeError) as caught:
        b"\xff".decode()
    assert Translator("zh").problem(toml_problem(caught.value)) == "文件不是 UTF-8 文本"

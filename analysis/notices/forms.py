"""Forms of platforms: TOML files that describe the fields of a complaint form in its order.

pindna ships forms in ``analysis/words/templates/forms``. A file in the folder ``analysis.notices.forms``
adds a form, or replaces the form with its name. A value is text with names in braces, such as ``{holder}``.
"""

import tomllib
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from analysis.words.i18n import Language
from system.errors import PindnaError, UnknownRecord
from system.local_files import read_file
from system.messages import N_, Message
from system.validation import refused_value_problem

_MAX_BYTES = 100_000
_SUFFIX = ".toml"
_SHIPPED = "templates/forms"
# The names that values of fields may contain: facts of the notice, its holder and its works.
FIELD_NAMES = frozenset(
    (
        *(
            "notice",
            "date",
            "site",
            "kind",
            "holder",
            "registration",
            "contact",
            "position",
            "phone",
            "email",
        ),
        *("address", "works", "authors", "originals", "published", "addresses", "copied_chars", "evidence"),
        *("evidence_sha256", "documents", "signer"),
    )
)
# The names that values of columns may contain: facts of an address and its work.
COLUMN_NAMES = frozenset(
    (
        *("number", "url", "work", "author", "original", "published", "page_title", "copied_chars"),
        *("first_seen", "holder"),
    )
)
_Label = Annotated[str, Field(min_length=1, max_length=200)]
_UNKNOWN_NAME = N_("it contains the unknown name {name}")


class BadForm(PindnaError):
    """A file does not describe a form.

    Attributes:
        name: file name, and the wrong field.
        problem: what is wrong with it.
    """

    template = "Cannot use form {name}: {problem}. Correct it or remove it from the folder."


class FormField(BaseModel):
    """A field or a column of a form. ``value`` contains names in braces."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label: _Label
    value: Annotated[str, Field(max_length=4_000)]


class PlatformForm(BaseModel):
    """A form of a platform.

    Attributes:
        name: the file name without its suffix.
        title: name of the form by language.
        language: language of dates and of the file names.
        sheet: format of the filled sheet.
        batch: number of addresses in one list.
        fields: the fields in the order of the form.
        columns: columns of the list of addresses.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: dict[Literal["zh", "en"], _Label]
    language: Language = "zh"
    sheet: Literal["xlsx", "csv"] = "xlsx"
    batch: Annotated[int, Field(ge=1, le=100_000)] = 1_000
    fields: Annotated[tuple[FormField, ...], Field(min_length=1, max_length=200)]
    columns: Annotated[tuple[FormField, ...], Field(min_length=1, max_length=50)]

    @field_validator("fields")
    @classmethod
    def _knows_fields(cls, fields: tuple[FormField, ...]) -> tuple[FormField, ...]:
        return _checked(fields, FIELD_NAMES)

    @field_validator("columns")
    @classmethod
    def _knows_columns(cls, columns: tuple[FormField, ...]) -> tuple[FormField, ...]:
        return _checked(columns, COLUMN_NAMES)

    def title_in(self, language: str) -> str:
        """Return the name of the form in a language."""
        return self.title.get("en" if language == "en" else "zh") or next(
            iter(self.title.values()), self.name
        )


def _checked(fields: tuple[FormField, ...], names: frozenset[str]) -> tuple[FormField, ...]:
    """Return fields whose values contain only known names, without formats and attributes.

    Raises:
        ValueError: a value contains another name, or a brace alone.
    """
    for field in fields:
        for _, name, form, conversion in Formatter().parse(field.value):
            if name is not None and (name not in names or form or conversion):
                raise ValueError(Message(_UNKNOWN_NAME, {"name": f"{{{name}}}"}))
    return fields


def list_forms(own_folder: Path | None) -> list[PlatformForm]:
    """Return the forms by name: the shipped ones, and those of a user's folder, which replace them.

    Raises:
        BadForm: a file of the folder does not describe a form.
    """
    return [read_form(name, content) for name, content in sorted(_form_files(own_folder).items())]


def _form_files(own_folder: Path | None) -> dict[str, bytes]:
    """Return the files of forms by name."""
    shipped = resources.files("analysis.words") / _SHIPPED
    files = {item.name: item.read_bytes() for item in shipped.iterdir() if item.name.endswith(_SUFFIX)}
    if own_folder is not None and own_folder.is_dir():
        for path in sorted(own_folder.glob(f"*{_SUFFIX}")):
            files[path.name] = read_file(path, max_bytes=_MAX_BYTES)
    return files


def find_form(name: str, own_folder: Path | None) -> PlatformForm:
    """Return a form by its name. Other files are not read, so a wrong one does not matter.

    Raises:
        UnknownRecord: there is no such form; the error contains the names of the forms.
        BadForm: its file does not describe a form.
    """
    files = _form_files(own_folder)
    file_name = f"{name}{_SUFFIX}"
    if file_name not in files:
        raise UnknownForm(name=name, forms=tuple(sorted(name.removesuffix(_SUFFIX) for name in files)))
    return read_form(file_name, files[file_name])


class UnknownForm(UnknownRecord):
    """There is no form with this name.

    Attributes:
        name: the name.
        forms: names of the forms.
    """

    template = "There is no form called {name}. Forms: {forms}."


def read_form(file_name: str, content: bytes) -> PlatformForm:
    """Read a form from a TOML file.

    Raises:
        BadForm: the file does not describe a form.
    """
    try:
        values = tomllib.loads(content.decode())
        return PlatformForm.model_validate({**values, "name": file_name.removesuffix(_SUFFIX)})
    except ValidationError as error:
        first = error.errors()[0]
        name = ", ".join(filter(None, (file_name, ".".join(str(segment) for segment in first["loc"]))))
        raise BadForm(name=name, problem=refused_value_problem(first)) from error
    except (ValueError, RecursionError) as error:
        raise BadForm(name=file_name, problem=N_("it is not a TOML file in UTF-8")) from error

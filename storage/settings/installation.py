"""Settings: ``pindna.toml``, overridden by ``PINDNA_…`` environment variables.

``PINDNA_STORAGE__MONGO_URL`` sets ``mongo_url`` in section ``[storage]``. The file is ``pindna.toml`` in the
current folder unless ``PINDNA_CONFIG`` names another file. An unknown key is an error, because otherwise a
mistyped key would silently keep the default.
"""

import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_data_path
from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from storage.settings.results import AnalysisSettings
from storage.settings.section import Editable, Section
from system.errors import BadSettings
from system.language import settings_file
from system.local_files import MAX_FILE_BYTES
from system.messages import N_, Message
from system.secrets import PREFIX, read_secret_file
from system.urls import address_problem, ip_and_port
from system.validation import refused_value_problem, toml_problem

_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:(?P<port>\d{1,5}))?")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")  # a time of day, instead of a cron line
_DAILY_LINE = re.compile(r"(\d{1,2}) (\d{1,2}) \* \* \*")
_MAX_PORT = 65535
_MASKED = "**********"
_NO_HOST = N_(
    "“{host}” is not a host; whole networks are not accepted: enter host or host:port of each source or "
    'search engine on your own network, such as "10.0.0.5:8080"'
)
_NO_ADDRESS = N_("“{address}” is not the IP address of a name server, such as 9.9.9.9")
_NO_JSON = N_('write lists and sections as JSON, such as ["10.0.0.5:8080"]')
_SECRETS = ("mongo_url", "redis_url", "index_cluster")  # their values may be in files
_MAX_LEASE_S = 7 * 86_400.0  # longer than any task; limits how long a dead worker blocks records


class StorageSettings(Section):
    """Where documents and index are stored. Without URLs pindna uses the embedded servers in ``data_dir``."""

    mongo_url: SecretStr | None = None
    mongo_database: Annotated[str, Field(min_length=1, max_length=60)] = "pindna"
    redis_url: SecretStr | None = None
    index_cluster: SecretStr | None = None
    mongo_url_file: Path | None = None
    redis_url_file: Path | None = None
    index_cluster_file: Path | None = None
    data_dir: Path = Field(default_factory=lambda: user_data_path("pindna"))
    timeout_s: Annotated[float, Field(gt=0, le=300)] = 10.0

    @field_validator("mongo_url", "redis_url", "index_cluster")
    @classmethod
    def _can_be_read(cls, value: SecretStr | None) -> SecretStr | None:
        problem = "" if value is None else address_problem(value.get_secret_value())
        if problem:
            raise ValueError(problem)
        return value


class CrawlerSettings(Section):
    """How fast and how far the crawler requests pages."""

    allow_inner: tuple[str, ...] = ()
    browser_path: Path | None = None
    concurrent_requests: Annotated[int, Field(ge=1, le=256)] = 16
    contact: str = ""
    delay_s: Annotated[float, Field(ge=0)] = 0.5
    extract_processes: Annotated[int, Field(ge=1, le=64)] = 2
    frontier_lease_s: Annotated[float, Field(ge=1, le=_MAX_LEASE_S)] = 60.0
    max_rendered_pages: Annotated[int, Field(ge=0, le=100_000)] = 200
    max_response_bytes: Annotated[int, Field(ge=1024, le=15 * 1024 * 1024)] = 8 * 1024 * 1024
    max_rest_chars: Annotated[int, Field(ge=0, le=300_000)] = 100_000
    max_wait_s: Annotated[float, Field(ge=0)] = 300.0
    pause_h: Annotated[float, Field(gt=0)] = 6.0
    processes: Annotated[int, Field(ge=1, le=64)] = 4
    reader_megabytes: Annotated[int, Field(ge=256, le=65_536)] = 1536
    results_dir: Path | None = None
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    revisit_max_h: Annotated[float, Field(gt=0)] = 30 * 24.0
    revisit_min_h: Annotated[float, Field(gt=0)] = 20.0
    second_resolver: str = ""
    site_reader_s: Annotated[float, Field(gt=0)] = 600.0
    snapshot_days: Annotated[int, Field(ge=0)] = 0
    stall_s: Annotated[float, Field(ge=1)] = 900.0
    timeout_s: Annotated[float, Field(gt=0)] = 30.0

    @field_validator("allow_inner")
    @classmethod
    def _are_places(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if not _is_place(host):
                raise ValueError(Message(_NO_HOST, {"host": host}))
        return value

    @field_validator("second_resolver")
    @classmethod
    def _is_name_server(cls, value: str) -> str:
        try:
            ip_and_port(value or "127.0.0.1", port=53)
        except ValueError as error:
            raise ValueError(Message(_NO_ADDRESS, {"address": value})) from error
        return value


class TrackerSettings(Section):
    """How pages are compared and when the daily scan runs."""

    batch_pages: Annotated[int, Field(ge=1, le=1000)] = 50
    lease_s: Annotated[float, Field(ge=1, le=_MAX_LEASE_S)] = 120.0
    log_format: Literal["text", "json"] = "text"
    max_file_bytes: Annotated[int, Field(ge=1024, le=1 << 40)] = MAX_FILE_BYTES
    metrics_host: str = "127.0.0.1"
    metrics_port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    news_profile: str = "news"
    novel_profile: str = "novel"
    profiles: dict[str, dict[str, int | float | str]] = Field(default_factory=dict)
    reworded_is_found: bool = False
    scan_schedule: Annotated[
        str,
        Editable(
            label=N_("Time of the daily scan"),
            hint=N_("Such as 03:00, or a cron line: minute, hour, day, month, day of week."),
            group="scans",
        ),
    ] = "0 3 * * *"
    reference: Path | None = None
    timezone: str = "Asia/Shanghai"
    worker_processes: Annotated[int, Field(ge=1, le=256)] = 2

    @field_validator("scan_schedule")
    @classmethod
    def _cron_line(cls, value: str) -> str:
        from celery.schedules import ParseException, crontab  # noqa: PLC0415 - .2 s, for a line of one's own

        if clock := _CLOCK.fullmatch(value.strip()):
            value = f"{int(clock[2])} {int(clock[1])} * * *"
        try:
            crontab.from_string(value)
        except (ParseException, TypeError, ValueError) as error:
            raise ValueError(N_("it is neither a time such as 03:00 nor a cron line")) from error
        return value

    @field_validator("timezone")
    @classmethod
    def _valid_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(N_("it is not a time zone such as Asia/Shanghai")) from error
        return value


class _AddressOrFile(PydanticBaseSettingsSource):
    """A settings source in which an address also overrides a file of lower sources, and vice versa.

    If one source sets both, the address overrides the file.

    Args:
        source: the wrapped source.
    """

    def __init__(self, source: PydanticBaseSettingsSource) -> None:
        super().__init__(source.settings_cls)
        self._source = source

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._source.get_field_value(field, field_name)

    def __call__(self) -> dict[str, Any]:
        values = self._source()
        storage = values.get("storage")
        if not isinstance(storage, Mapping):
            return values
        stored = dict(storage)
        for name in _SECRETS:
            if name in storage:
                stored[f"{name}_file"] = None
            elif f"{name}_file" in storage:
                stored[name] = None
        return {**values, "storage": stored}


class Settings(BaseSettings):
    """All settings of pindna."""

    model_config = SettingsConfigDict(
        env_prefix="PINDNA_", env_nested_delimiter="__", env_ignore_empty=True, extra="forbid", frozen=True
    )

    storage: StorageSettings = Field(default_factory=StorageSettings)
    crawler: CrawlerSettings = Field(default_factory=CrawlerSettings)
    tracker: TrackerSettings = Field(default_factory=TrackerSettings)
    analysis: AnalysisSettings = Field(default_factory=AnalysisSettings)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - part of the signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - part of the signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: the environment overrides the file, and the file overrides the defaults."""
        file = TomlConfigSettingsSource(settings_cls, settings_file())
        return _AddressOrFile(init_settings), _AddressOrFile(env_settings), _AddressOrFile(file)


def _is_place(text: str) -> bool:
    """Return whether a text is ``host``, ``host:port``, ``[IPv6]:port`` or an IPv6 address."""
    match = _HOST.fullmatch(text)
    if match is not None:
        return match["port"] is None or 0 < int(match["port"]) <= _MAX_PORT
    try:
        return ipaddress.ip_address(text).version == 6  # noqa: PLR2004 - the version's name
    except ValueError:
        return False


def time_of_schedule(line: str) -> str:
    """Return the time of day of a cron line that runs daily; another line as it is.

    >>> time_of_schedule("30 4 * * *"), time_of_schedule("30 4 * * 1")
    ('04:30', '30 4 * * 1')
    """
    daily = _DAILY_LINE.fullmatch(line)
    return f"{int(daily[2]):02}:{int(daily[1]):02}" if daily else line


def load_settings(**sections: Mapping[str, Any]) -> Settings:
    """Read the settings.

    Args:
        **sections: values that override file and environment, by section.

    Raises:
        BadSettings: a value is wrong, a key is unknown, the file is not TOML, or a file with a secret is
            unusable.
    """
    if "PINDNA_CONFIG" in os.environ and not settings_file().is_file():
        raise BadSettings(
            where="PINDNA_CONFIG",
            problem=Message(N_("there is no file {path}"), {"path": str(settings_file())}),
        )
    _refuse_unknown_variables()
    values: dict[str, Any] = dict(sections)
    try:
        return _with_secret_files(Settings(**values))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        problem = refused_value_problem(first, unknown=N_("there is no such setting"))
        raise BadSettings(where=where, problem=problem) from error
    except SettingsError as error:  # a list or a section in the environment is not valid JSON
        raise BadSettings(where=_unreadable_variables(error), problem=_NO_JSON) from error
    except ValueError as error:  # the TOML parser raises plain ValueErrors
        raise BadSettings(where=str(settings_file()), problem=toml_problem(error)) from error


def _with_secret_files(settings: Settings) -> Settings:
    """Read addresses from the configured files; returns the settings with these addresses.

    Raises:
        BadSettings: a file cannot be used, or contains no address.
    """
    addresses: dict[str, SecretStr] = {}
    for name in _SECRETS:
        path: Path | None = getattr(settings.storage, f"{name}_file")
        if path is not None:
            where = f"storage.{name}_file"
            address = read_secret_file(path, where=where)
            if problem := address_problem(address):
                raise BadSettings(where=where, problem=problem)
            addresses[name] = SecretStr(address)
    if not addresses:
        return settings
    return settings.model_copy(update={"storage": settings.storage.model_copy(update=addresses)})


def _unreadable_variables(error: SettingsError) -> str:
    """Return the environment variables of the section for which pydantic-settings reported an error."""
    field = re.search(r'field "(\w+)"', str(error))
    begin = f"PINDNA_{field[1].upper()}" if field else "PINDNA_"
    return ", ".join(sorted(name for name in os.environ if name.upper().startswith(begin)))


def shown_settings(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the dotted name and the value of every setting in force.

    Secrets are masked. For most secrets, the setting contains only the name of an environment variable, see
    :mod:`system.secrets`.
    """
    for section, values in settings:
        yield from _shown_settings(section, values)


def _shown_settings(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel):
        for field, item in value:
            yield from _shown_settings(f"{name}.{field}", item)
    elif isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _shown_settings(f"{name}.{key}", item)
    elif isinstance(value, tuple) and any(isinstance(item, BaseModel) for item in value):
        for number, item in enumerate(value, 1):
            yield from _shown_settings(f"{name}.{number}", item)
    elif isinstance(value, tuple):
        yield name, ", ".join(map(str, value))
    else:
        yield name, _MASKED if isinstance(value, SecretStr) else "" if value is None else str(value)


def _refuse_unknown_variables() -> None:
    """Refuse mistyped variables, which the environment source would ignore.

    Raises:
        BadSettings: a variable starts with ``PINDNA_`` and names no section.
    """
    allowed = {"PINDNA_CONFIG", *(f"PINDNA_{section.upper()}" for section in Settings.model_fields)}
    for name in sorted(os.environ):
        if name.startswith(PREFIX):
            continue
        if name.upper().startswith("PINDNA_") and name.upper().partition("__")[0] not in allowed:
            raise BadSettings(where=name, problem=N_("there is no such section; write PINDNA_SECTION__KEY"))

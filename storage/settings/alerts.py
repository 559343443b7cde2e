"""Section ``[analysis.alerts]`` of the settings: who receives which alerts, and when."""

import re
from datetime import time
from typing import Annotated, Literal, get_args

from pydantic import Field, field_validator, model_validator

from storage.records import LEADS, CaseState, Verdict
from storage.records.outbox import Cadence, OccasionKind
from storage.settings.section import Editable, Section, Shown
from system.messages import N_, Message
from system.secrets import SecretReference

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)

_QUIET = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")
_NAME = re.compile(r"[\w.-]{1,60}")


_NO_NAME = N_("“{name}” is not a name: use letters, digits, “.”, “_” and “-”, at most 60 characters")
_SAME_NAME = N_("“{name}” is the name of an addressee and of a group")
_NO_MEMBER = N_("group “{group}” contains the addressee “{name}”, which does not exist")
_NO_TARGET = N_("a rule sends to “{name}”, but no addressee or group has that name")


def _parse_time(text: str) -> time:
    try:
        return time.fromisoformat(text) if re.fullmatch(r"\d\d:\d\d", text) else _no_time(text)
    except ValueError:
        return _no_time(text)


def _no_time(text: str) -> time:
    raise ValueError(Message(N_("“{text}” is not a time of day such as 07:30"), {"text": text}))


def quiet_hours(text: str) -> tuple[time, time] | None:
    """Parse quiet hours; None for an empty text. If the end is before the begin, it is on the next day.

    >>> quiet_hours("22:00-07:30")
    (datetime.time(22, 0), datetime.time(7, 30))

    Raises:
        ValueError: the text is not a pair of times.
    """
    if not text:
        return None
    match = _QUIET.fullmatch(text)
    if match is None:
        raise ValueError(Message(N_("“{text}” is not a pair of times such as 22:00-07:30"), {"text": text}))
    begin, end = _parse_time(match[1]), _parse_time(match[2])
    if begin == end:
        raise ValueError(N_("quiet hours cannot end when they begin"))
    return begin, end


def _valid_quiet_hours(text: str) -> str:
    quiet_hours(text)
    return text


class Addressee(Section):
    """A receiver of alerts: a service that apprise supports, or a program with a signed webhook."""

    address: Annotated[
        SecretReference,
        Shown(
            label=N_("Address of the message service"),
            hint=N_("Such as wecombot://KEY, dingtalk://SECRET@TOKEN/, feishu://TOKEN or mailtos://…"),
        ),
    ] = ""
    webhook: Annotated[SecretReference, Shown(label=N_("Address of a webhook, instead of a service"))] = ""
    secret: Annotated[SecretReference, Shown(label=N_("Secret that signs the messages of the webhook"))] = ""
    language: Annotated[Literal["zh", "en"] | None, Shown(label=N_("Language of the messages"))] = None
    quiet: Annotated[
        str | None,
        Shown(
            label=N_("Own quiet hours"), hint=N_("Such as 22:00-07:30; without them the general ones hold.")
        ),
    ] = None

    @field_validator("quiet")
    @classmethod
    def _are_times(cls, value: str | None) -> str | None:
        return None if value is None else _valid_quiet_hours(value)

    @model_validator(mode="after")
    def _has_one_way(self) -> "Addressee":
        if bool(self.address) == bool(self.webhook):
            raise ValueError(N_("set either address or webhook"))
        if bool(self.webhook) != bool(self.secret):
            raise ValueError(N_("a webhook needs a secret for its signature, and only a webhook has one"))
        return self


class AlertRule(Section):
    """Which alerts are sent to whom. Each list means “any of these”; an empty list does not restrict."""

    to: Annotated[tuple[str, ...], Field(min_length=1), Shown(label=N_("Addressees or groups"))]
    events: Annotated[tuple[OccasionKind, ...], Shown(label=N_("Events"), hint=N_("None: all events."))] = ()
    works: Annotated[
        tuple[str, ...],
        Shown(label=N_("Works"), hint=N_("Titles or ids; “*” stands for any text. None: all works.")),
    ] = ()
    holders: Annotated[tuple[str, ...], Shown(label=N_("Rights holders"))] = ()
    sites: Annotated[tuple[str, ...], Shown(label=N_("Sites"))] = ()
    verdicts: Annotated[tuple[Verdict, ...], Shown(label=N_("Verdicts"))] = LEADS
    states: Annotated[tuple[CaseState, ...], Shown(label=N_("States of the case"))] = ()
    min_chars: Annotated[int, Field(ge=0), Shown(label=N_("Copied characters, at least"))] = 0
    when: Annotated[Cadence, Shown(label=N_("When to send"))] = "at-once"


class AlertSettings(Section):
    """Rules, addressees and digests of alerts."""

    addressees: Annotated[dict[str, Addressee], Editable(label=N_("Addressees"), group="alerts")] = Field(
        default_factory=dict
    )
    daily_at: Annotated[
        str, Editable(label=N_("Time of the digests"), hint=N_("Such as 08:00."), group="alerts")
    ] = "08:00"
    deadline_days: Annotated[
        float, Field(ge=0, le=365), Editable(label=N_("Days before a deadline to warn"), group="alerts")
    ] = 3.0
    give_up_days: Annotated[
        float, Field(gt=0, le=365), Editable(label=N_("Days to retry a failed message"), group="alerts")
    ] = 3.0
    groups: Annotated[
        dict[str, tuple[str, ...]], Editable(label=N_("Groups of addressees"), group="alerts")
    ] = Field(default_factory=dict)
    keep_days: Annotated[float, Field(ge=1, le=3650)] = 180.0
    quiet: Annotated[
        str,
        Editable(
            label=N_("Quiet hours"),
            hint=N_("Such as 22:00-07:30. Alerts of these hours are sent when they end; empty: none."),
            group="alerts",
        ),
    ] = ""
    rules: Annotated[tuple[AlertRule, ...], Editable(label=N_("Rules"), group="alerts")] = ()
    weekly_on: Annotated[Weekday, Editable(label=N_("Day of the weekly digest"), group="alerts")] = "monday"

    @field_validator("daily_at")
    @classmethod
    def _is_time(cls, value: str) -> str:
        _parse_time(value)
        return value

    @field_validator("quiet")
    @classmethod
    def _are_times(cls, value: str) -> str:
        return _valid_quiet_hours(value)

    @model_validator(mode="after")
    def _names_are_known(self) -> "AlertSettings":
        for name in (*self.addressees, *self.groups):
            if not _NAME.fullmatch(name):
                raise ValueError(Message(_NO_NAME, {"name": name}))
        if both := self.addressees.keys() & self.groups.keys():
            raise ValueError(Message(_SAME_NAME, {"name": min(both)}))
        for group, name in ((group, name) for group, names in self.groups.items() for name in names):
            if name not in self.addressees:
                raise ValueError(Message(_NO_MEMBER, {"group": group, "name": name}))
        for name in (name for rule in self.rules for name in rule.to):
            if name not in self.addressees and name not in self.groups:
                raise ValueError(Message(_NO_TARGET, {"name": name}))
        return self

    @property
    def digest_time(self) -> time:
        """The time of day of digests."""
        return _parse_time(self.daily_at)

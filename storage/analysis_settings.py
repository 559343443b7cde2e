"""Section ``[analysis]`` of the settings: results, and what people do with them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from storage.section import Section


class EvidenceSettings(Section):
    """Sealed packages and the evidence log."""


class CaseSettings(Section):
    """Until when something must be done about a case, and what is known of sites.

    Attributes:
        decision_days: until a new case is decided; 0, here and below: without a deadline.
        notice_days: until the site is written to, once a case is confirmed or back again.
        answer_days: until the site answers.
        removal_days: until it has removed what it promised to remove.
        follow_up_days: until something else is done, where it refused, did not answer or left copies up.
        traffic_ranks: rank of a site among the busiest, 1 the first: part of a case's priority.
    """

    decision_days: int = Field(default=7, ge=0, le=3650)
    notice_days: int = Field(default=3, ge=0, le=3650)
    answer_days: int = Field(default=7, ge=0, le=3650)
    removal_days: int = Field(default=3, ge=0, le=3650)
    follow_up_days: int = Field(default=7, ge=0, le=3650)
    traffic_ranks: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)


class NoticeSettings(Section):
    """Notices and how they are sent."""


class WatchSettings(Section):
    """The takedown watch."""


class AlertSettings(Section):
    """Rules, addressees and digests of alerts."""


class AnalysisSettings(Section):
    """How results are shown, and what follows from them."""

    alerts: AlertSettings = Field(default_factory=AlertSettings)
    cases: CaseSettings = Field(default_factory=CaseSettings)
    evidence: EvidenceSettings = Field(default_factory=EvidenceSettings)
    language: Literal["zh", "en"] | None = None
    notices: NoticeSettings = Field(default_factory=NoticeSettings)
    report_dir: Path = Path("reports")
    watch: WatchSettings = Field(default_factory=WatchSettings)

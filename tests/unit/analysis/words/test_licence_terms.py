"""Licences from days, and in words."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from analysis.words.i18n import translator
from analysis.words.licence_terms import BadTerm, new_licence, terms

SHANGHAI = ZoneInfo("Asia/Shanghai")


def test_licence_holds_from_its_first_day_to_the_end_of_its_last_day():
    licence = new_licence("www.A.cn", SHANGHAI, first=date(2026, 3, 1), last=date(2026, 3, 1), share=0.25)
    assert (licence.since, licence.until) == (
        datetime(2026, 2, 28, 16, tzinfo=UTC),
        datetime(2026, 3, 1, 16, tzinfo=UTC),
    )
    assert (licence.site, licence.timezone) == ("a.cn", "Asia/Shanghai")
    assert terms(licence, SHANGHAI, translator("en")) == (
        "from 2026-03-01 +08:00, until 2026-03-01 +08:00, up to 25% of a passage"
    )


def test_licence_without_days_has_no_zone():
    licence = new_licence("*.a.cn", SHANGHAI, attribution=True)
    assert (licence.since, licence.until, licence.timezone) == (None, None, "")
    assert terms(licence, SHANGHAI, translator("en")) == "with attribution"


def test_licence_cannot_end_before_it_begins():
    with pytest.raises(BadTerm):
        new_licence("a.cn", SHANGHAI, first=date(2026, 3, 2), last=date(2026, 3, 1))

"""How often the pages that people open first ask the database: not once more for each row or each state."""

import pytest
from support.plans import Recorder, listening
from support.two_holders import NOON, fill

from analysis.accounts.permissions import identity_of
from analysis.queries.cases import list_cases
from analysis.queries.recent import RecentFigures
from analysis.queries.review import count_finds
from analysis.queries.statistics import figures_of
from analysis.queries.today import today
from analysis.queries.work_page import open_cases
from analysis.queries.works import list_works
from analysis.reports.building import KNOWN_PROFILES
from storage.collections.stores import open_stores
from storage.records import CHINA, VERDICTS, Account, Event
from storage.settings.results import AnalysisSettings

pytestmark = pytest.mark.services
WHO = identity_of(Account(name="an", role="analyst"))
RULES = AnalysisSettings()


def test_comparison_of_pages_sends_few_commands(stores, settings):
    fill(stores)
    recorder = Recorder()
    with listening(recorder):
        heard = open_stores(settings.storage)
    works = list_works(WHO, stores).items
    assert len(works) > 1
    asked = {
        "today": lambda: today(WHO, heard, RULES),
        "works": lambda: list_works(WHO, heard),
        "their open cases": lambda: open_cases(WHO, heard, works),
        "cases": lambda: list_cases(WHO, heard, RULES),
        "finds": lambda: count_finds(WHO, heard),
        "statistics": lambda: figures_of(WHO, heard),
    }
    counts = {}
    for name, query in asked.items():
        recorder.asked.clear()
        query()
        counts[name] = len(recorder.asked)
    recent = RecentFigures(CHINA)
    for name in ("counted", "counted before", "counted anew"):
        recorder.asked.clear()
        figures = recent.figures_of(WHO, heard, profiles=KNOWN_PROFILES)
        counts[name] = len(recorder.asked)
        if name == "counted before":
            heard.events.add_many([Event(id="e", case=1, kind="noted", at=NOON, by="an")])
    heard.close()
    assert figures == figures_of(WHO, stores)
    assert (counts["counted before"], counts["counted anew"]) == (1, counts["counted"])
    assert counts["today"] <= 13
    assert counts["works"] == counts["their open cases"] == 1
    # One range for each verdict, the works, and the other cases of their sites.
    assert counts["cases"] <= len(VERDICTS) + 2
    assert counts["finds"] == 4  # a count for each state of review
    assert counts["statistics"] <= 16  # of them the newest matches in pieces of time

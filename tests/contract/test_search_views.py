"""What surfaces show of a source that searches."""

import pytest

from analysis.accounts.permissions import Identity
from analysis.api.models.sources import SourceAnswer
from analysis.queries.sources import definition, get_source
from deploy.cli.source.source_list import search_line
from storage.records import Account, Discovery, Source, utc_now
from storage.settings import TrackerSettings

pytestmark = pytest.mark.services


def identity_with(*permissions):
    return Identity(Account(name="lin", role="analyst"), frozenset(permissions))


@pytest.fixture
def source(stores):
    """A stored source with a secret written in plain, and searches of today."""
    headers = {"X-Subscription-Token": "geheim"}
    search = Discovery(
        engine="https://e.example/s", form="brave", daily=60, cost=5, currency="USD", headers=headers
    )
    source = Source(name="d", kind="discovery", discovery=search)
    stores.sources.save(source)
    day = source.day_of(utc_now())
    stores.health.reserve_searches("d", "s1", day=day, count=12, most=60)
    return source


@pytest.mark.usefixtures("source")
def test_budget_and_price_are_shown_on_every_surface(stores):
    view = get_source(identity_with("sources:read"), stores, TrackerSettings(), "d")
    assert search_line(view) == "Brave search engine; searches today: 12 of 60 (0.06 USD)"
    answer = SourceAnswer.of(view).model_dump()["searches"]
    assert (answer["form"], answer["daily"], answer["today"], answer["cost"]) == ("brave", 60, 12, 5)


@pytest.mark.usefixtures("source")
def test_key_of_an_engine_is_hidden_from_readers(stores):
    readers, _ = definition(identity_with("sources:read"), stores, "d")
    writers, _ = definition(identity_with("sources:read", "sources:write"), stores, "d")
    assert readers["discovery"]["headers"] == {"X-Subscription-Token": "***"}
    assert writers["discovery"]["headers"] == {"X-Subscription-Token": "geheim"}

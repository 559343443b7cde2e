"""The database that tests share is empty for each, and made anew only after a change of its schema."""

from contextlib import closing

import pymongo.monitoring
import pytest
from support.databases import PreparedDatabase
from support.plans import listening
from support.processes import settings_on

pytestmark = pytest.mark.services


class Drops(pymongo.monitoring.CommandListener):
    """Counts how often a database was dropped."""

    def __init__(self):
        self.count = 0

    def started(self, event):
        self.count += event.command_name == "dropDatabase"

    def succeeded(self, event):
        """Nothing is to be done."""

    failed = succeeded


@pytest.fixture(scope="module")
def shared(services, tmp_path_factory):
    """Such a database, its settings, and what counts how often it is dropped."""
    settings, drops = settings_on(services, tmp_path_factory.mktemp("shared"), redis_database=0), Drops()
    with listening(drops), closing(PreparedDatabase(settings.storage)) as database:
        yield database, settings.storage, drops


def test_what_a_test_stored_is_gone_without_a_new_database(shared):
    database, storage, drops = shared
    before = drops.count
    for _ in range(3):
        with database.stores(storage) as stores:
            assert list(stores.works.new_ids("works", 1)) == [1]
            assert stores.database["rows"].find_one() is None
            stores.database["rows"].insert_one({"_id": "x"})
    assert drops.count == before


@pytest.mark.db_admin
@pytest.mark.parametrize(
    "change",
    [
        lambda pages: pages.drop_indexes(),
        lambda pages: pages.create_index("one"),
        lambda pages: pages.drop(),
        lambda pages: pages.database.command("collMod", pages.name, validator={}),
    ],
    ids=["no indexes", "one more", "no collection", "no validator"],
)
def test_schema_that_a_test_changed_is_made_anew(shared, change):
    database, storage, drops = shared
    before, schemas = drops.count, []
    for _ in range(2):
        with database.stores(storage) as stores:
            pages = stores.database["pages"]
            schemas.append((pages.index_information(), pages.options()))
            change(pages)
    assert schemas[0] == schemas[1]
    assert drops.count == before + 2

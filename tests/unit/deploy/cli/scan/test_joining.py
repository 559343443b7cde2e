"""A command that finds another scan running: whom it waits for, what it scans after, what it says."""

from types import SimpleNamespace

import pytest

from analysis.accounts.permissions import local_identity
from deploy.cli.scan import joining
from storage.records import Scan, Source, utc_now
from tracker.scans.turns import StillScanning

WHO = local_identity("ana", "administrator")
SOURCES = [Source(name=name, kind="urls") for name in ("north", "south")]


def scan(name, *sources):
    return Scan(id=name, trigger="hand", sources=sources, started=utc_now())


@pytest.fixture
def runtime(monkeypatch):
    """A runtime in which scans stand in the way; ``told`` holds what was opened and waited for, in order."""
    told, in_the_way = [], []
    works = SimpleNamespace(count=lambda _: 1, count_owned=lambda _: 1)
    scans = SimpleNamespace(get=lambda name: next(one for one in in_the_way if one.id == name))
    stale = SimpleNamespace(is_any=lambda **_: False)
    pages = SimpleNamespace(stale=stale, is_waiting=lambda _: False)
    versions = SimpleNamespace(current=lambda: 1)

    def start(_, __, sources, **___):
        if blocking := [one for one in in_the_way if f"waited {one.id}" not in told]:
            raise StillScanning(id=blocking[0].id)
        told.append(f"opened {[source.name for source in sources]}")
        return scan("own", *(source.name for source in sources))

    def wait(_, waited):
        told.append(f"waited {waited.id}")
        return waited

    monkeypatch.setattr(joining, "open_scan", start)
    monkeypatch.setattr(joining, "wait_for_scan", wait)
    monkeypatch.setattr(joining, "is_in_progress", lambda one, _: not one.id.startswith("broken"))
    return SimpleNamespace(
        stores=SimpleNamespace(works=works, scans=scans, pages=pages, versions=versions),
        guard=None,
        settings=SimpleNamespace(tracker=None),
        in_the_way=in_the_way,
        told=told,
    )


def ids(scans):
    return [one.id for one in scans]


def test_scan_that_has_all_the_sources_is_joined_and_no_other_is_opened(runtime, capsys):
    runtime.in_the_way.append(scan("first", "north", "south", "west"))
    assert ids(joining.scan_or_join(WHO, runtime, SOURCES)) == ["first"]
    assert runtime.told == ["waited first"]
    assert capsys.readouterr().err == "Scan first is already running; this request joins it.\n"


def test_sources_missing_in_running_scans_are_scanned_afterwards(runtime, capsys):
    runtime.in_the_way.append(scan("first", "north"))
    assert ids(joining.scan_or_join(WHO, runtime, SOURCES)) == ["first", "own"]
    assert runtime.told == ["waited first", "opened ['south']", "waited own"]
    assert capsys.readouterr().err.splitlines() == [
        "Scan first is already running; this request joins it. Sources that are scanned afterwards: south",
        "Scan own: 1 source.",
    ]


def test_interrupted_scan_is_finished_before_a_full_scan(runtime, capsys):
    runtime.in_the_way.append(scan("broken", "north", "south"))
    assert ids(joining.scan_or_join(WHO, runtime, SOURCES)) == ["own"]
    assert runtime.told == ["waited broken", "opened ['north', 'south']", "waited own"]
    assert capsys.readouterr().err.startswith("Scan broken was interrupted; it is finished first.\n")


def test_new_works_wait_for_the_scans_that_compare_pages_with_them(runtime, capsys):
    first, other = scan("first", "north"), scan("other", "south")
    stores = runtime.stores
    stores.scans.running = lambda: [first, other]
    stores.pages.is_waiting = lambda name: name == "first"
    joining.compare_stored_pages(WHO, runtime)
    assert runtime.told == ["waited first"]
    stores.pages.stale.is_any = lambda **_: True
    joining.compare_stored_pages(WHO, runtime)
    assert runtime.told[1:] == ["opened []", "waited own", "waited first"]
    assert capsys.readouterr().err == "Scan first is already running; this request joins it.\n" * 2

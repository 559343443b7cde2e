"""The garbage collector is paused while a page is read, and its state is restored afterwards."""

import gc

import pytest

from crawler.extraction import extract, page
from crawler.extraction.garbage import paused_collector


@pytest.fixture(autouse=True)
def _collector_as_before():
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()


def test_collector_is_paused_while_a_page_is_read(monkeypatch):
    states = []
    decode = page.decode_page
    monkeypatch.setattr(
        page, "decode_page", lambda *args, **more: states.append(gc.isenabled()) or decode(*args, **more)
    )
    gc.enable()
    extract("<p>雾从江心漫过来的时候，老许正在数灯。</p>".encode())
    assert states == [False]
    assert gc.isenabled()


def test_collector_that_was_off_stays_off():
    gc.disable()
    with paused_collector(), paused_collector():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_collector_works_again_after_an_error():
    gc.enable()
    with pytest.raises(ValueError, match="broken"), paused_collector():
        raise ValueError("broken")
    assert gc.isenabled()

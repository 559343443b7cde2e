"""What ``stack.json`` remembers."""

import pytest

from deploy.stack import state
from deploy.stack.state import ProcessMark, State


def test_state_survives_a_round_trip(tmp_path):
    path = tmp_path / "stack.json"
    written = State().with_port("redis", 20001).with_mark("redis", ProcessMark(pid=17, started=1.5))
    state.save(path, written)
    assert state.load(path) == written
    assert state.load(path).without_mark("redis").marks == {}
    assert [entry.name for entry in tmp_path.iterdir()] == ["stack.json"]


@pytest.mark.parametrize("text", ["", "{", '{"ports": {"redis"', '{"marks": {"redis": 7}}', "[]", "\0\xff"])
def test_damaged_state_reads_as_empty(tmp_path, text):
    path = tmp_path / "stack.json"
    path.write_text(text, "latin-1")
    assert state.load(path) == State()

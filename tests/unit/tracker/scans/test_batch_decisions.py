"""Decisions of a batch: each text is asked about once, and a site gets its own."""

from types import SimpleNamespace

from tracker.scans.batch_decisions import BatchDecisions, on_site


def decision(site):
    return SimpleNamespace(site=site)


class Stored:
    """Decisions as the database has them; remembers what it was asked."""

    def __init__(self, **decisions):
        self.decisions, self.asked = decisions, []

    def on_texts(self, shas):
        self.asked.append(sorted(shas))
        return {sha: self.decisions[sha] for sha in shas if sha in self.decisions}


def test_text_is_queried_once_with_or_without_decisions():
    stored = Stored(a=[decision("x")])
    batch = BatchDecisions(stored)
    batch.read(["a", "b", ""])
    for _ in range(2):
        assert batch.of_passages(["a", "b"], site="x") == {"a": stored.decisions["a"]}
    batch.of_passages(["b", "c"], site="x")
    assert stored.asked == [["a", "b"], ["c"]]


def test_site_gets_its_decisions_and_no_site_none():
    own, other = decision("x"), decision("y")
    batch = BatchDecisions(Stored(a=[own, other], b=[other]))
    assert batch.of_passages(["a", "b"], site="x") == {"a": [own]}
    assert batch.of_passages(["a", "b"], site="y") == {"a": [other], "b": [other]}
    assert batch.of_passages(["a", "b"], site="") == {}


def test_decisions_on_other_texts_are_omitted():
    own = decision("x")
    assert on_site({"a": [own], "b": [own]}, "x", ["b", "c"]) == {"b": [own]}

"""The benchmark of the index measures what it says, on the samples that everybody has."""

import pytest
from support.changed.corpora import SAMPLES, load

from benchmarks import index_load, index_memory
from benchmarks.index_tables import index_size_table, index_time_table, load_table

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def material():
    return load(chars=40_000, pages=4, folder=SAMPLES, with_pairs=False)


@pytest.mark.long
def test_index_sizes_are_measured_for_every_method_separately(material):
    dna, shingles, both = index_memory.measure_sizes(material.passages)
    assert [row.method for row in (dna, shingles, both)] == ["DNA", "letter shingles", "both"]
    assert 0 < max(shingles.bytes_char, dna.bytes_char) < both.bytes_char
    assert both.chars == material.chars
    assert "DNA" in index_size_table([dna, shingles, both]).markdown()


@pytest.mark.long
def test_index_times_are_measured_at_every_size(material):
    small, large = index_memory.measure_times(material, (10_000, 40_000), rounds=2)
    assert small.chars < large.chars == material.chars
    assert small.measure_times == 1
    assert min(small.clean_ms, small.batch_ms, small.copy_ms, large.measure_times) > 0
    assert "pindna" in index_time_table([small, large]).markdown()


@pytest.mark.long
def test_load_is_measured_twice():
    first, again = index_load.measure([SAMPLES / "novels"])
    assert first.works == again.works > 0
    assert first.characters == again.characters > 10_000
    assert first.seconds >= first.stored_s > 0
    assert "the same again" in load_table([first, again]).markdown()

"""The work file of a deduplication: pairs against all pairs, crowded keys, what the disk refuses."""

import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.records.dates import parse_date
from tracker.similarity.work_file import CandidateFile, TextRecord, WorkFileFailed

keys = st.sets(
    st.integers(min_value=0, max_value=2**64 - 1) | st.integers(min_value=0, max_value=8), max_size=5
)


def candidate_file(file, texts):
    for number, keys_of_text in enumerate(texts):
        file.add(TextRecord(name=str(number)), number, np.array(sorted(keys_of_text), dtype=np.uint64))


@settings(max_examples=60, deadline=None)
@given(st.lists(keys, max_size=12))
def test_pairs_are_those_that_share_a_key(texts):
    with CandidateFile() as file:
        candidate_file(file, texts)
        expected = [(a, b) for a, b in combinations(range(len(texts)), 2) if texts[a] & texts[b]]
        assert file.find_pairs() == len(expected)
        assert list(file.pairs()) == expected
        assert file.crowded == 0


@settings(max_examples=40, deadline=None)
@given(st.lists(keys, max_size=14), st.integers(min_value=1, max_value=3))
def test_crowded_key_pairs_neighbours_and_is_counted(texts, reach):
    with CandidateFile(reach=reach) as file:
        candidate_file(file, texts)
        file.find_pairs()
        expected = set()
        for key in set().union(*texts):
            holders = [number for number, keys_of_text in enumerate(texts) if key in keys_of_text]
            expected |= {(a, b) for i, a in enumerate(holders) for b in holders[i + 1 : i + 1 + reach]}
        assert list(file.pairs()) == sorted(expected)
        holders = Counter(key for keys_of_text in texts for key in keys_of_text)
        assert file.crowded == sum(count > reach + 1 for count in holders.values())


def test_keys_are_paired_across_the_blocks_in_which_they_are_read():
    texts = [{1, 2, 3}, {1, 9}, {2, 1}, {1}, {1, 3}]
    with CandidateFile(block=3) as file:
        candidate_file(file, texts)
        file.find_pairs()
        expected = [(a, b) for a, b in combinations(range(len(texts)), 2) if texts[a] & texts[b]]
        assert list(file.pairs()) == expected


def test_records_and_fingerprints_are_read_back():
    record = TextRecord(name="a'b.txt", title="青灯", published=parse_date("2026-01-31 08:00Z"), chars=7)
    with CandidateFile() as file:
        assert file.add(record, {"any": "thing"}, np.array([2**64 - 1], dtype=np.uint64)) == 0
        assert file.record(0) == record
        assert file.fingerprint(0) == {"any": "thing"}
        assert len(file) == 1


def test_work_file_leaves_nothing_in_its_folder(tmp_path):
    folder = tmp_path / "it's here"
    folder.mkdir()
    with CandidateFile(folder) as file:
        candidate_file(file, [{1}, {1}])
        file.find_pairs()
        assert list(file.pairs()) == [(0, 1)]
        assert not list(folder.iterdir())


def test_missing_folder_is_reported_in_a_single_line(tmp_path):
    with pytest.raises(WorkFileFailed, match="Choose another disk with --work-dir"):
        CandidateFile(tmp_path / "none")


def test_full_disk_is_reported_in_a_single_line():
    """A file size limit simulates a full disk."""
    program = (
        "import resource, numpy\n"
        "from tracker.similarity.work_file import CandidateFile, TextRecord, WorkFileFailed\n"
        "keys = numpy.arange(9, dtype='u8')\n"
        "with CandidateFile() as file:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "    try:\n"
        "        for _ in range(20):\n"
        "            file.add(TextRecord(name='large'), bytes(10_000_000), keys)\n"
        "    except WorkFileFailed as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Cannot write the work file" in done.stdout
    assert len(done.stdout.splitlines()) == 1

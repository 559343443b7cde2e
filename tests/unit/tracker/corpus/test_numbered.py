"""Files whose names are numbers."""

from pathlib import Path

import pytest
from support.strategies import story

from tracker.corpus.numbered import numbered_error, numbered_folders, read_chapters
from tracker.corpus.texts import EmptyFile


@pytest.mark.parametrize(
    "names",
    [
        ("10.txt", "2.txt", "1.txt"),
        ("001.txt", "002.TXT"),
        ("第一章.txt", "第二章.txt"),
        ("第1回.txt", "第2回.txt"),
        ("１.txt", "２.txt"),
    ],
)
def test_a_folder_of_numbers_is_noticed(names):
    (folder,) = numbered_folders([Path("书") / name for name in names])
    assert folder == Path("书")


@pytest.mark.parametrize(
    "names", [("003.txt",), ("1.txt", "镜花缘.txt"), ("1984之后.txt", "2.txt"), ("1.jsonl", "2.jsonl"), ()]
)
def test_other_folders_are_left_alone(names):
    assert numbered_folders([Path("书") / name for name in names]) == {}


def test_ten_comes_after_two():
    files = [Path("书") / f"{number}.txt" for number in (10, 2, 1)]
    (texts,) = numbered_folders(files).values()
    assert [path.stem for path in texts] == ["1", "2", "10"]
    assert "3 files are named by numbers alone (1.txt, 2.txt, 10.txt)" in str(
        numbered_error(Path("书"), texts)
    )


def test_chapters_are_one_work_called_as_their_folder(tmp_path):
    folder = tmp_path / "镜花缘"
    folder.mkdir()
    files = [folder / f"{number}.txt" for number in (1, 2, 10)]
    for number, path in enumerate(files):
        path.write_text(story(60, number), encoding="utf-8")
    files[1].write_text("")
    error, work = read_chapters(folder, files)
    assert type(error) is EmptyFile
    assert (work.title, [section.title for section in work.sections]) == ("镜花缘", ["1", "10"])

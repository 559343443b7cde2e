"""Links to folders: each folder is read once, and no link is skipped silently."""

import pytest

from tests.support.strategies import story
from tracker.corpus.forms import DEFAULT_RULES
from tracker.corpus.tree import LinkLoop, tree_below


@pytest.fixture
def tree(tmp_path):
    for name in ("works/a", "elsewhere/inner"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "text.txt").write_text(story(300, 1), encoding="utf-8")
    return tmp_path


def names_below(root):
    below = tree_below(root, DEFAULT_RULES)
    return ["/".join(file.parts) for file in below.files], list(below.problems)


def test_linked_folder_outside_the_tree_is_read(tree):
    (tree / "works" / "link").symlink_to(tree / "elsewhere")
    assert names_below(tree / "works") == (["a/text.txt", "link/inner/text.txt"], [])


def test_two_links_to_a_folder_read_it_once(tree):
    for name in ("x", "y"):
        (tree / "works" / name).symlink_to(tree / "elsewhere")
    assert names_below(tree / "works") == (["a/text.txt", "x/inner/text.txt"], [])


def test_link_to_a_folder_of_the_tree_does_not_read_it_twice(tree):
    (tree / "works" / "0-link").symlink_to(tree / "works" / "a")
    assert names_below(tree / "works") == (["a/text.txt"], [])


@pytest.mark.parametrize("target", ["works", "works/a", "."])
def test_link_that_leads_back_is_reported(tree, target):
    (tree / "works" / "a" / "back").symlink_to(tree / target)
    names, problems = names_below(tree / "works")
    assert names == ["a/text.txt"]
    assert [type(problem) for problem in problems] == [LinkLoop]
    assert problems[0].data["path"].endswith("works/a/back")


def test_mutually_linked_folders_end(tree):
    (tree / "works" / "a" / "to-b").symlink_to(tree / "works" / "b")
    (tree / "works" / "b").mkdir()
    (tree / "works" / "b" / "to-a").symlink_to(tree / "works" / "a")
    assert names_below(tree / "works") == (["a/text.txt"], [])


def test_root_may_be_a_link(tree):
    (tree / "root").symlink_to(tree / "works")
    assert names_below(tree / "root") == (["a/text.txt"], [])

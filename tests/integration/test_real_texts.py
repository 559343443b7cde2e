"""Real texts beside the repository: another edition is found, texts that copy nothing are not."""

import json
import shutil

import pytest

from tracker.comparison import ComparedText, compare
from tracker.corpus.chapters import split_passages
from tracker.corpus.folder import load_folder, read_folder


@pytest.fixture(scope="module")
def corpus(shared_data, tmp_path_factory):
    """One novel of the real mother corpus."""
    folder = tmp_path_factory.mktemp("mother")
    shutil.copy(shared_data / "mother" / "novels" / "镜花缘.txt", folder)
    return load_folder(read_folder(folder), report=pytest.fail)


def test_every_chapter_of_another_edition_is_a_copy(corpus, shared_data):
    edition = (shared_data / "pairs" / "editions" / "镜花缘.traditional.txt").read_text(encoding="utf-8")
    chapters = [section for section in split_passages(edition) if len(section.text) > 1000]
    assert len(chapters) > 90
    found = {section.title: compare(ComparedText(section.text), corpus) for section in chapters}
    assert [title for title, result in found.items() if result.verdict != "copy"] == []
    identities = [result.matches[0].char_identity for result in found.values()]
    assert sum(identities) / len(identities) > 0.97


def test_other_novels_and_news_copy_nothing(corpus, shared_data):
    novels = sorted((shared_data / "distractors" / "novels").glob("*.txt"))
    texts = [path.read_text(encoding="utf-8")[:9000] for path in novels]
    rows = (shared_data / "distractors" / "news" / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    texts += [json.loads(row)["text"] for row in rows[:200]]
    verdicts = [compare(ComparedText(text), corpus).verdict for text in texts]
    assert not {"copy", "partial"} & set(verdicts)

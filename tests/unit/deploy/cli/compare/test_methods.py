"""The words and weights that commands use when nothing is said, and when a file is named."""

from deploy.cli.compare.methods import chosen_methods, words_of
from fingerprint.idf import learn_idf
from fingerprint.text.views import Views
from system.word_frequencies import jieba_idf
from tracker.similarity.measurements import words_text

OWN = learn_idf("own12345", [["青灯", "渡口"], ["青灯"]])
WEIGHING = {"simhash-64", "keywords-sorted", "i-match", "cosine"}


def test_word_weights_come_from_jieba_or_from_a_file(tmp_path):
    path = tmp_path / "words.json"
    path.write_text(words_text(OWN, "jieba1"), encoding="utf-8")
    assert words_of(None, None)[1] is jieba_idf()
    assert words_of(None, path)[1].name == "own12345"


def test_every_method_that_weighs_words_is_named_by_the_table():
    methods = {method.name: method for method in chosen_methods(*words_of(None, None))}
    named = {name for name, method in methods.items() if "jieba501b70ec" in method.params_id}
    assert named >= WEIGHING
    assert "keywords-summary" not in named


def test_rare_word_is_a_keyword_before_a_common_word():
    words, idf = words_of(None, None)
    (method,) = (method for method in chosen_methods(words, idf) if method.name == "keywords-order-weights")
    views = Views("我们没有缆绳，我们没有蓑衣。", cut=words.cut)
    assert list(method.fingerprint(views).weights)[:2] == ["蓑衣", "缆绳"]

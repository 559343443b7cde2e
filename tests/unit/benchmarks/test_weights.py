"""The section that compares tables of weights."""

from benchmarks.recall import Score
from benchmarks.weights import WEIGHTS, weighing_indexes, weights_table
from fingerprint.idf import FLAT, learn_idf
from fingerprint.text.views import bigrams


def test_every_table_weighs_the_same_methods():
    weights = learn_idf("own", [["青灯", "渡口"], ["青灯"]])
    names = [
        [index.name.rpartition(", ")[0] for index in weighing_indexes(table, bigrams, "x")]
        for table in (FLAT, weights)
    ]
    assert names[0] == names[1]
    assert {"simhash-64", "i-match", "scam", "cosine", "hyperplane"} <= set(names[0])
    assert "jaccard-words" not in names[0]


def test_table_puts_the_weights_side_by_side():
    scores = [
        Score(
            method=f"cosine, {label}",
            group="method",
            change="adverts",
            kind=kind,
            pages=10,
            hits=hit_count,
            passages=1,
        )
        for label, hit_count in zip(WEIGHTS, (5, 7, 8), strict=True)
        for kind in ("novel", "news")
    ]
    table = weights_table(scores)
    assert table.head == ("method", "adverts")
    assert table.rows == (("cosine", "0.50 / 0.70 / 0.80"),)

"""Stored values of every method: these are in databases. A change here needs a new name in ``params_id``.

Words, folding, hashes and their order are all pinned at once; arrays by the SHA-256 of their bytes.
"""

import hashlib

import numpy as np
import pytest

from fingerprint.idf import learn_idf
from fingerprint.registry import methods
from fingerprint.text.views import Views
from system.segmentation import segmenter

TEXT = (
    "雨夜渡口青灯如豆，老船工坐在船头，听见对岸有人唤渡，一声比一声急。他把缆绳绕在木桩上，"
    "回头望了一眼江面，雾从芦苇里漫过来，先没了树，再没了桥。\n"
    "三更时分，渡船靠岸，上来一个背着药箱的年轻郎中，衣裳湿透，开口便问镇上可还有人醒着。"
    "老船工指了指山脚下那一点灯火。"
)
WORDS = (
    "雨夜 渡口 青灯 如豆 老 船工 坐在 船头 听见 对岸 有人 唤渡 一声 比 一声 急 他 把 缆绳 绕 在 "
    "木桩 上 回头 望 了 一眼 江面 雾 从 芦苇 里漫 过来 先 没 了 树 再 没 了 桥 三 更 时分 渡船 靠岸 "
    "上来 一个 背着 药箱 的 年轻 郎中 衣裳 湿透 开口 便 问 镇上 可 还有 人醒 着 老 船工 指 了 指 "
    "山脚下 那 一点 灯火"
)
IDF = learn_idf("golden", map(str.split, ["的 渡口", "渡口 青灯 了", "了 他", "他 老 船", "江面 灯火 了 他"]))
# Name, parameter id, fingerprint, number of keys, keys.
STORED = [
    ("dna", "dna1-16-8-c10-prose1", "f210a67f330193f5", 15, "efc9ee8ae665f017"),
    ("shingle", "shingle1-9-w16", "ef350dd0863e39b8", 11, "560558765df549a5"),
    ("md5", "exact2-md5", "65b933c712b98a15ca5b0d875ae1d8e3", 1, "6479900414e67865"),
    ("sha1", "exact2-sha1", "d99a97be128074cbc333ce7d12b7489a02589583", 1, "054e3248ad202a3a"),
    ("jaccard-letters", "shingleset1-letters-6-w1", "b024ec95a7f2f3c4", 108, "b024ec95a7f2f3c4"),
    ("jaccard-characters", "shingleset1-characters-5-w1", "fd87160f0d72b55c", 109, "fd87160f0d72b55c"),
    ("jaccard-words", "shingleset1-jieba1-3-w1", "c9211f0fafc1580a", 70, "c9211f0fafc1580a"),
    ("minhash", "minhash1-characters-5-32x4", "e2f76d62a7807d02", 32, "c92db34d3c014b41"),
    ("bottom-k", "bottomk1-characters-5-128", "f01d9e9c4d22c296", 109, "f01d9e9c4d22c296"),
    ("simhash-64", "simhash1-64-jieba1-golden", "0x7a22f673faab8244", 4, "f3e05d972f7724b4"),
    ("simhash-32", "simhash1-32-jieba1-golden", "0xfaab8244", 4, "7d486ff306268073"),
    (
        "hyperplane",
        "hyperplane1-120-12-gaussian-jieba1-golden",
        "0xbbed145f6bd11ef5bd341dc896ec96",
        10,
        "a330d298b5b2deb1",
    ),
    ("nshash-1", "nshash1-1-8", "b5569226cba8a61e", 1, "b5569226cba8a61e"),
    ("nshash-5", "nshash1-5-8", "15a08a667e37553b", 3, "15a08a667e37553b"),
    ("segments", "segment1-10", "6cda8f6e2381610d", 4, "6cda8f6e2381610d"),
    ("keywords-summary", "keyword1-summary-256", "d41f22d351979a38984560ec6f85e842", 1, "cc68513cbc595b54"),
    (
        "keywords-order",
        "keyword1-order-10-jieba1-golden",
        "b5219f4c917b31dcafb9f540e5d316c8",
        1,
        "b66aad4fd284d019",
    ),
    (
        "keywords-sorted",
        "keyword1-sorted-10-jieba1-golden",
        "27632354579cff7ce5cedd2f91f0b462",
        1,
        "9dd8b3f6dd4bcb6c",
    ),
    (
        "keywords-order-weights",
        "keyword1-order-weights-10-jieba1-golden",
        "b5219f4c917b31dcafb9f540e5d316c8 f76e1a286c46243b",
        1,
        "b66aad4fd284d019",
    ),
    (
        "keywords-sorted-weights",
        "keyword1-sorted-weights-10-jieba1-golden",
        "27632354579cff7ce5cedd2f91f0b462 f76e1a286c46243b",
        1,
        "9dd8b3f6dd4bcb6c",
    ),
    (
        "i-match",
        "imatch1-0.3-0.8-5-jieba1-golden",
        "c3c672f898cf50d8c89ea34e401870f256c386b1",
        1,
        "9da9ae77f28c580c",
    ),
    ("scam", "scam1-jieba1-golden-32", "2ea8575e41e49507", 32, "efa661f6954daa1f"),
    ("cosine", "cosine1-jieba1-golden-32", "2ea8575e41e49507", 32, "efa661f6954daa1f"),
]


def signature_of(fingerprint):
    if isinstance(fingerprint, bytes):
        return fingerprint.hex()
    if isinstance(fingerprint, int):
        return hex(fingerprint)
    if hasattr(fingerprint, "digest"):
        weights = "".join(f" {word}={weight:.6f}" for word, weight in fingerprint.weights.items())
        return fingerprint.digest.hex() + (weights and " " + sha(weights.encode()))
    if hasattr(fingerprint, "weights"):
        weights = " ".join(f"{weight:.6f}" for weight in fingerprint.weights.tolist())
        return sha(fingerprint.hashes.astype("<u8").tobytes() + weights.encode())
    values = fingerprint if isinstance(fingerprint, np.ndarray) else fingerprint.hashes
    return sha(values.astype("<u8").tobytes())


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


@pytest.fixture(scope="module")
def views():
    return Views(TEXT, cut=segmenter().cut)


def test_words_equal_the_stored_words(views):
    assert views.words == tuple(WORDS.split())


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored[0])
def test_fingerprints_and_keys_equal_the_stored_values(views, stored):
    method = {method.name: method for method in methods(idf=IDF)}[stored[0]]
    fingerprint = method.fingerprint(views)
    keys = method.keys(fingerprint)
    assert (method.name, method.params_id, signature_of(fingerprint), len(keys), signature_of(keys)) == stored


def test_stored_signatures_cover_every_method():
    assert [method.name for method in methods()] == [stored[0] for stored in STORED]

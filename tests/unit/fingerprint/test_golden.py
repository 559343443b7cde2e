"""Stored values: these hashes are in databases. A change here needs a new name in ``params_id``.

The letters, the windows, the mixer and the selection are all pinned by them at once.
"""

import base64
import hashlib
import zlib

import pytest

from fingerprint.dna import DnaParams, dna_fingerprints, dna_query
from fingerprint.shingle import ShingleParams, shingle_fingerprints
from fingerprint.text import _tables
from fingerprint.text.letters import to_letters

TEXT = (
    "雨夜渡口青灯如豆，老船工披着蓑衣坐在船头，听见对岸有人唤渡，一声比一声急。他把缆绳绕在木桩上，"
    "回头望了一眼江面，雾从芦苇里漫过来，先没了树，再没了桥。"
)
TRADITIONAL = (
    "雨夜渡口青燈如豆，老船工披著蓑衣坐在船頭，聽見對岸有人喚渡，一聲比一聲急。他把纜繩繞在木樁上，"
    "回頭望了一眼江面，霧從蘆葦裡漫過來，先沒了樹，再沒了橋。"
)
LETTERS = "yydkqdrdlcgpzsyzzcttjdayrhdysbysjtblsrzmzshtwlyyjmwclwlmglxmlszmlq"

DNA = [
    (
        DnaParams(),
        "dna1-16-8-c10-prose1",
        {
            1: 0xA9AD1CE9D9870247,
            11: 0x3079522E0605A0D9,
            14: 0x604279F34477712A,
            24: 0xCBDEC503F1F64C7D,
            31: 0xDD375489017750C5,
            38: 0x80ECA995586F8670,
            48: 0x1E22A97246498ADE,
            50: 0xB37009B75B558353,
        },
    ),
    (
        DnaParams(size=20, sampling="winnow"),
        "dna1-20-8-w10-prose1",
        {
            5: 0x2EA9EBC7636F3301,
            8: 0x33314B5ED4269FB8,
            10: 0x602A72A99E4F1315,
            19: 0x13EF9F90C765B861,
            22: 0x26707D9C48135E29,
            32: 0x120C57E8DF68E10C,
            36: 0x8AA494723CC74B20,
            44: 0x3A4C0ABED8425390,
            45: 0x3A4C0ABED8425390,
        },
    ),
    (
        DnaParams(size=32, levels=4, step=16, sampling="winnow"),
        "dna1-32-4-w16-prose1",
        {13: 0x17ED59F05C840880, 20: 0x16BFEFC7CB606557, 34: 0x027EA8177C09ECAE},
    ),
    (
        DnaParams(size=16, levels=2, sampling="stride", step=16),
        "dna1-16-2-s16-prose1",
        {0: 0x87A9C124962337F1, 16: 0xD4271BAAD7FE18B2, 32: 0xCA4D518772BEDA84, 48: 0x8D2FBEE6C4BF40E6},
    ),
    (
        DnaParams(size=24, levels=10, step=20, sampling="winnow"),
        "dna1-24-10-w20-prose1",
        {
            14: 0x08681F1A7D4F1818,
            20: 0x10944DE41552B43C,
            38: 0x0FBAEBB50B819F5D,
            39: 0x0FBAEBB50B819F5D,
            40: 0x0FBAEBB50B819F5D,
        },
    ),
]
SHINGLES = [
    (
        ShingleParams(),
        "shingle1-9-w16",
        {8: 0x0DF57A0FAEAFA97F, 23: 0x0C3F2493DCCEFDB6, 39: 0x072708E3C7DE6B6A, 46: 0x26D93665E30B89A7},
    ),
    (
        ShingleParams(size=10),
        "shingle1-10-w16",
        {
            0: 0x06667ABEB15BEACD,
            15: 0x20067995392A1AD8,
            19: 0x08A3CFBB31C32AF6,
            31: 0x0558E5D6D42B8E93,
            33: 0x1C608F3D423AB05D,
            41: 0x2B605B94D91C2A8E,
        },
    ),
    (
        ShingleParams(size=12, selection=24),
        "shingle1-12-w24",
        {12: 0x00B26A6BF2042F7C, 21: 0x0530ED5B74394D22, 32: 0x1664A2B003FE9E57, 53: 0x024616A5BB29D81E},
    ),
]


def by_position(result):
    return dict(zip(result.positions.tolist(), result.hashes.tolist(), strict=True))


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
def test_letters_equal_the_golden_values(text):
    assert str(to_letters(text)) == LETTERS


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
@pytest.mark.parametrize(("params", "params_id", "stored"), DNA)
def test_dna_equals_the_golden_values(text, params, params_id, stored):
    assert params.params_id == params_id
    assert by_position(dna_fingerprints(to_letters(text), params)) == stored
    assert stored.items() <= by_position(dna_query(to_letters(text), params)).items()


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
@pytest.mark.parametrize(("params", "params_id", "stored"), SHINGLES)
def test_shingles_equal_the_golden_values(text, params, params_id, stored):
    assert params.params_id == params_id
    assert by_position(shingle_fingerprints(to_letters(text), params)) == stored


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("LETTERS", "1352b8c1ddfee6e7e6d53396f21fb9bb9fa2d39c69381c4aedcebf2397a70409"),
        ("FOLD", "5039f702b8bd1f677f4ffbfe879c019dacb421c37be0e90d2428e2646730ba7e"),
        ("UNFOLD", "0c7b7dfa512ed5e75b8aff100f1ba20316a82bfc3335f06ac2b1bd5e5170dd35"),
    ],
)
def test_tables_equal_the_golden_values(name, sha256):
    """All stored hashes are made of these: a new pypinyin or OpenCC must not change them unnoticed."""
    content = zlib.decompress(base64.b85decode(getattr(_tables, name)))
    assert hashlib.sha256(content).hexdigest() == sha256


def test_expansions_equal_the_golden_values():
    content = repr(sorted(_tables.EXPANSIONS.items())).encode()
    assert (
        hashlib.sha256(content).hexdigest()
        == "2ecba482dc024dbe957d4e3e82df0cf14f959ee948aaeefbb3457fff52bbabf2"
    )

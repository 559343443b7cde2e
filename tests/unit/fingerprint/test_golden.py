"""Stored values: these hashes are in databases. A change here needs a new name in ``params_id``.

The letters, the windows, the mixer and the selection are all pinned by them at once.
"""

import pytest

from fingerprint.dna import DnaParams, dna_fingerprints, dna_query
from fingerprint.letters import to_letters
from fingerprint.shingle import ShingleParams, shingle_fingerprints

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
        DnaParams(size=32, levels=4, step=16),
        "dna1-32-4-w16-prose1",
        {13: 0x17ED59F05C840880, 20: 0x16BFEFC7CB606557, 34: 0x027EA8177C09ECAE},
    ),
    (
        DnaParams(size=16, levels=2, sampling="stride", step=16),
        "dna1-16-2-s16-prose1",
        {0: 0x87A9C124962337F1, 16: 0xD4271BAAD7FE18B2, 32: 0xCA4D518772BEDA84, 48: 0x8D2FBEE6C4BF40E6},
    ),
    (
        DnaParams(size=24, levels=10, step=20),
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


def by_position(found):
    return dict(zip(found.positions.tolist(), found.hashes.tolist(), strict=True))


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
def test_letters(text):
    assert str(to_letters(text)) == LETTERS


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
@pytest.mark.parametrize(("params", "params_id", "stored"), DNA)
def test_dna(text, params, params_id, stored):
    assert params.params_id == params_id
    assert by_position(dna_fingerprints(to_letters(text), params)) == stored
    assert stored.items() <= by_position(dna_query(to_letters(text), params)).items()


@pytest.mark.parametrize("text", [TEXT, TRADITIONAL])
@pytest.mark.parametrize(("params", "params_id", "stored"), SHINGLES)
def test_shingles(text, params, params_id, stored):
    assert params.params_id == params_id
    assert by_position(shingle_fingerprints(to_letters(text), params)) == stored

"""The names of what may be done to a copy to hide it, as matches store them."""

from typing import Literal, get_args

Disguise = Literal[
    # Of the order of reading (fingerprint.text.orders).
    "doubled",
    "reversed",
    "columns",
    "components",
    # Of the order of reading, or seen in the alignment …
    "noise",
    # … as these are (tracker.alignment.disguises).
    "homophones",
    "traditional",
    "pinyin",
    "slogans",
    "edited",
    "shuffled",
]
DISGUISES: frozenset[Disguise] = frozenset(get_args(Disguise))

DOUBLED: Disguise = "doubled"
REVERSED: Disguise = "reversed"
COLUMNS: Disguise = "columns"
COMPONENTS: Disguise = "components"
NOISE: Disguise = "noise"
HOMOPHONES: Disguise = "homophones"
TRADITIONAL: Disguise = "traditional"
PINYIN: Disguise = "pinyin"
SLOGANS: Disguise = "slogans"
EDITED: Disguise = "edited"
SHUFFLED: Disguise = "shuffled"

"""Names of the disguises that may hide a copy, as matches store them."""

from typing import Literal, get_args

Disguise = Literal[
    # Found together with the reading order (fingerprint.text.orders).
    "doubled",
    "reversed",
    "columns",
    "components",
    # Found together with the reading order, or in the alignment.
    "noise",
    # Found in the alignment (tracker.alignment.disguises).
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

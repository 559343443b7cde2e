"""The names of what may be done to a copy to hide it, as matches store them."""

# Of the order of reading (fingerprint.text.orders).
DOUBLED = "doubled"
REVERSED = "reversed"
COLUMNS = "columns"
COMPONENTS = "components"
# Of the order of reading, or seen in the alignment …
NOISE = "noise"
# … as these are (tracker.alignment.disguises).
HOMOPHONES = "homophones"
TRADITIONAL = "traditional"
PINYIN = "pinyin"
SLOGANS = "slogans"
EDITED = "edited"
SHUFFLED = "shuffled"

DISGUISES = frozenset(
    {
        DOUBLED,
        REVERSED,
        COLUMNS,
        COMPONENTS,
        NOISE,
        HOMOPHONES,
        TRADITIONAL,
        PINYIN,
        SLOGANS,
        EDITED,
        SHUFFLED,
    }
)

"""Hypothesis strategies for Chinese text in all the shapes that the web serves it in."""

from random import Random

from hypothesis import strategies as st

# Characters of stories, punctuation and digits in a mix that looks like prose.
PROSE = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年灯渡船雨夜江雾门声"
PUNCTUATION = "，。！？、；：“”‘’（）《》—…"
ASCII = "abcXYZ 0189.-/"
TRADITIONAL = "這個為來時們對會發燈門聲國語說過還進開關東車馬鳥魚龍風飛書畫樂萬與學問題"
# Full-width forms, ligatures, circled and squared characters, Kangxi radicals and compatibility ideographs.
WIDTH_VARIANTS = "ＡＢｃ０９！，　ｶﾞ㍿㍻㊀㊗①⑩ﬁ⼀⼆⽇⽔豈更車金㋿㏠"
EXTENSIONS = "㐀䶵\U00020000\U0002a6df\U0002a700\U0002b740\U0002ceb0\U00030000\U00031350"
MARKS = "\u0301\u0308\u3099\ufe0f\U000e0100\u200b\u200d\ufeff\u00ad"
SURROGATES = "\ud800\udbff\udc00\udfff"

prose = st.text(alphabet=PROSE + PUNCTUATION + "\n", max_size=400)
han = st.text(alphabet=PROSE, max_size=400)
anything = st.text(
    alphabet=st.one_of(
        st.sampled_from(PROSE + PUNCTUATION + ASCII),
        st.sampled_from(TRADITIONAL + WIDTH_VARIANTS + EXTENSIONS + MARKS + SURROGATES),
        st.characters(),
    ),
    max_size=200,
)
seeds = st.integers(min_value=0, max_value=2**32)
hashes = st.integers(min_value=0, max_value=2**64 - 1)


def codes(max_size=200, letters=26):
    """Lists of letter codes; few different letters make repeats likely."""
    return st.lists(st.integers(min_value=1, max_value=letters), max_size=max_size)


def story(length, seed, alphabet=PROSE):
    """A text of random Han characters, the same for the same seed."""
    return "".join(Random(seed).choices(alphabet, k=length))


@st.composite
def edits_of(draw, text, max_edits=10):
    """The text after some replacements, insertions and deletions of single characters."""
    characters = list(text)
    for _ in range(draw(st.integers(min_value=0, max_value=max_edits))):
        place = draw(st.integers(min_value=0, max_value=max(0, len(characters) - 1)))
        other = draw(st.sampled_from(PROSE + PUNCTUATION))
        kind = draw(st.sampled_from(["replace", "insert", "delete"]))
        characters[place : place + (kind != "insert")] = [] if kind == "delete" else [other]
    return "".join(characters)

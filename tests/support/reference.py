"""Slow, obvious versions of the fast code: what the tests compare it with.

Everything here is plain Python over lists and strings, written from the definitions (design.md, the papers)
and not from the code; nothing is imported from the packages but the numbers of the reference.
"""

import unicodedata
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from math import comb

import opencc
import pypinyin

CONSONANTS = "bcdfghjklmnpqrstwxyz"
_BITS_64 = 2**64 - 1
_TO_SIMPLIFIED = opencc.OpenCC("t2s")


@cache
def simplified_form(character):
    """The simplified form of a traditional character; other characters as they are."""
    return _TO_SIMPLIFIED.convert(character)


@cache
def initial(character):
    """The letter of a character: that of its simplified form if both have a reading."""
    own = first_letter(character)
    return own and (first_letter(simplified_form(character)[:1]) or own)


def first_letter(character):
    """The first letter of a character's first reading; empty when it has none."""
    if not character:
        return ""
    reading = pypinyin.pinyin(character, style=pypinyin.Style.NORMAL, errors="ignore")
    plain = unicodedata.normalize("NFD", reading[0][0])[:1].lower() if reading else ""
    return plain if "a" <= plain <= "z" else ""


@cache
def readings(character):
    """(syllable, tone) of every reading, those of the simplified form first; 5 is the neutral tone."""
    normal = unicodedata.normalize("NFKC", character)
    own = _readings(normal)
    return list(dict.fromkeys([*_readings(simplified_form(normal)), *own])) if own else []


def _readings(character):
    if len(character) != 1 or ord(character) not in pypinyin.constants.PINYIN_DICT:
        return []
    told = pypinyin.pinyin(character, style=pypinyin.Style.TONE, heteronym=True)[0]
    return [_syllable_and_tone(reading) for reading in told]


def _syllable_and_tone(reading):
    marks = unicodedata.normalize("NFD", reading)
    tone = next((number for number, mark in enumerate("\u0304\u0301\u030c\u0300", 1) if mark in marks), 5)
    bare = "".join(mark for mark in marks if mark == "\u0308" or not unicodedata.combining(mark))
    return unicodedata.normalize("NFC", bare), tone


def near(syllable):
    """A syllable without what near ones differ in."""
    for one, other in (("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"), ("h", "f")):
        if syllable.startswith(one) and len(syllable) > len(one):
            syllable = other + syllable.removeprefix(one)
            break
    return syllable.removesuffix("g") if syllable.endswith(("ang", "eng", "ing")) else syllable


def degree(one, other):
    """How alike two different characters sound: 4 to the tone, 3 the syllable, 2 nearly, 0 not."""
    pairs = [(ours, theirs) for ours in readings(one)[:6] for theirs in readings(other)[:6]]
    if any(ours == theirs for ours, theirs in pairs):
        return 4
    if any(ours[0] == theirs[0] for ours, theirs in pairs):
        return 3
    return 2 if any(near(ours[0]) == near(theirs[0]) for ours, theirs in pairs) else 0


def letters(text):
    """(letter, offset) of every Han character of the text, one original character after the other."""
    return [
        (letter, offset)
        for offset, original in enumerate(text)
        for character in unicodedata.normalize("NFKC", original)
        if (letter := initial(character))
    ]


def splitmix64(value, seed=0):
    """splitmix64's output function, as printed in the paper."""
    value = (value + (seed + 1) * 0x9E3779B97F4A7C15) & _BITS_64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _BITS_64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _BITS_64
    return value ^ (value >> 31)


def winnow(hashes, selection):
    """The paper's definition: the rightmost minimum of every window; the only minimum of a short text."""
    kept = set()
    for start in range(max(1, len(hashes) - selection + 1)) if hashes else ():
        window = range(start, min(start + selection, len(hashes)))
        kept.add(min(window, key=lambda place: (hashes[place], -place)))
    return sorted(kept)


def shingles(codes, size):
    """Every run of ``size`` letters as a number with five bits a letter."""
    numbers = []
    for start in range(len(codes) - size + 1):
        number = 0
        for code in codes[start : start + size]:
            number = number * 32 + code
        numbers.append(number)
    return numbers


@cache
def digit(count, size, levels, share):
    """floor(levels · F(count)) with F the mid-distribution of Bin(size, share), in exact fractions."""
    chance = Fraction(share)
    exactly = [comb(size, hits) * chance**hits * (1 - chance) ** (size - hits) for hits in range(count + 1)]
    return min(levels - 1, int(levels * (sum(exactly[:count]) + exactly[count] / 2)))


def dna_number(window, levels, shares):
    """The DNA of one window of letters: twenty digits in alphabetical order, modulo 2^64."""
    counts = Counter(window)
    number = 0
    for letter, share in zip(CONSONANTS, shares, strict=True):
        number = number * levels + digit(counts[letter], len(window), levels, share)
    return number % 2**64


def dna_numbers(text, size, levels, shares):
    """The DNA of every window of a string of letters."""
    return [dna_number(text[a : a + size], levels, shares) for a in range(len(text) - size + 1)]


def exact_runs(page, passage, seed, max_repeats):
    """Maximal runs of equal letters that hold a seed.

    A seed that the passage repeats too often is none; of one that the page repeats, the first count.
    """
    held, asked = defaultdict(list), defaultdict(list)
    for start in range(len(page) - seed + 1):
        asked[tuple(page[start : start + seed])].append(start)
    for place in range(len(passage) - seed + 1):
        held[tuple(passage[place : place + seed])].append(place)
    shared = asked.keys() & held.keys()
    pairs = {
        (start, place)
        for run in shared
        if len(held[run]) <= max_repeats
        for start in asked[run][:max_repeats]
        for place in held[run]
    }
    runs = set()
    for start, place in sorted(pairs):
        if (start - 1, place - 1) in pairs:
            continue
        length = 1
        while (start + length, place + length) in pairs:
            length += 1
        run = start, place, length + seed - 1
        runs.add(_lengthen(run, page, passage))
    return sorted(runs, key=lambda run: run[:2])


def _lengthen(run, page, passage):
    start, place, length = run
    while start and place and page[start - 1] == passage[place - 1]:
        start, place, length = start - 1, place - 1, length + 1
    ends = min(len(page) - start, len(passage) - place)
    while length < ends and page[start + length] == passage[place + length]:
        length += 1
    return start, place, length


def postings(passages, wanted, cap):
    """(query, passage, position) of every posting of the wanted hashes, and how many hashes were cut.

    ``passages`` maps ids to lists of (hash, position).
    """
    rows, capped = [], 0
    for query, value in enumerate(wanted):
        own = [
            (query, passage, position)
            for passage, held in passages.items()
            for number, position in held
            if number == value
        ]
        capped += len(own) > cap
        rows += own
    return rows, capped


def syncmers(letters: str, size: int, step: int) -> list[int]:
    """Return the windows whose smallest run of ``size − step`` letters is their first or their last."""
    run = size - step
    packed = [
        splitmix64(int("".join(f"{ord(letter) - 96:05b}" for letter in letters[at : at + run]), 2))
        for at in range(len(letters) - run + 1)
    ]
    windows = [packed[at : at + step + 1] for at in range(len(letters) - size + 1)]
    return [at for at, window in enumerate(windows) if min(window) in (window[0], window[-1])]

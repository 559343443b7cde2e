"""Recognise bytes in Japanese and Korean encodings that nobody declared, by their script.

These encodings use the same bytes as GB18030 and Big5, so wrong text looks like rare Chinese characters.
Half of a Japanese text is kana; nearly all of a Korean one is Hangul. In GB18030, kana have the same bytes as
in EUC-JP: there the common Han characters of both languages decide.
"""

import re

_KANA = re.compile("[\u3041-\u3096]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u4e00-\u9fff]")
_WIDE = re.compile("[^\x00-\x7f]")
_MIN_CHARS = 40  # minimum number of characters outside ASCII that show a script
_MIN_KANA = 0.25
_MIN_HANGUL = 0.9
_MAX_DAMAGE = 0.01  # maximum share of undecodable and private-use characters
_DAMAGE = re.compile("[\ufffd\ue000-\uf8ff\uff61-\uff9f\x80-\x9f]")
_JAPANESE = frozenset(
    "日一人大年出本中国行月生分事者上会見時間後前方入自社手学今高気言思家同新話合力当作用動長性最使地体山川何"
    "場女子名外文金小心目立下水東京私彼我年度開発表現実関係問題通信電車道理由食書海村町市"
)
_CHINESE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
)


def east_asian_encoding(sample: bytes) -> str | None:
    """Return the codec of Japanese or Korean bytes; None for any other text.

    Args:
        sample: a part of the bytes, beginning with a whole character.
    """
    japanese = sample.decode("cp932", "replace")
    if _share(_KANA, japanese) >= _MIN_KANA and _share(_DAMAGE, japanese) <= _MAX_DAMAGE:
        return "cp932"
    korean = sample.decode("cp949", "replace")
    if _share(_HANGUL, korean) >= _MIN_HANGUL:
        return "cp949"
    japanese = sample.decode("euc_jp", "replace")
    is_kana = _share(_KANA, japanese) >= _MIN_KANA and _share(_DAMAGE, japanese) <= _MAX_DAMAGE
    other = sample.decode("gb18030", "replace")
    if is_kana and _common_share(japanese, _JAPANESE) > _common_share(other, _CHINESE):
        return "euc_jp"
    return None


def _share(pattern: re.Pattern[str], text: str) -> float:
    """Return the share of a text's characters outside ASCII that match; 0 for a short text."""
    wide = len(_WIDE.findall(text))
    return len(pattern.findall(text)) / wide if wide >= _MIN_CHARS else 0.0


def _common_share(text: str, common: frozenset[str]) -> float:
    han = _HAN.findall(text)
    return sum(character in common for character in han) / max(1, len(han))

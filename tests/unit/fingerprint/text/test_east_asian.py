"""Japanese and Korean bytes are recognised without a declaration; Chinese bytes are not taken for them."""

import pytest

from fingerprint.text.decoding import decode

JAPANESE = (
    "川の霧はまだ晴れていなかった。年を取った船大工は最後の板を家の前まで運んできた。"
    "弟子が川から水を汲んで戻り、上流の橋が昨夜の大雨で流されたと言った。"
) * 3
KOREAN = (
    "강에는 아직 안개가 걷히지 않았다. 늙은 목수는 마지막 판자를 날라 왔다. "
    "제자가 강에서 물을 길어 와서 다리가 떠내려갔다고 말했다. "
) * 3
CHINESE = "雾从江心漫过来的时候，老许正在数灯。渡口一共七盏，从石阶底下一直排到茶棚门口。" * 3
WITH_KANA = CHINESE + "店名叫「さくら」，他在日本住过三年，每天都说ありがとう。"


@pytest.mark.parametrize("declared", [None, "utf-8"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
        (CHINESE, "gb18030"),
        (WITH_KANA, "gb18030"),
    ],
    ids=["Shift_JIS", "EUC-JP", "EUC-KR", "GBK", "GBK with kana"],
)
def test_undeclared_encodings_are_recognised_by_script(text, encoding, declared):
    decoded = decode(f"<p>{text}</p>".encode(encoding), declared=declared)
    assert (decoded.encoding, decoded.text) == (encoding, f"<p>{text}</p>")


def test_declared_korean_is_read_as_declared():
    assert decode(KOREAN.encode("euc-kr"), declared="euc-kr").text == KOREAN


def test_declared_gb2312_with_many_kana_stays_gb2312():
    data = f"<p>{JAPANESE}</p>".encode("gb18030")
    assert decode(data, declared="gb2312").text == f"<p>{JAPANESE}</p>"

"""Results that are kept for other pages: short results of texts of a usual length."""

from crawler.extraction.kept_results import keep_by_text


def counted(result):
    """Return a decorated function that returns ``result``, and the texts for which it ran."""
    texts = []

    @keep_by_text
    def function(text):
        texts.append(text)
        return result

    return function, texts


def test_equal_texts_share_a_result():
    function, texts = counted(("第一盏灯还亮着",))
    first, other = "a" * 100, "b" * 100
    assert [function(text) for text in (first, "a" * 100, other)] == 3 * [("第一盏灯还亮着",)]
    assert texts == [first, other]


def test_false_and_empty_results_are_kept():
    for result in (False, ()):
        function, texts = counted(result)
        assert function("a" * 100) == function("a" * 100) == result
        assert len(texts) == 1


def test_data_are_not_kept():
    function, texts = counted(("字" * 2_001,))
    function("a" * 5_000)
    function("a" * 5_000)
    assert len(texts) == 2


def test_very_short_and_very_long_texts_are_not_kept():
    function, texts = counted(True)
    for chars in (99, 99, 200_001, 200_001):
        assert function("a" * chars)
    assert len(texts) == 4

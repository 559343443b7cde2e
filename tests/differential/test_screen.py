"""The screen's reader reads what is painted, and nothing that is not."""

import pytest
from support.differential.browser import Response
from support.differential.judging import matching_runs, visible_runs
from support.differential.texts import DECOY, PROTECTED, han_of

_TEXT = PROTECTED[0]
_HAN = han_of(_TEXT)


def shown(screen, markup):
    response = Response(body=f"<!DOCTYPE html><meta charset=utf-8>{markup}".encode(), resources={})
    return visible_runs(screen.visible_orders(response), _HAN)


@pytest.mark.parametrize(
    "markup",
    [
        f"<p>{_TEXT}",
        f"<h1>{_TEXT}</h1>",
        f"<p><em><b><a href=x>{_TEXT}</a></b></em></p>",
        f"<button>{_TEXT}</button>",
        f"<p><img alt='{_TEXT}' src=/nosuch.png></p>",
        f"<p style='writing-mode:vertical-rl;height:400px'>{_TEXT}</p>",
        f"<p><bdo dir=rtl>{_TEXT[::-1]}</bdo></p>",
        f"<style>p::before{{content:'{_TEXT}'}}</style><p>",
        f"<div><template shadowrootmode=closed>{_TEXT}</template></div>",
        f"<body style='background:#222;color:#eee'><p style='padding:9px'>{_TEXT}</p>",
    ],
)
def test_painted_text_is_read(screen, markup):
    assert "".join(shown(screen, markup)) == _HAN


@pytest.mark.parametrize(
    "markup",
    [
        f"<p hidden>{_TEXT}</p>",
        f"<p style='color:#fff'>{_TEXT}</p>",
        f"<p style='opacity:.02'>{_TEXT}</p>",
        f"<p style='position:absolute;left:-9999px'>{_TEXT}</p>",
        f"<p style='font-size:1px'>{_TEXT}</p>",
        f"<p style='transform:scale(0)'>{_TEXT}</p>",
        f"<p>{_TEXT}</p><div style='position:absolute;inset:0;background:#fff'></div>",
        f"<!-- {_TEXT} --><template>{_TEXT}</template><script>'{_TEXT}'</script>",
        f"<p>{_TEXT[::-1]}",
        f"<p>{DECOY[0]}</p>",
    ],
)
def test_text_that_is_not_painted_is_not_read(screen, markup):
    assert shown(screen, markup) == []


def test_runs_are_stretches_of_the_text_in_the_order_of_the_screen():
    assert matching_runs("零" + _HAN[20:40] + "一二三" + _HAN[:12], _HAN) == [_HAN[20:40], _HAN[:12]]

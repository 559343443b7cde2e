"""A line with silent elements is also read without them."""

import pytest

from tests.support.rest_pages import SENTENCES, missing, page, read

TEXT = "".join(SENTENCES)


def divided(between: str) -> str:
    return between.join(TEXT[start : start + 5] for start in range(0, len(TEXT), 5))


@pytest.mark.parametrize(
    "between",
    [
        "<audio>一二</audio>",
        "<canvas width=0 height=0>一二</canvas>",
        "<datalist>一二</datalist>",
        "<details style='display:inline'>一二</details>",
        "<dialog>一二</dialog>",
        "<b popover>一二</b>",
    ],
)
@pytest.mark.parametrize("around", ["<p>{}</p>", "<div><b><i>{}</i></b></div>"])
def test_silent_elements_do_not_split_lines(between: str, around: str) -> None:
    assert missing(read(page(around.format(divided(between))))) == []


def test_lines_as_written_are_kept_too() -> None:
    result = read(page(f"<p>{divided('<dialog>一二</dialog>')}</p>"))
    assert "一二" in result.text + result.rest


def test_closed_blocks_add_no_lines() -> None:
    blocks = "".join(
        f"<details><summary>{n}</summary><p>{text}</p></details>" for n, text in enumerate(SENTENCES)
    )
    result = read(page(f"<div>{blocks}</div>"))
    assert missing(result) == []
    assert (result.text + result.rest).count(SENTENCES[0]) == 1

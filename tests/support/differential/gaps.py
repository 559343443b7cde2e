"""What reading still lacks without saying so. A test fails when a technique is here and its text is read."""

_IMAGE = "text in an image that a style sheet contains is not read"

# technique → what is wrong.
OPEN: dict[str, str] = {
    "form-style-shown": "the text of a style element that is shown is not read",
    "form-svg-background": _IMAGE,
    "form-svg-content": _IMAGE,
    "form-svg-list-image": _IMAGE,
    "text-plain-comment": "markup in a plain text is taken for markup",
}

# Beginnings of the names of techniques that reading knows alone and loses in combination: in the rest,
# in a frame, in a shadow root, after the end of the document. Until it does, they are not combined.
OPEN_TOGETHER = (
    "form-attr-content-class",  # short lines are in the article and in the rest by turns
    "html-after-html",
    "html-null-",  # with charsets that are ASCII
    "order-",
    "script-",
    "shell-html-after-end",
    "split-junk-",
)


def is_open(name: str) -> bool:
    """Return whether a technique is left out of combinations."""
    return name in OPEN or name.startswith(OPEN_TOGETHER)

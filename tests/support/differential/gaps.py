"""What reading still lacks without saying so. A test fails when a technique is here and its text is read."""

_ORDER = "lines in an order that style sheets make are neither put in order nor reported"
_JUNK = "characters in an element that shows nothing are taken for text"
_SCRIPT = "a script that hides what it does is not counted"
_IMAGE = "text in an image that a style sheet contains is not read"

# technique → what is wrong.
OPEN: dict[str, str] = {
    "coding-windows-1252": "a page in ASCII with this charset in its header is read as UTF-16",
    "external-js": "a script of another address that writes the text is not counted",
    "external-mjs": "a script of another address that writes the text is not counted",
    "form-style-shown": "the text of a style element that is shown is not read",
    "form-svg-background": _IMAGE,
    "form-svg-content": _IMAGE,
    "form-svg-list-image": _IMAGE,
    "order-absolute-12": _ORDER,
    "order-absolute-30": _ORDER,
    "order-absolute-bottom": _ORDER,
    "order-flex-custom": _ORDER,
    "order-grid-20": _ORDER,
    "order-grid-area": _ORDER,
    "order-rtl-flex": _ORDER,
    "order-rtl-inline-blocks": _ORDER,
    "order-translate": _ORDER,
    "order-wrap-reverse": _ORDER,
    "script-animation-start": _SCRIPT,
    "script-autofocus": _SCRIPT,
    "script-frame-javascript": _SCRIPT,
    "script-img-onload": _SCRIPT,
    "script-onerror": _SCRIPT,
    "script-property": _SCRIPT,
    "script-style-onload": _SCRIPT,
    "script-svg-onload": _SCRIPT,
    "script-toggle": _SCRIPT,
    "script-writeln": _SCRIPT,
    "split-junk-audio": _JUNK,
    "split-junk-canvas": _JUNK,
    "split-junk-datalist": _JUNK,
    "split-junk-details": _JUNK,
    "split-junk-dialog": _JUNK,
    "split-junk-popover": _JUNK,
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

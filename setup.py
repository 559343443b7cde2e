"""Adds the README to the package, without links that only the repository has; pyproject.toml has the rest."""

import re
from pathlib import Path

from setuptools import setup

_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?://|#)[^)]*\)")


def portable(readme: str) -> str:
    """Return a README without pictures and links that are relative: links leave their text.

    A paragraph of nothing but such links is left out.
    """
    paragraphs = []
    for paragraph in readme.split("\n\n"):
        if re.search(r"\w", _LINK.sub("", paragraph)):
            text = _LINK.sub(lambda link: "" if link["picture"] else link["text"], paragraph)
            paragraphs.append(text.strip(" \n"))
    return "\n\n".join(paragraphs) + "\n"


if __name__ == "__main__":
    setup(
        long_description=portable(Path(__file__).with_name("README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
    )

"""The documentation as a site: ``make docs`` builds it in English, and with the tag ``zh`` in Chinese.

Sources are read from the repository's root, so that links to CONTRIBUTING.md work as on a code host.
"""

import posixpath
import re
from typing import Any

from system.version import VERSION

IS_CHINESE = tags.has("zh")  # type: ignore[name-defined]  # noqa: F821 - Sphinx defines it

project = "pindna"
author = "The pindna developers"
version = release = VERSION
language = "zh_CN" if IS_CHINESE else "en"

extensions = ["myst_parser"]
myst_heading_anchors = 4
if IS_CHINESE:
    root_doc = "docs/zh/index"
    include_patterns = ["docs/zh/**"]
else:
    root_doc = "docs/index"
    include_patterns = ["docs/**", "[A-Z]*.md"]
    exclude_patterns = ["docs/zh/**", "README*.md"]
suppress_warnings = [
    "myst.header",  # tables of commands skip a level
    "toc.not_included",  # decisions and benchmark pages are linked from their overview
    "misc.highlighting_failure",  # consoles with other prompts
]

html_theme = "furo"
html_title = f"pindna {VERSION}"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s:#]+\.(?:md|json))(#[^)]*)?\)")
_OTHER = {False: "zh", True: "en"}


def setup(app: Any) -> None:
    """Let links to pages that the other language has lead to the other site."""
    app.connect("source-read", _link_other_language)


def _link_other_language(_app: Any, page: str, source: list[str]) -> None:
    def replaced(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
        if target.endswith(".md") and target.startswith("docs/zh/") == IS_CHINESE:
            return link[0]
        site = _OTHER[IS_CHINESE] if target.startswith("docs/zh/") != IS_CHINESE else ""
        up = "../" * (page.count("/") + 1)
        href = f"{up}{site}/{target.removesuffix('.md')}.html{link[3] or ''}"
        return f'<a href="{href}">{link[1]}</a>' if target.endswith(".md") else link[1]

    source[0] = _LINK.sub(replaced, source[0])

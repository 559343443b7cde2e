"""Adds to the package what pyproject.toml cannot: a README without links to files, and the SBOM."""

import importlib.util
import re
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
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


class WheelWithSbom(bdist_wheel):
    """Builds a wheel whose metadata contain the bill of materials (PEP 770)."""

    def write_wheelfile(self, wheelfile_base: str, *args: object, **options: object) -> None:
        """Write the wheel's metadata, and the bill of materials next to it."""
        super().write_wheelfile(wheelfile_base, *args, **options)
        spec = importlib.util.spec_from_file_location("build_sbom", ROOT / "deploy" / "build_sbom.py")
        build_sbom = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build_sbom)
        folder = Path(wheelfile_base) / "sboms"
        folder.mkdir(exist_ok=True)
        bom = build_sbom.bill_of_materials(ROOT, self.distribution.get_version())
        (folder / build_sbom.FILE_NAME).write_text(bom, encoding="utf-8")


if __name__ == "__main__":
    setup(
        cmdclass={"bdist_wheel": WheelWithSbom},
        long_description=portable(Path(__file__).with_name("README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
    )

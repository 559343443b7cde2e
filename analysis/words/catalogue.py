"""Update the Chinese catalogue from the sources: ``python -m analysis.words.catalogue``.

This program collects all marked texts of the packages and writes them into the .po file, with their existing
translations. It compiles the file and lists texts without a translation; then the exit status is 1. It is for
developers of pindna and needs a writable checkout.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from analysis.words.i18n import CONTEXT_END, DOMAIN, LOCALE_DIR, OWN_TEXTS

PACKAGES = ("analysis", "crawler", "deploy", "storage", "system", "tracker")
ROOT = Path(__file__).resolve().parent.parent.parent
PO_FILE = LOCALE_DIR / "zh" / "LC_MESSAGES" / f"{DOMAIN}.po"

# The first argument of a ``Message`` of ``storage.records`` is its template.
_KEYWORDS = {**DEFAULT_KEYWORDS, "Message": None, "NC_": ((1, "c"), 2)}

MessageId = str | tuple[str, ...]


def marked_texts(root: Path = ROOT) -> Iterator[tuple[str, int, MessageId]]:
    """Yield (file, line, text) of every marked text. A text with a plural is a pair (singular, plural).

    A text with a context is ``context``, ``CONTEXT_END`` and the text.
    """
    for package in ("pindna.py", *PACKAGES):
        paths = sorted((root / package).rglob("*.py")) if package in PACKAGES else (root / package,)
        for path in filter(Path.is_file, paths):
            name = path.relative_to(root).as_posix()
            yield from ((name, line, text) for line, text in _calls("python", path))
            yield from ((name, line, text) for line, text in _errors(path))
        for path in sorted((root / package).rglob("*.html")):
            name = path.relative_to(root).as_posix()
            yield from ((name, line, text) for line, text in _calls("jinja2.ext:babel_extract", path))


def _calls(method: str, path: Path) -> Iterator[tuple[int, MessageId]]:
    """Yield the texts in calls of ``_``, ``gettext``, ``ngettext``, ``pgettext``, ``N_`` and ``NC_``."""
    with path.open("rb") as file:
        for line, message, _, context in extract(method, file, _KEYWORDS, options={"silent": "false"}):
            yield line, f"{context}{CONTEXT_END}{message}" if context else message


def _parts(text: MessageId) -> tuple[MessageId, str | None]:
    """Return the message id and its context, if it has one."""
    if isinstance(text, str) and CONTEXT_END in text:
        context, _, message = text.partition(CONTEXT_END)
        return message, context
    return text, None


def _errors(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the templates of error classes, constants that errors are raised with, and names of values."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            yield from _templates(node)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from _values(node.exc, OWN_TEXTS)
        elif isinstance(node, ast.Call):
            yield from _values(node, frozenset({"metavar"}))


def _templates(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        is_template = any(isinstance(target, ast.Name) and target.id == "template" for target in targets)
        if is_template and isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            yield statement.lineno, value.value


def _values(call: ast.Call, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg in names and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield call.lineno, value.value


def load() -> Catalog:
    """Return the catalogue in the .po file."""
    with PO_FILE.open("rb") as file:
        return read_po(file, locale="zh", domain=DOMAIN)


def update(catalogue: Catalog) -> None:
    """Add new texts to the catalogue, and delete the texts that no longer exist."""
    fresh = Catalog(domain=DOMAIN, project=DOMAIN, charset="utf-8")
    for name, _, text in marked_texts():
        message, context = _parts(text)
        fresh.add(message, locations=[(name, 0)], context=context)
    catalogue.update(fresh, no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    catalogue.header_comment = "# Chinese texts of pindna; analysis/words/i18n.py says how to add one."
    catalogue.version, catalogue.msgid_bugs_address = "", ""
    catalogue.last_translator = catalogue.language_team = "The pindna developers"
    catalogue.revision_date = catalogue.creation_date
    catalogue.fuzzy = False


def untranslated_texts(catalogue: Catalog) -> list[str]:
    """Return the marked texts that the catalogue does not translate, as ``file:line: text``."""
    return [
        f"{name}:{line}: {text}" for name, line, text in marked_texts() if not _is_translated(catalogue, text)
    ]


def _is_translated(catalogue: Catalog, text: MessageId) -> bool:
    message = catalogue.get(*_parts(text))
    if message is None or message.fuzzy:
        return False
    forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(forms)


def main() -> int:
    """Update and compile the catalogue, and report missing translations. Return 1 if any is missing."""
    catalogue = load() if PO_FILE.exists() else Catalog(locale="zh", domain=DOMAIN, project=DOMAIN)
    update(catalogue)
    with PO_FILE.open("wb") as file:
        write_po(file, catalogue, width=110, omit_header=False, include_lineno=False, sort_output=True)
    with PO_FILE.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)
    missing = untranslated_texts(catalogue)
    sys.stdout.writelines(f"no translation: {text}\n" for text in missing)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

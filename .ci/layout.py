"""Prints the figures that the layout is held to; docs/architecture.md says what is where.

    .venv/bin/python .ci/layout.py

A test file counts for the package whose folder it is in, else for the one that it names most often; a test
that runs ``pindna`` and names no package counts for ``deploy``.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

PRODUCT = ("analysis", "crawler", "deploy", "fingerprint", "storage", "system", "tracker")
MAX_TEST_NAME = 70
_NAMED = re.compile(rf"^(?:from|import) ({'|'.join(PRODUCT)})\b", re.MULTILINE)


def main() -> None:
    """Print the figures."""
    files = {path: path.read_text(encoding="utf-8") for path in _python(PRODUCT)}
    tests = {path: path.read_text(encoding="utf-8") for path in _python(["tests"])}
    trees = {path: ast.parse(text) for path, text in files.items()}
    lengths = [node.end_lineno - node.body[0].lineno + 1 for node in _functions(trees.values())]
    print(f"product: {_lines(files.values()):,} lines in {len(files)} files")
    print(f"functions: {median(lengths):.0f} lines at the median, {max(lengths)} at most")
    print(f"deploy/cli: {_lines(text for path, text in files.items() if path.parts[1] == 'cli'):,} lines")
    print(f"benchmarks: {len(list(_python(['benchmarks'])))} files")
    print(f"base names of several modules: {len(_repeated((path.name, path) for path in files))}")
    loose = [
        path for path in files if str(path.parent) in {"analysis", "storage"} and path.stem != "__init__"
    ]
    print(f"loose files in analysis and storage: {len(loose)}")
    classes = _repeated((node.name, path) for path, tree in trees.items() for node in _classes(tree))
    print(f"class names used twice: {len(classes)} ({', '.join(sorted(classes))})")
    names = [node.name for node in _functions(map(ast.parse, tests.values())) if node.name[:5] == "test_"]
    print(f"test names of more than {MAX_TEST_NAME}: {sum(len(name) > MAX_TEST_NAME for name in names)}")
    for package, (tested, product) in _by_package(files, tests).items():
        print(f"{package}: {tested:,} lines of test, {product:,} of product, {tested / product:.2f}")


def _python(folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(path for path in Path(folder).rglob("*.py") if "__pycache__" not in path.parts)


def _lines(texts: Iterable[str]) -> int:
    return sum(text.count("\n") for text in texts)


def _functions(trees: Iterable[ast.Module]) -> Iterator[ast.FunctionDef]:
    for tree in trees:
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _repeated(places: Iterable[tuple[str, Path]]) -> dict[str, set[Path]]:
    """Return the names that occur in several files, with these files; names like ``__init__`` are omitted."""
    found: dict[str, set[Path]] = defaultdict(set)
    for name, path in places:
        found[name].add(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1 and not name.startswith("__")}


def _by_package(files: dict[Path, str], tests: dict[Path, str]) -> dict[str, tuple[int, int]]:
    tested: Counter[str] = Counter()
    for path, text in tests.items():
        if path.parts[1] != "support":
            tested[_package_of(path, text)] += text.count("\n")
    product = Counter(dict.fromkeys(PRODUCT, 0))
    for path, text in files.items():
        product[path.parts[0]] += text.count("\n")
    return {package: (tested[package], product[package]) for package in PRODUCT}


def _package_of(path: Path, text: str) -> str:
    by_folder = next((part for part in path.parts if part in PRODUCT), None)
    named = Counter(_NAMED.findall(text)).most_common(1)
    return by_folder or (named[0][0] if named else "deploy")


if __name__ == "__main__":
    main()

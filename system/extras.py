"""The extras of the package: the libraries that each one installs, and the error if a library is missing.

Code that needs a library of an extra imports it inside a function, or in a module that only functions import.
Import contracts check that the core never loads these libraries.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec

from system.errors import PindnaError

# Module → the extra that installs it, as in pyproject.toml.
EXTRA_OF: Mapping[str, str] = {
    "anyio": "console",
    "apprise": "alerts",
    "argon2": "console",
    "fastapi": "console",
    "fastapi_offline": "console",
    "h11": "console",
    "jieba": "lab",
    "limits": "console",
    "multipart": "console",
    "nicegui": "console",
    "playwright": "browser",
    "psutil": "embedded",
    "pyotp": "console",
    "python_multipart": "console",
    "rfc3161_client": "evidence",
    "rjieba": "lab",
    "scrapy_playwright": "browser",
    "secantus": "embedded",
    "starlette": "console",
    "tomli_w": "console",
    "uvicorn": "console",
    "valkey_server": "embedded",
    "websockets": "console",
    "zxcvbn": "console",
}


class ExtraMissing(PindnaError):
    """A library of an extra is not installed.

    Attributes:
        module: the library.
        extra: the extra that installs it.
    """

    template = "This function needs {module}, which is not installed. Run pip install 'pindna[{extra}]'."


def missing_extra_error(error: ModuleNotFoundError) -> ExtraMissing | None:
    """Return the error to show for a missing library of an extra, or None for any other module."""
    module = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(module)
    return None if extra is None else ExtraMissing(module=module, extra=extra)


def are_installed(*modules: str) -> bool:
    """Return whether modules are installed, without loading them."""
    return all(find_spec(module) is not None for module in modules)


def require_extra(*modules: str) -> None:
    """Check that libraries of an extra are installed, without loading them.

    Raises:
        ExtraMissing: a library is not installed.
    """
    for module in modules:
        if not are_installed(module):
            raise ExtraMissing(module=module, extra=EXTRA_OF[module])


@contextmanager
def importing_extra() -> Iterator[None]:
    """Raise a clear error if a library of an extra that the block imports is not installed.

    Raises:
        ExtraMissing: a library is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = missing_extra_error(error)
        if missing is None:
            raise
        raise missing from error

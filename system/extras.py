"""The extras of the package: which one installs a library, and the error when it is not installed.

Code that needs a library of an extra imports it inside a function, or in a module that only a function
imports. Import contracts keep the libraries of extras out of what the core loads.
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
        module, extra: the library, and the extra that installs it.
    """

    template = "This function needs {module}, which is not installed. Run pip install 'pindna[{extra}]'."


def extra_missing(error: ModuleNotFoundError) -> ExtraMissing | None:
    """Return the error for a library that an extra installs, or None for any other module."""
    module = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(module)
    return None if extra is None else ExtraMissing(module=module, extra=extra)


def has_extra(*modules: str) -> bool:
    """Return whether libraries of an extra are installed, without loading them."""
    return all(find_spec(module) is not None for module in modules)


def require_extra(*modules: str) -> None:
    """Check that libraries of an extra are installed, without loading them.

    Raises:
        ExtraMissing: one is not.
    """
    for module in modules:
        if not has_extra(module):
            raise ExtraMissing(module=module, extra=EXTRA_OF[module])


@contextmanager
def importing_extra() -> Iterator[None]:
    """Import libraries of an extra in this block.

    Raises:
        ExtraMissing: one is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = extra_missing(error)
        if missing is None:
            raise
        raise missing from error

"""Pauses the garbage collector while a page is read.

Reading a page makes tens of thousands of objects that live until the page is read. The collector would search
them again and again and find nothing. Reference counts free them afterwards.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Run a block without garbage collection; nested and concurrent blocks may use it too."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

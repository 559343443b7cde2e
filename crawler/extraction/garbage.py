"""Pausing the garbage collector while a page is read.

Reading a page creates tens of thousands of objects that live until the page is read. The collector would
search them repeatedly and free nothing. Reference counting frees them afterwards.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Run a block without garbage collection; nested and concurrent blocks are safe."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

"""Processes that are killed (``kill -9``) in the middle of what they do, at a method of ours."""

import subprocess
import sys

from support.processes import environment_of

# Arguments: module, class, method, name of a collection or nothing, and those of the action.
_PROGRAM = """
import importlib, os, signal, sys

module, owner, method, collection = sys.argv[1:5]
owner = getattr(importlib.import_module(module), owner)
unharmed = getattr(owner, method)

def act(self, *args, **options):
    if not collection or collection == self.raw.name:
        os.kill(os.getpid(), signal.SIGKILL)
    return unharmed(self, *args, **options)

setattr(owner, method, act)
"""
COLLECTION = ("storage.collections.checked", "CheckedCollection")


def killed_at(settings, point, action, *arguments):
    """Do something in a process of its own that is killed instead of one of its steps.

    Args:
        settings: of the process.
        point: module, class and method of the step, and of a :data:`COLLECTION` its name, or "".
        action: Python source of what it does.
        arguments: ``sys.argv[5:]`` of the action.
    """
    command = [sys.executable, "-c", _PROGRAM + action, *point, *arguments]
    assert subprocess.run(command, env=environment_of(settings), check=False).returncode == -9

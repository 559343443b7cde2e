"""The ``pindna`` command: one module for each group of subcommands, wired in :mod:`deploy.cli.app`."""

from deploy.cli.app import main

__all__ = ["main"]

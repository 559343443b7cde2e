"""``python -m deploy.cli``: the command line without a ``pindna`` program on the path."""

from deploy.cli.app import main

main()

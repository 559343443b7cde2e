"""``python -m deploy.cli``: the command line where no ``pindna`` program is on the path."""

from deploy.cli.app import main

main()

"""``pindna index``, ``backup``, ``upgrade`` and ``page``: the installation, and the evidence in it."""

from pathlib import Path

from support.captured_files import mhtml
from support.commands_that_act import Act

from deploy.cli.backup import backup, upgrade
from deploy.cli.backup.backup import take_backup
from storage.collections.schema import VERSION
from storage.collections.stores import Stores


def _backed_up(world):
    """Write a backup, and let no other process be in the way."""
    world.patch.setattr(backup, "refuse_other_users", lambda *_, **__: None)
    take_backup(world.settings, Path(world.folder) / "b.tar", stopped=True)


def _of_an_earlier_version(world):
    """Let the database be of an earlier schema until it is brought up to date."""
    found = [VERSION - 1]

    def bring_up_to_date(stores, _settings):
        found[0] = 0
        stores.ensure_schema()

    world.patch.setattr(Stores, "older_schema", lambda _: found[0])
    world.patch.setattr(upgrade, "bring_up_to_date", bring_up_to_date)
    world.patch.setattr(upgrade, "refuse_other_users", lambda *_, **__: None)


def _captured(world):
    path = world.folder / "page.mhtml"
    path.write_bytes(mhtml())
    return [str(path)]


ACTS = (
    Act("index rebuild"),
    Act("index compact"),
    Act("backup create", ("b.tar", "--stopped")),
    Act("backup restore", ("b.tar", "--replace", "--yes"), _backed_up),
    Act("upgrade", ("--no-backup",), _of_an_earlier_version),
    Act("page prune", ("--days", "1")),
    Act("page import", (), _captured),
)
READS = ("index stats", "index verify", "backup verify", "page show", "page snapshot", "page verify")

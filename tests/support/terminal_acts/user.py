"""``pindna user``, ``pindna token`` and ``pindna person``: accounts and what they lead to."""

import pyotp
from support.commands_that_act import Act

from analysis.accounts.managing import Manager
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.tokens import make_token
from storage.records import utc_now

_PASSWORD = "correct horse battery staple 9\n"  # noqa: S105 - of an account of the tests
_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"  # noqa: S105 - of a device of the tests


def _li(world):
    Manager(world.stores, "the tests").add("li", role="analyst")


def _disabled(world):
    _li(world)
    Manager(world.stores, "the tests").disable("li")


def _device(world):
    """Let the secret of the device be this one; what is typed is its code of now."""
    _li(world)
    world.patch.setattr("deploy.cli.user.user.new_secret", lambda: _SECRET)
    world.patch.setattr("deploy.cli.user.user.ask", lambda _: pyotp.TOTP(_SECRET).at(utc_now()))


def _enrolled(world):
    """Let a device be known, so that there is a secret to encrypt."""
    _li(world)
    keys = OneTimeKeys.of(world.settings, world.stores)
    Manager(world.stores, "the tests").enrol("li", _SECRET, pyotp.TOTP(_SECRET).at(utc_now()), keys)


def _token(world):
    _li(world)
    _, token = make_token(
        world.stores,
        world.settings.analysis.server,
        account="li",
        label="x",
        scopes=(),
        days=1,
        by="the tests",
    )
    return [token.id]


ACTS = (
    Act("user add", ("li", "--role", "analyst"), stdin=_PASSWORD),
    Act("user role", ("li", "--role", "operator"), _li),
    Act("user password", ("li",), _li, stdin=_PASSWORD),
    Act("user reset", ("li",), _li, stdin=_PASSWORD),
    Act("user totp", ("li",), _device, is_terminal=True),
    Act("user rotate-key", (), _enrolled),
    Act("user disable", ("li",), _li),
    Act("user enable", ("li",), _disabled),
    Act("user sign-out", ("li",), _li),
    Act("token add", ("li", "--label", "x"), _li),
    Act("token revoke", (), _token),
    Act("person erase", ("wu", "--yes")),
)
READS = ("user list", "user show", "token list", "person export")

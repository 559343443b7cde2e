"""Commands: accounts, tokens, and the stored data of a person."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

USER: Group = {
    "add": Command("user", N_("Make an account; asks for its password, or reads it from the input.")),
    "list": Command("user", N_("List the accounts."), "list_accounts"),
    "show": Command("user", N_("Show an account, where it is signed in, and its tokens.")),
    "role": Command("user", N_("Give an account another role.")),
    "password": Command("user", N_("Give an account another password, and end its sessions.")),
    "reset": Command("user", N_("Reset a lost password or device; ends sessions, revokes tokens.")),
    "totp": Command("user", N_("Require a one-time password when an account signs in.")),
    "rotate-key": Command(
        "user", N_("Encrypt the secrets of one-time passwords with a new key from now on.")
    ),
    "disable": Command("user", N_("Disable an account; ends its sessions and revokes its tokens.")),
    "enable": Command("user", N_("Enable a disabled account.")),
    "sign-out": Command("user", N_("End the sessions of an account.")),
}

TOKEN: Group = {
    "add": Command("token", N_("Make a token for an account; its secret is printed only once.")),
    "list": Command("token", N_("List the tokens of an account."), "list_tokens"),
    "revoke": Command("token", N_("Revoke a token.")),
}

PERSON: Group = {
    "export": Command("person", N_("Print the stored data of a person, one JSON object a line.")),
    "erase": Command(
        "person", N_("Replace a person's name by a pseudonym wherever it is stored."), "erase_person"
    ),
}

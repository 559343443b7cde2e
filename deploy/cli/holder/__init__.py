"""Commands: rights holders and licences."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

HOLDER: Group = {
    "add": Command("holder", N_("Add a rights holder.")),
    "set": Command("holder", N_("Change the data of a rights holder, and add documents."), "change"),
    "list": Command("holder", N_("List the rights holders."), "list_holders"),
    "show": Command("holder", N_("Show a holder and its documents.")),
    "remove": Command("holder", N_("Delete a rights holder and its documents; asks first.")),
}

LICENCE: Group = {
    "add": Command("licence", N_("Let a site publish a work; asks first if the site already has a licence.")),
    "list": Command("licence", N_("List the licences of one work, or of all."), "list_licences"),
    "remove": Command("licence", N_("Revoke a site's licences for a work; asks first.")),
}

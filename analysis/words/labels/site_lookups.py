"""Labels of look-ups of sites."""

from collections.abc import Mapping

from analysis.words.i18n import N_, NC_
from storage.records import LookupState, LookupStep, ProposalKind, ProposalSubject

LOOKUP_STEPS: Mapping[LookupStep, str] = {
    "pages": N_("Stored pages"),
    "names": N_("DNS records"),
    "domain": N_("Registration of the domain"),
    "network": N_("Registration of the IP address"),
}
LOOKUP_STATES: Mapping[LookupState, str] = {
    "answered": NC_("lookup", "answered"),
    "empty": NC_("lookup", "nothing found"),
    "off": NC_("lookup", "off"),
    "not-asked": NC_("lookup", "not asked"),
    "failed": NC_("lookup", "no answer"),
}
PROPOSAL_KINDS: Mapping[ProposalKind, str] = {
    "name": N_("Organisation"),
    "email": N_("Mail address"),
    "phone": N_("Telephone"),
    "form": N_("Page for complaints or contact"),
    "address": N_("Postal address"),
    "icp": N_("ICP filing number"),
    "police": N_("Public security filing number"),
    "qq": N_("QQ number"),
    "registrar": N_("Registrar"),
    "registered": N_("Registered on"),
    "ip": N_("IP address"),
    "network": N_("Network"),
    "country": N_("Country of the network"),
    "cdn": N_("Content delivery network (CDN)"),
    "alias": N_("Alias (CNAME)"),
    "name-server": N_("Name server"),
    "mail-server": N_("Mail server"),
}
PROPOSAL_SUBJECTS: Mapping[ProposalSubject, str] = {
    "site": N_("Operator of the site"),
    "host": N_("Hosting provider or CDN"),
    "registrar": N_("Registrar of the domain"),
}

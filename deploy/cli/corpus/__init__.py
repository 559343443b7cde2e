"""Commands: the protected works."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CORPUS: Group = {
    "add": Command("corpus_add", N_("Load works: texts, books, saved pages, archives, and folders of them.")),
    "edition": Command("editions", N_("Say that a work is an edition of another one, or is none.")),
    "role": Command("roles", N_("Say what works are here for: protected, earlier or background.")),
    "rename": Command("corpus_regroup", N_("Give a work another title.")),
    "merge": Command("corpus_regroup", N_("Make several works one, such as volumes that were added alone.")),
    "split": Command("corpus_regroup", N_("Make some passages of a work a work of their own.")),
    "remove": Command("corpus_remove", N_("Remove works with all that was found about them; asks first.")),
    "restore": Command("corpus_remove", N_("Bring removed works back with all that was found about them.")),
    "list": Command("corpus", N_("List the works."), "list_works"),
    "show": Command("corpus", N_("Show one work and its passages.")),
}

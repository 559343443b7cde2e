"""Commands: manage the protected works."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CORPUS: Group = {
    "add": Command("corpus_add", N_("Load works: texts, books, saved pages, archives, and folders of them.")),
    "edition": Command("editions", N_("Link a work as an edition of another work, or separate it.")),
    "role": Command("roles", N_("Set the role of works: protected, earlier or background.")),
    "rename": Command("corpus_regroup", N_("Give a work another title.")),
    "merge": Command("corpus_regroup", N_("Merge several works into one, such as volumes added separately.")),
    "split": Command("corpus_regroup", N_("Split passages of a work off into a new work.")),
    "remove": Command("corpus_remove", N_("Remove works with all their results; asks first.")),
    "restore": Command("corpus_remove", N_("Restore removed works with all their results.")),
    "undo": Command("corpus_remove", N_("Remove the new works of the last load, or of another one.")),
    "loads": Command("corpus_remove", N_("List the last loads and their works.")),
    "list": Command("corpus", N_("List the works."), "list_works"),
    "show": Command("corpus", N_("Show one work and its passages.")),
}

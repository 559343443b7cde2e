"""Commands: the protected works."""

from analysis.words.i18n import N_
from deploy.cli.commands import Command, Group

CORPUS: Group = {
    "add": Command(
        "corpus.corpus_add",
        "add",
        N_("Load works: texts, books, saved pages, archives, and folders of them."),
    ),
    "edition": Command(
        "corpus.editions", "edition", N_("Link a work as an edition of another work, or separate it.")
    ),
    "role": Command("corpus.roles", "role", N_("Set the role of works: protected, earlier or background.")),
    "rename": Command("corpus.corpus_regroup", "rename", N_("Give a work another title.")),
    "merge": Command(
        "corpus.corpus_regroup",
        "merge",
        N_("Merge several works into one, such as volumes added separately."),
    ),
    "split": Command("corpus.corpus_regroup", "split", N_("Split passages of a work off into a new work.")),
    "remove": Command(
        "corpus.corpus_remove", "remove", N_("Remove works with all their results; asks first.")
    ),
    "restore": Command(
        "corpus.corpus_remove", "restore", N_("Restore removed works with all their results.")
    ),
    "list": Command("corpus.corpus", "list_works", N_("List the works.")),
    "show": Command("corpus.corpus", "show", N_("Show one work and its passages.")),
}

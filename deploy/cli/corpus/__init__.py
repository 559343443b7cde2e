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
        "corpus.editions", "edition", N_("Say that a work is an edition of another one, or is none.")
    ),
    "role": Command(
        "corpus.roles", "role", N_("Say what works are here for: protected, earlier or background.")
    ),
    "rename": Command("corpus.corpus_regroup", "rename", N_("Give a work another title.")),
    "merge": Command(
        "corpus.corpus_regroup", "merge", N_("Make several works one, such as volumes that were added alone.")
    ),
    "split": Command(
        "corpus.corpus_regroup", "split", N_("Make some passages of a work a work of their own.")
    ),
    "remove": Command(
        "corpus.corpus_remove", "remove", N_("Remove works with all that was found about them; asks first.")
    ),
    "restore": Command(
        "corpus.corpus_remove", "restore", N_("Bring removed works back with all that was found about them.")
    ),
    "list": Command("corpus.corpus", "list_works", N_("List the works.")),
    "show": Command("corpus.corpus", "show", N_("Show one work and its passages.")),
}

"""The mother corpus for comparisons: the stored corpus, or the works of a folder in memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from analysis.words.i18n import gettext as _
from deploy.cli.console import busy, print_error
from deploy.cli.identity import user_session
from deploy.cli.reading_rules import reading_rules
from deploy.cli.scan.waiting import warn_of_missing_works
from storage.settings import load_settings
from system.errors import PindnaError
from system.local_files import readable
from tracker.comparison import Corpus
from tracker.corpus.folder import load_folder, read_folder
from tracker.indexing.params import params_of
from tracker.judgement.profiles import chosen_profiles
from tracker.scans.scanning import NothingToCompareWith


class NoneOfTheWorks(PindnaError):
    """A folder or an archive contains no usable text. Data: ``path``."""

    template = (
        "{path}: none of its works could be read, so there is nothing to compare with. "
        "The lines above say why."
    )


@contextmanager
def open_corpus(folder: Path | None, *, background: Path | None = None) -> Iterator[tuple[Corpus, int]]:
    """Open the stored mother corpus, or load a folder into memory.

    Args:
        folder: of the works; None: the stored ones.
        background: a folder of background texts to load with them.

    Raises:
        NothingToCompareWith: no stored work is indexed.
        NoneOfTheWorks: no work of the folder can be used.
        MissingFile, NotFolder, UnreadableFile, NoTexts: what is wrong with a folder.

    Returns:
        The corpus, and how much of it cannot be compared with: works that are not indexed; files, lines and
        dates that cannot be used. Each was printed.
    """
    if folder is None:
        with user_session() as (user, runtime):
            user.require("check:run")
            if not runtime.stores.works.count_owned("indexed"):
                raise NothingToCompareWith
            yield runtime.corpus(), warn_of_missing_works(runtime)
        return
    left_out: list[PindnaError] = []
    settings = load_settings().tracker
    with busy(_("Loading the works of {folder}").format(folder=readable(folder))):
        rules, params = reading_rules(settings), params_of(settings)
        works = list(read_folder(folder, rules=rules))
        background_works = [] if background is None else read_folder(background, rules=rules)
        corpus = load_folder(works, background=background_works, report=left_out.append, params=params)
        corpus = replace(corpus, profiles=chosen_profiles(settings))
    for error in left_out:
        print_error(error)
    if all(isinstance(work, PindnaError) for work in works):
        raise NoneOfTheWorks(path=readable(folder))
    yield corpus, len(left_out)

"""Works loaded into the real stores: short ways to load, index and compare."""

from types import SimpleNamespace

from support.strategies import story

from system.errors import PindnaError
from tracker.comparison import ComparedText, Corpus, compare
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.indexing.adding import index_works
from tracker.indexing.guard import IndexGuard
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader

NOBODY = Terms()
CHAPTERS = tuple(
    ChapterSection(f"第{number}章", f"第{number}章\n" + story(300, number)) for number in range(1, 6)
)


def store_work(raw, stores, index, *, terms):
    """Store a work; returns what happened, and the work as it is stored now."""
    (stored,) = store_works([raw], stores, index, terms=terms)
    if isinstance(stored, PindnaError):
        raise stored
    return stored


def raw(*sections, title="青灯渡", **fields):
    return RawWork(
        **{
            "title": title,
            "kind": "novel",
            "origin": f"{title}.txt",
            "sections": sections or CHAPTERS,
            **fields,
        }
    )


def stored_corpus(stores, redis_client):
    """Stores, a live index, and short ways to load and index."""
    index = IndexGuard(stores, redis_client).index()

    def load(work, terms=NOBODY):
        return store_work(work, stores, index, terms=terms)

    def index_all():
        for work in stores.works.all():
            if work.status == "stored":
                index_works([work], stores, index)

    def check(text, site=""):
        return compare(ComparedText(text), Corpus(passage_reader(stores), index, DEFAULT_PARAMS), site=site)

    return SimpleNamespace(stores=stores, index=index, load=load, index_all=index_all, check=check)

"""Works added, described, licensed, removed by people: permission, scope, audit; what pages show of them."""

import json
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from unittest.mock import Mock

import pytest
from support.compared import compare_page
from support.loading import raw
from support.strategies import story

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions import loading, loads, regrouping, works
from analysis.actions.licences import grant_licence, revoke_licence
from analysis.queries.events import list_audit
from analysis.queries.loads import NoLoad, UnlistedWorks, list_loads, works_called
from analysis.queries.statistics import figures_of, reviewed_of
from analysis.queries.work_page import editions_of, map_of, open_cases, passage_at
from analysis.queries.works import get_work, list_works
from storage.records import Account, Page, SiteLicence, claim
from system.errors import UnknownId, UnknownRecord
from tracker.comparison import Corpus
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.layout import NumberedWorks
from tracker.corpus.loading import Terms
from tracker.corpus.numbers import parse_numbers
from tracker.corpus.regrouping import TitleTaken
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.judgement.profiles import PROFILES
from tracker.review.evaluation import evaluate_matches
from tracker.runtime import Runtime, passage_reader

pytestmark = pytest.mark.services
ANA = identity_of(Account(name="ana", role="analyst"))
ROOT = identity_of(Account(name="root", role="administrator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=("某社",)))
READER = replace(ANA, permissions=ANA.permissions - {"works:write"})
TEXT, OTHER = story(900, 1), story(900, 2)


class Sent:
    """A queue that keeps what is sent."""

    def __init__(self):
        self.messages = []

    def send(self, task, *arguments):
        self.messages.append((task, *arguments))

    def send_again(self, task):
        self.messages.append((task,))


@pytest.fixture
def desk(stores, guard, save_work, settings, redis_client):
    """An installation with two works, the first one of a holder."""
    saved = [save_work(1, {1: TEXT}), save_work(2, {2: OTHER})]
    assert index_works(saved, stores, guard.index())
    for counter in ("works", "passages"):
        stores.works.new_ids(counter, 2)  # those of the two
    stores.works.describe(saved[0], replace(saved[0], holder="某社"))
    return Runtime(settings, stores, redis_client, guard, queue=Sent())


def test_undoing_a_load_removes_its_new_works_only(desk):
    first = [raw(ChapterSection("", story(60, 20 + number)), title=f"书{number}") for number in range(3)]
    load = loading.new_load()
    for part in (first[:2], first[2:]):  # two batches of one load
        loading.add_works(ANA, desk, part, Terms(), load=load)
    again = [*first[:1], raw(ChapterSection("", story(60, 40)), title="书4")]
    loading.add_works(ANA, desk, again, Terms())
    last, before = list_loads(ANA, desk.stores)
    assert [[work.title for work in each.works] for each in (last, before)] == [
        ["书4"],
        ["书0", "书1", "书2"],
    ]
    assert [work.title for work in works_called(ANA, desk.stores, f"load:{load}")] == ["书0", "书1", "书2"]
    assert list_loads(HOLDER, desk.stores) == []  # these works have no holder
    assert [work.title for work in loads.undo_load(ANA, desk)] == ["书4"]
    assert {work.title for work in loads.undo_load(ANA, desk, load)} == {"书0", "书1", "书2"}
    with pytest.raises(NoLoad):
        loads.undo_load(ANA, desk)
    with pytest.raises(NotPermitted):
        loads.undo_load(READER, desk)
    restored = works.removed_works_called(ANA, desk, f"id:{last.works[0].id}-{last.works[0].id}")
    assert [work.title for work in restored] == ["书4"]


def book(*numbers, title="连载", origin=""):
    sections = [ChapterSection(f"第{number}章", f"第{number}章\n" + story(300, number)) for number in numbers]
    return raw(*sections, title=title, origin=origin or f"{title}.txt")


def test_undo_keeps_works_that_contain_texts_of_other_loads(desk):
    whole = loading.add_works(ANA, desk, [book(51), book(52, title="别书")], Terms())
    first = list_loads(ANA, desk.stores)[0].id
    loading.add_works(ANA, desk, [book(51, 53)], Terms())  # a later chapter
    last, before = list_loads(ANA, desk.stores)
    assert (last.works, [work.title for work in last.changed]) == ((), ["连载"])
    assert [[work.title for work in group] for group in (before.works, before.kept)] == [["别书"], ["连载"]]
    with pytest.raises(loads.NothingToUndo, match="连载"):
        loads.undo_load(ANA, desk)  # the last load, not the one before
    assert [work.title for work in loads.undo_load(ANA, desk, first)] == ["别书"]
    kept = desk.stores.works.get_many([whole[0][1].id])[whole[0][1].id]
    assert len(kept.passage_ids) == 2


def test_undo_keeps_merged_works_of_two_loads(desk):
    one, other = (
        loading.add_works(ANA, desk, [book(number, title=title)], Terms())[0][1]
        for number, title in ((54, "上册"), (55, "下册"))
    )
    regrouping.merge(ANA, desk, [one.id, other.id], title="全书")
    (load,) = list_loads(ANA, desk.stores)
    assert (load.works, [work.title for work in load.kept]) == ((), ["全书"])
    with pytest.raises(loads.NothingToUndo):
        loads.undo_load(ANA, desk, load.id)


def test_undo_of_the_last_load_names_works_of_an_interrupted_load(desk, monkeypatch):
    loading.add_works(ANA, desk, [book(56, title="旧书")], Terms())
    with monkeypatch.context() as killed:
        killed.setattr(loading, "record_action", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            loading.add_works(ANA, desk, [book(57, title="新书")], Terms())
    with pytest.raises(UnlistedWorks, match="新书"):
        loads.undo_load(ANA, desk)
    (load,) = list_loads(ANA, desk.stores)
    assert [work.title for work in loads.undo_load(ANA, desk, load.id)] == ["旧书"]


def test_undo_removes_every_work_of_a_load_with_many_rows(desk, monkeypatch):
    monkeypatch.setattr("analysis.queries.loads._MOST_EVENTS", 2)
    load = loading.new_load()
    for number in range(3):
        loading.add_works(ANA, desk, [book(60 + number, title=f"书{number}")], Terms(), load=load)
    assert [work.title for work in loads.undo_load(ANA, desk)] == ["书0", "书1", "书2"]


def acts_of(desk):
    """Return what the audit log tells, the oldest first: who, which act, to what."""
    events = list_audit(ROOT, desk.stores).items
    return [(event.by, event.detail.get("act", event.kind), event.subject) for event in reversed(events)]


def test_works_added_together_are_a_single_row_of_the_audit_log(desk):
    raws = [raw(ChapterSection("", story(60, 20 + number)), title=f"书{number}") for number in range(30)]
    terms = Terms("某社", ("site.cn",))
    stored = loading.add_works(ANA, desk, raws, terms)
    assert {outcome for outcome, _ in stored} == {"new"}
    ids = [work.id for _, work in stored]
    (row,) = list_audit(ROOT, desk.stores).items
    assert (row.by, row.subject, row.kind) == ("ana", "works 30", "work-added")
    after = json.loads(row.detail["after"])
    assert (after["new"], after["first"], after["last"]) == (30, ids[0], ids[-1])
    assert (after["holder"], after["sites"]) == ("某社", ["site.cn"])
    assert desk.queue.messages[0][0] == "index_works"
    with pytest.raises(NotPermitted):
        loading.add_works(READER, desk, raws, terms)
    assert loading.add_works(ANA, desk, [], terms) == []
    loading.add_works(ANA, desk, raws[:2], Terms())
    assert len(list_audit(ROOT, desk.stores).items) == 1, "nothing changed"
    loading.add_works(ANA, desk, raws[:2], terms)
    assert len(list_audit(ROOT, desk.stores).items) == 2, "terms may change works whose text did not"


def test_audit_row_of_a_single_work_says_whom_it_is_licensed_to(desk):
    loading.add_works(
        ANA, desk, [raw(ChapterSection("", story(60, 1)), title="书")], Terms("某社", ("site.cn",))
    )
    (row,) = list_audit(ROOT, desk.stores).items
    after = json.loads(row.detail["after"])
    assert (after["title"], after["holder"], after["licensed"]) == ("书", "某社", "site.cn")


def test_files_become_works_once_and_unusable_files_are_reported(desk, tmp_path):
    novel = tmp_path / "新书.txt"
    novel.write_text(f"第一章 起\n{story(600, 7)}\n第二章 承\n{story(600, 8)}", "utf-8")
    (added,) = loading.add_file(ANA, desk, novel, holder="某社")
    assert (added.outcome, added.work.title, added.work.holder) == ("new", "新书", "某社")
    assert len(added.work.passage_ids) == 2
    assert added.work.origin == "新书.txt", "nothing tells where the server kept it"
    assert desk.queue.messages[0][0] == "index_works"
    (again,) = loading.add_file(ANA, desk, novel)
    assert (again.outcome, again.work.id, again.work.holder) == ("unchanged", added.work.id, "某社")
    packed = tmp_path / "many.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("春.txt", story(500, 9))
        archive.writestr("空.txt", "")
        archive.writestr("程序.exe", b"MZ\0\0")
    results = loading.add_file(ANA, desk, packed)
    assert sorted((own.outcome, own.work and own.work.title) for own in results if own.work) == [
        ("new", "春")
    ]
    told = " ".join(str(own.problem) for own in results if own.problem)
    assert "空.txt" in told
    assert str(tmp_path) not in told
    assert acts_of(desk) == [
        ("ana", "add-work", f"work {added.work.id}"),
        ("ana", "add-work", f"work {next(own.work.id for own in results if own.work)}"),
    ]


def test_uploaded_chapters_are_joined_as_at_the_terminal(desk, tmp_path):
    chapters, stories = tmp_path / "泪珠缘.zip", tmp_path / "集.zip"
    with zipfile.ZipFile(chapters, "w") as archive:
        for number in range(1, 5):
            archive.writestr(f"{number:03} 第{number}回.txt", story(100, 30 + number))
    with zipfile.ZipFile(stories, "w") as archive:
        for number in range(1, 5):
            archive.writestr(f"{number:02} 夜{number}.txt", story(100, 40 + number))
    (joined,) = loading.add_file(ANA, desk, chapters)
    assert (joined.work.title, len(joined.work.passage_ids), joined.files) == ("泪珠缘", 4, 4)
    *works_of_stories, remark = loading.add_file(ANA, desk, stories)
    assert [(own.outcome, own.files) for own in works_of_stories] == [("new", 1)] * 4
    assert (remark.outcome, type(remark.problem)) == ("remark", NumberedWorks)
    assert {own.outcome for own in loading.add_file(ANA, desk, stories, separate=True)} == {"unchanged"}
    assert [len(load.works) for load in list_loads(ANA, desk.stores)] == [4, 1]


def test_existing_text_needs_an_answer_and_is_stored_accordingly(desk, tmp_path):
    copy = tmp_path / "别名.txt"
    copy.write_text(TEXT + story(100, 77), "utf-8")  # a new chapter
    (alike,) = loading.add_file(ANA, desk, copy)
    assert (alike.outcome, alike.work.id, alike.alike.share > 0.6) == ("alike", 1, True)
    assert "edition of that work" in str(alike.problem)
    assert desk.stores.works.by_title("别名") == []
    assert loading.add_file(ANA, desk, copy, role="background")[0].outcome == "new", "it is nobody's"
    other = tmp_path / "又名.txt"
    other.write_text(TEXT, "utf-8")
    (edition,) = loading.add_file(ANA, desk, other, answer=loading.Answer(edition_of=1))
    assert (edition.outcome, edition.work.title) == ("new", "又名")
    assert get_work(ANA, desk.stores, edition.work.id).edition_of == 1
    third = tmp_path / "三名.txt"
    third.write_text(TEXT, "utf-8")
    (apart,) = loading.add_file(ANA, desk, third, answer=loading.Answer())
    assert get_work(ANA, desk.stores, apart.work.id).edition_of is None
    (known,) = loading.add_file(ANA, desk, third)
    assert known.outcome == "unchanged", "one that has its title is no question"


def test_similar_work_that_is_not_indexed_yet_needs_an_answer_too(desk, tmp_path):
    pack = tmp_path / "two.zip"
    for name in ("甲.txt", "乙.txt"):
        with zipfile.ZipFile(pack, "w") as archive:
            archive.writestr(name, story(700, 55))
        (result,) = loading.add_file(ANA, desk, pack)
        assert result.outcome == ("new" if name == "甲.txt" else "alike")
    chosen = loading.Answer(keys=frozenset({result.alike.work.key}))
    assert [own.outcome for own in loading.add_file(ANA, desk, pack, answer=chosen)] == ["new"]
    assert loading.add_file(ANA, desk, pack, answer=loading.Answer(keys=frozenset({"?"}))) == ()


def test_answer_for_a_whole_archive_links_only_similar_works(desk, tmp_path, monkeypatch):
    pack = tmp_path / "new.zip"
    with zipfile.ZipFile(pack, "w") as archive:
        for name, text in {"甲": TEXT, "乙": OTHER, "丙": story(500, 91), "空": ""}.items():
            archive.writestr(f"{name}.txt", text)
    grant_licence(ANA, desk, 1, SiteLicence(site="reader.example"), replace=False)
    dispatch = loading.dispatch_works
    monkeypatch.setattr(loading, "dispatch_works", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        loading.add_file(ANA, desk, pack, answer=loading.Answer(edition_of=1, keys=frozenset({"甲"})))
    monkeypatch.setattr(loading, "dispatch_works", dispatch)
    results = loading.add_file(ANA, desk, pack, answer=loading.Answer(edition_of=1))
    assert {own.work.title: own.outcome for own in results if own.work and not own.alike} == {
        "甲": "unchanged",
        "丙": "new",
    }
    works = {own.title: own for own in list_works(ANA, desk.stores).items}
    assert {title: works[title].edition_of for title in ("甲", "丙")} == {"甲": 1, "丙": None}
    assert works["甲"].licences == get_work(ANA, desk.stores, 1).licences != ()
    (question,) = [own.alike for own in results if own.outcome == "alike"]
    assert (question.work.title, question.other.id) == ("乙", 2)
    own = loading.Answer(edition_of=2, keys=frozenset({question.work.key}))
    (linked,) = loading.add_file(ANA, desk, pack, answer=own)
    assert linked.work.edition_of == 2, "nothing is told of what was refused before"


def test_every_merge_and_split_of_works_is_a_row_of_the_audit_log(desk, tmp_path):
    novel = tmp_path / "新书.txt"
    novel.write_text("".join(f"第{n}章\n{story(300, 60 + n)}\n" for n in range(1, 4)), "utf-8")
    (added,) = loading.add_file(ANA, desk, novel)
    key = added.work.id
    with pytest.raises(regrouping.SameWork):
        regrouping.pair_of(ANA, desk, key, "新书")
    pair = regrouping.pair_of(ANA, desk, key, "id:2")
    assert len(regrouping.merge(ANA, desk, (key, pair.other.id), title="全书").passage_ids) == 4
    with pytest.raises(UnknownId):
        get_work(ANA, desk.stores, 2)
    with pytest.raises(works.EmptyTitle):
        regrouping.split(ANA, desk, key, title=" ", numbers=[1])
    new = regrouping.split(ANA, desk, key, title="后传", numbers=parse_numbers("3-4"))
    assert [len(get_work(ANA, desk.stores, number).passage_ids) for number in (key, new.id)] == [2, 2]
    assert regrouping.set_edition(ANA, desk, new.id, of=1).edition_of == 1
    assert [own.id for own in editions_of(ANA, desk.stores, get_work(ANA, desk.stores, 1))] == [new.id]
    assert regrouping.set_edition(ANA, desk, new.id, of=None).edition_of is None
    assert acts_of(desk)[1:] == [
        ("ana", "merge-works", f"work {key}"),
        ("ana", "merge-works", "work 2"),
        ("ana", "split-work", f"work {key}"),
        ("ana", "split-work", f"work {new.id}"),
        ("ana", "set-edition", f"work {new.id}"),
        ("ana", "set-edition", f"work {new.id}"),
    ]


def test_work_gets_a_description_a_role_and_a_licence(desk):
    after = works.describe_work(ANA, desk, 1, title=" 新名 ", author="某人", holder="某社")
    assert (after.title, after.author, after.holder) == ("新名", "某人", "某社")
    dated = works.describe_work(ANA, desk, 1, published=date(2021, 3, 9))
    assert (str(dated.published), dated.author) == ("2021-03-09 +08:00", "某人")
    exact = replace(dated, published=claim(datetime(2021, 3, 9, 8, 15), "minute"))  # noqa: DTZ001
    desk.stores.works.describe(dated, exact)
    assert works.describe_work(ANA, desk, 1, published=date(2021, 3, 9)).published == exact.published
    assert works.describe_work(ANA, desk, 1, published="").published is None
    with pytest.raises(works.EmptyTitle):
        works.describe_work(ANA, desk, 1, title=" ", author="", holder="")
    with pytest.raises(TitleTaken):
        works.describe_work(ANA, desk, 2, title="新名", author="", holder="")
    assert works.change_role(ANA, desk, 2, "background").role == "background"
    with pytest.raises(works.HolderOfBackground):
        works.describe_work(ANA, desk, 2, title="某书", author="", holder="某社")
    until = datetime(2020, 1, 1, tzinfo=UTC)
    grant_licence(ANA, desk, 1, SiteLicence(site="a.cn", until=until), replace=False)
    assert revoke_licence(ANA, desk, 1, "a.cn").permissions == ()
    with pytest.raises(UnknownRecord):
        revoke_licence(ANA, desk, 1, "a.cn")
    assert [act for _by, act, _subject in acts_of(desk)] == [
        "describe-work",
        "describe-work",
        "describe-work",
        "change-role",
        "grant-licence",
        "revoke-licence",
    ]


def test_description_and_role_of_a_work_change_together_or_not_at_all(desk):
    title = get_work(ANA, desk.stores, 2).title
    gone = works.describe_work(ANA, desk, 1, role="background")
    assert (gone.holder, gone.role) == (None, "background")
    with pytest.raises(works.EmptyTitle):
        works.describe_work(ANA, desk, 1, title=" ", role="protected")
    with pytest.raises(works.HolderOfBackground):
        works.describe_work(ANA, desk, 2, holder="某社", role="background")
    roles = [get_work(ANA, desk.stores, number).role for number in (1, 2)]
    assert roles == ["background", "protected"]
    owned = works.describe_work(ANA, desk, 1, holder="某社", role="protected")
    assert (owned.holder, owned.role) == ("某社", "protected")
    assert works.describe_work(ANA, desk, 2, author="某人").title == title


def test_work_goes_after_a_summary_and_comes_back(desk):
    losses, remains = works.losses_of(ANA, desk, 1)
    assert (losses.passages, losses.matches, remains) == (1, 0, None)
    assert works.remove(ANA, desk, 1).status == "removed"
    with pytest.raises(UnknownId):
        works.remove(ANA, desk, 1)
    assert [work.id for work in list_works(ANA, desk.stores).items] == [2]
    assert works.restore(ANA, desk, 1).status == "stored"
    assert desk.queue.messages[-1][0] == "index_works"
    assert [act for _by, act, _subject in acts_of(desk)] == ["remove-work", "restore-work"]


@pytest.mark.parametrize("identity", [HOLDER, READER], ids=["holder", "reader"])
def test_changes_to_works_need_the_permission(desk, identity, tmp_path):
    path = tmp_path / "新书.txt"
    path.write_text(TEXT, "utf-8")
    for act in (
        lambda: loading.add_file(identity, desk, path),
        lambda: works.describe_work(identity, desk, 1, title="别名", author="", holder=""),
        lambda: works.change_role(identity, desk, 1, "background"),
        lambda: revoke_licence(identity, desk, 1, "a.cn"),
        lambda: works.losses_of(identity, desk, 1),
        lambda: works.remove(identity, desk, 1),
        lambda: works.restore(identity, desk, 1),
        lambda: regrouping.pair_of(identity, desk, 1, "id:2"),
        lambda: regrouping.merge(identity, desk, [1, 2]),
        lambda: regrouping.split(identity, desk, 1, title="别名", numbers=[1]),
        lambda: regrouping.set_edition(identity, desk, 1, of=2),
    ):
        with pytest.raises(NotPermitted):
            act()
    assert acts_of(desk) == []


def test_holder_gets_maps_and_figures_of_visible_works_only(desk, taken):
    stores = desk.stores
    for name, text, site in (("a", TEXT, "a.cn"), ("b", OTHER, "a.cn"), ("c", TEXT, "b.cn")):
        page = Page(id=name, url=f"http://{site}/{name}", host=site, source="x", kind="article", text=text)
        stores.pages.see_many([page])
        corpus = Corpus(
            passage_reader(stores), desk.guard.index(), DEFAULT_PARAMS, decisions=stores.decisions
        )
        assert compare_page(stores.pages.get(name), stores, corpus, token=taken(name), lease_s=60)
        refresh_cases(stores, {(match.work_id, site) for match in stores.matches.of_page(name)})
    mapped = map_of(HOLDER, stores, 1)
    assert mapped.map.sites == ("a.cn", "b.cn")
    assert (mapped.matches, mapped.is_cut) == (2, False)
    assert open_cases(HOLDER, stores, (get_work(HOLDER, stores, 1),)) == {1: 2}
    assert passage_at(HOLDER, stores, 1, 1).text == TEXT
    assert passage_at(HOLDER, stores, 1, 2) is None
    assert editions_of(HOLDER, stores, get_work(HOLDER, stores, 1)) == []
    for ask in (map_of, lambda *asked: passage_at(*asked, 1)):
        with pytest.raises(UnknownId):
            ask(HOLDER, stores, 2)
    every, own = figures_of(ANA, stores), figures_of(HOLDER, stores)
    assert (every.matches, every.cases, own.matches, own.cases) == (3, 3, 2, 2)
    assert [site.site for site in every.offenders] == ["a.cn"], "of two works"
    assert own.offenders == ()
    assert [(group.pages, group.sites, group.texts) for group in own.groups] == [(2, 2, 1)]
    assert [sum(profile.bins) for profile in own.distributions] == [2]
    assert sum(step.found for step in own.timeline.steps) == 2


def test_simulator_receives_the_same_data_as_the_command(desk, taken):
    stores = desk.stores
    for name, text in (("a", TEXT), ("b", OTHER)):
        page = Page(id=name, url=f"http://a.cn/{name}", host="a.cn", source="x", kind="article", text=text)
        stores.pages.see_many([page])
        corpus = Corpus(
            passage_reader(stores), desk.guard.index(), DEFAULT_PARAMS, decisions=stores.decisions
        )
        assert compare_page(stores.pages.get(name), stores, corpus, token=taken(name), lease_s=60)
    for name, state in (("a", "confirmed"), ("b", "dismissed")):
        (match,) = stores.matches.of_page(name)
        stores.matches.settle(replace(match, review=state))
    reviewed = reviewed_of(ANA, stores)
    tried = {kind: profile.with_thresholds({"copy_coverage": 1}) for kind, profile in PROFILES.items()}
    command = [*stores.matches.reviewed()], stores.works.get_many([1, 2])
    ours = evaluate_matches(reviewed.matches, reviewed.works, PROFILES, tried)
    assert ours == evaluate_matches(*command, PROFILES, tried)
    assert len(ours.items) == 2
    assert not reviewed.is_cut
    assert [match.work_id for match in reviewed_of(HOLDER, stores).matches] == [1]


def test_two_new_works_of_the_same_file_are_compared(desk, tmp_path):
    one, other = story(3000, 81), story(3000, 82)
    pack = tmp_path / "pack.zip"
    with zipfile.ZipFile(pack, "w") as archive:
        archive.writestr("甲.txt", one)
        archive.writestr("乙.txt", other)
        archive.writestr("丙.txt", f"{story(600, 83)}\n{one[200:]}\n")
        archive.writestr("丁.txt", one)
    results = loading.add_file(ANA, desk, pack)
    new = {own.work.title for own in results if own.outcome == "new"}
    assert ("乙" in new, len(new)) == (True, 2)
    asked = [own for own in results if own.outcome == "alike"]
    (kept,) = {own.work.id for own in asked}
    assert {own.alike.work.title for own in asked} | new == {"甲", "乙", "丙", "丁"}
    assert all(own.alike.share > 0.6 and own.alike.other.id == kept for own in asked)
    again = loading.add_file(ANA, desk, pack, answer=loading.Answer())
    assert sorted(own.outcome for own in again) == ["new", "new", "unchanged", "unchanged"]

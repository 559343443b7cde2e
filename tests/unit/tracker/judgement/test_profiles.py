"""Profiles of the settings, and what other thresholds would have said."""

import dataclasses

import pytest
from pypinyin import lazy_pinyin
from support.matches import match_with

from deploy.demo.samples import load_samples
from storage.records import Work
from storage.settings import TrackerSettings
from system.errors import BadSettings
from tracker.corpus.folder import load_folder, read_folder
from tracker.judgement.profiles import (
    EARLIER,
    PROFILES,
    BadThreshold,
    UnknownProfile,
    all_profiles,
    chosen_profiles,
    profile_called,
    thresholds,
    with_profiles,
)
from tracker.review.evaluation import (
    BadLabel,
    NoLabels,
    NothingReviewed,
    evaluate_folder,
    evaluate_matches,
    labelled_texts,
)

CHAPTER = load_samples()["青灯渡:1"].text
STRANGER = load_samples()["竹坞旧事:1"].text


def test_built_in_profiles_are_used_unless_settings_say_otherwise():
    assert chosen_profiles(TrackerSettings()) == PROFILES
    assert set(all_profiles(TrackerSettings())) == {"news", "novel"}


def test_custom_profile_is_based_on_another_profile():
    settings = TrackerSettings(
        profiles={
            "strict": {"base": "news", "version": 3, "copy_coverage": 0.3, "quote_chars": 20},
            "stricter": {"base": "strict", "copy_coverage": 0.2},
        },
        news_profile="stricter",
    )
    strict = profile_called("strict", settings)
    assert (strict.id, strict.copy_coverage, strict.quote_chars) == ("strict@3", 0.3, 20)
    assert strict.partial_chars == PROFILES["news"].partial_chars
    assert profile_called("strict@3", settings) == strict
    chosen = chosen_profiles(settings)
    assert (chosen["news"].id, chosen["news"].quote_chars, chosen["novel"].id) == (
        "stricter@1",
        20,
        "novel@6",
    )


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"profiles": {"news": {"copy_coverage": 0.1}}}, "tracker.profiles.news"),
        ({"profiles": {"a": {"base": "b"}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"copy_coverag": 0.1}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"copy_coverage": 1.1}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"quote_chars": -1}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"quote_chars": 1.5}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"quote_chars": "many"}}}, "tracker.profiles.a"),
        ({"profiles": {"a": {"version": 0}}}, "tracker.profiles.a"),
        ({"news_profile": "none"}, "tracker.news_profile"),
    ],
)
def test_wrong_profiles_are_reported_with_their_key(settings, where):
    with pytest.raises(BadSettings) as caught:
        chosen_profiles(TrackerSettings(**settings))
    assert caught.value.data["where"] == where


def test_earlier_versions_stay_where_matches_name_them():
    earlier = profile_called("novel@2", TrackerSettings())
    assert (earlier.id, earlier.partial_chars, profile_called("news@1", TrackerSettings()).version) == (
        "novel@2",
        300,
        1,
    )
    settings = TrackerSettings(
        profiles={"mild": {"base": "novel@2", "copy_coverage": 0.9}},
        news_profile="news@2",
        novel_profile="mild",
    )
    chosen = chosen_profiles(settings)
    assert (chosen["news"], chosen["novel"].partial_chars) == (EARLIER["news@2"], 300)


@pytest.mark.parametrize("name", ["none", "novel@9", "novel@", ""])
def test_unknown_profile_is_reported(name):
    with pytest.raises(UnknownProfile):
        profile_called(name, TrackerSettings())


def test_thresholds_have_types_and_ranges():
    assert thresholds()["copy_coverage"] is float
    assert thresholds()["copy_chars"] is int
    changed = PROFILES["novel"].with_thresholds({"copy_coverage": "0.7", "copy_chars": "99"})
    assert (changed.copy_coverage, changed.copy_chars) == (0.7, 99)
    for name, value in (("name", "x"), ("copy_chars", "nan"), ("copy_chars", "inf"), ("copy_coverage", True)):
        with pytest.raises(BadThreshold):
            PROFILES["novel"].with_thresholds({name: value})


def match_of(name, *, copied, page, review):
    share = copied / page if page else 0
    return match_with(
        id=name,
        page_id=name,
        coverage=share,
        passage_coverage=0.1,
        copied_chars=copied,
        longest_span=copied,
        page_chars=page,
        taken_chars=copied,
        review=review,
    )


def try_thresholds(**changes):
    return {kind: profile.with_thresholds(changes) for kind, profile in PROFILES.items()}


def test_reviewed_matches_are_judged_again_from_their_extents():
    matches = [
        match_of("a", copied=700, page=1000, review="confirmed"),
        match_of("b", copied=620, page=1000, review="dismissed"),
        match_of("c", copied=60, page=1000, review="confirmed"),
        match_of("d", copied=90, page=5000, review="dismissed"),
        match_of("old", copied=0, page=0, review="confirmed"),
    ]
    found = evaluate_matches(
        matches,
        {},
        PROFILES,
        try_thresholds(copy_coverage=0.65, partial_chars=650, partial_coverage=0.65),
    )
    assert found.left_out == 1
    assert (found.before.precision, found.before.recall) == (0.5, 0.5)
    assert (found.after.precision, found.after.recall) == (1.0, 0.5)
    assert [(each.name, each.expected, each.before, each.after) for each in found.changed] == [
        ("b", False, "copy", "quote")
    ]


@pytest.mark.parametrize(
    ("background", "threshold", "verdicts"),
    [
        pytest.param(
            {"page_background": 700}, "copy_coverage", ("copy", "partial"), id="two thirds of the page"
        ),
        pytest.param(
            {"passage_background": 1750}, "copy_passage_coverage", ("copy", "partial"), id="passage"
        ),
        pytest.param({}, "copy_coverage", ("partial", "partial"), id="none, or a match of an older version"),
    ],
)
def test_background_text_is_not_counted_in_a_reviewed_match(background, threshold, verdicts):
    """200 copied characters of a page of 1,000 and of a passage of 2,000."""
    match = dataclasses.replace(match_of("m", copied=200, page=1000, review="confirmed"), **background)
    (item,) = evaluate_matches([match], {}, PROFILES, try_thresholds(**{threshold: 0.9})).items
    assert (item.before, item.after) == verdicts


def test_page_that_says_it_twice_is_judged_by_all_that_is_copied_of_it():
    """The match counts the work's 40 characters once; the page is all copy."""
    twice = dataclasses.replace(match_of("twice", copied=40, page=80, review="confirmed"), coverage=1.0)
    (item,) = evaluate_matches([twice], {}, PROFILES, try_thresholds(copy_coverage=0.4)).items
    assert (item.before, item.after) == ("copy", "copy")


@pytest.mark.parametrize(("part", "verdict"), [("article", "copy"), ("rest", "quote")])
def test_so_little_outside_an_article_is_a_quotation_by_any_thresholds(part, verdict):
    match = dataclasses.replace(match_of("m", copied=140, page=150, review="confirmed"), part=part)
    (item,) = evaluate_matches([match], {}, PROFILES, try_thresholds(copy_chars=100)).items
    assert (item.before, item.after) == (verdict, verdict)


def test_missed_copies_and_false_alarms_are_named():
    matches = [
        match_of("a", copied=700, page=1000, review="confirmed"),
        match_of("b", copied=620, page=1000, review="dismissed"),
        dataclasses.replace(match_of("c", copied=60, page=1000, review="confirmed"), number=12),
        match_of("d", copied=90, page=5000, review="dismissed"),
    ]
    found = evaluate_matches(matches, {}, PROFILES, PROFILES)
    assert [(item.name, item.after) for item in found.mistakes] == [("m12", "quote"), ("b", "copy")]


def test_evaluation_without_reviewed_matches_is_reported():
    with pytest.raises(NothingReviewed):
        evaluate_matches([], {}, PROFILES, PROFILES)


@pytest.fixture
def folder(tmp_path):
    for verdict, text in (("copy", CHAPTER), ("clear", STRANGER), ("quote", STRANGER + CHAPTER[:100])):
        (tmp_path / verdict).mkdir()
        (tmp_path / verdict / "one.txt").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def corpus(tmp_path_factory):
    works = tmp_path_factory.mktemp("works")
    (works / "青灯渡.txt").write_text(CHAPTER, encoding="utf-8")
    return load_folder(read_folder(works), report=pytest.fail)


def test_labelled_texts_are_compared_under_both(folder, corpus):
    found = evaluate_folder(folder, corpus, PROFILES, try_thresholds(partial_chars=80))
    assert (found.before.precision, found.before.recall) == (1.0, 1.0)
    assert (found.after.precision, found.after.recall) == (0.5, 1.0)
    (changed,) = found.changed
    assert (changed.expected, changed.before, changed.after) == (False, "quote", "partial")
    assert changed.name.endswith("quote/one.txt")


def test_labelled_text_may_be_wholly_in_pinyin(tmp_path, corpus):
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "one.txt").write_text(" ".join(lazy_pinyin(CHAPTER)), encoding="utf-8")
    assert evaluate_folder(tmp_path, corpus, PROFILES, PROFILES).before.recall == 1.0


def test_earlier_and_current_version_are_compared(folder, tmp_path_factory):
    """Three quarters of a news flash were a quotation in version 2."""
    works = tmp_path_factory.mktemp("works")
    for name, text in (("青灯渡", CHAPTER), ("快讯", CHAPTER[500:620])):
        (works / f"{name}.txt").write_text(text, encoding="utf-8")
    corpus = load_folder(read_folder(works), report=pytest.fail)
    (folder / "partial").mkdir()
    (folder / "partial" / "one.txt").write_text(STRANGER + CHAPTER[510:600], encoding="utf-8")
    before = with_profiles(PROFILES, ["novel@2", "news@2"], TrackerSettings())
    found = evaluate_folder(folder, corpus, before, PROFILES)
    assert found.changes == [("quote", "partial", 1)]
    assert (found.before.recall, found.after.recall, found.after.precision) == (0.5, 1.0, 1.0)


def test_built_in_profile_is_for_its_kind_and_a_custom_profile_for_all():
    settings = TrackerSettings(profiles={"strict": {"base": "novel"}})
    earlier = with_profiles(PROFILES, ["novel@2"], settings)
    assert {kind: profile.id for kind, profile in earlier.items()} == {"news": "news@6", "novel": "novel@2"}
    mixed = with_profiles(PROFILES, ["strict", "news"], settings)
    assert {kind: profile.id for kind, profile in mixed.items()} == {"news": "news@6", "novel": "strict@1"}
    with pytest.raises(UnknownProfile):
        with_profiles(PROFILES, ["strict@2"], settings)


def test_reviewed_match_is_judged_by_its_stored_information():
    before = with_profiles(PROFILES, ["novel@3"], TrackerSettings())
    for information, expected in (
        ((), "partial"),
        ((6.0, 99.0, 99.0), "partial"),
        ((0.5, 5.0, 5.0), "common"),
    ):
        match = dataclasses.replace(
            match_of("form", copied=250, page=3000, review="dismissed"), information=information
        )
        (item,) = evaluate_matches([match], {}, before, PROFILES).items
        assert (item.before, item.after) == ("partial", expected)


def test_reviewed_match_is_judged_by_its_stored_differences():
    before = with_profiles(PROFILES, ["novel@4"], TrackerSettings())
    for differences, expected in (
        ((), "partial"),
        ((0.6, 30, 0), "reworded"),
        ((0.6, 245, 0), "partial"),
        ((0.86, 30, 0), "partial"),
    ):
        match = dataclasses.replace(
            match_of("retold", copied=250, page=3000, review="dismissed"), differences=differences
        )
        (item,) = evaluate_matches([match], {}, before, PROFILES).items
        assert (item.before, item.after) == ("partial", expected)


def test_reviewed_match_of_a_stub_is_judged_by_its_work():
    match = dataclasses.replace(
        match_of("stub", copied=150, page=3000, review="dismissed"), passage_coverage=1.0, work_id=1
    )
    for characters, expected in ((100_000, "quote"), (150, "copy")):
        work = Work(id=1, key="k", title="书", kind="novel", origin="", characters=characters)
        before = with_profiles(PROFILES, ["novel@2"], TrackerSettings())
        (item,) = evaluate_matches([match], {1: work}, before, PROFILES).items
        assert (item.before, item.after) == ("copy", expected)


def test_labels_may_be_in_a_table(tmp_path):
    (tmp_path / "a.txt").write_text(CHAPTER, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("file,label\na.txt,Copy\n", encoding="utf-8")
    assert [(path.name, verdict) for path, verdict in labelled_texts(tmp_path)] == [("a.txt", "copy")]
    (tmp_path / "labels.csv").write_text("a.txt,stolen\n", encoding="utf-8")
    with pytest.raises(BadLabel, match="stolen"):
        list(labelled_texts(tmp_path))


def test_folder_without_labels_is_reported(tmp_path):
    with pytest.raises(NoLabels):
        list(labelled_texts(tmp_path))

"""What a report draws, as data: maps, timelines, distributions, groups, repeat offenders."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from support.reports import NOON, make_match

from analysis.reports.case_files import CaseFile
from analysis.reports.distribution import distributions
from analysis.reports.groups import text_groups
from analysis.reports.maps import MAX_ROWS, work_maps
from analysis.reports.offenders import repeat_offenders
from analysis.reports.timeline import MAX_STEPS, make_timeline
from storage.records import CHINA, Addition, Addressee, Event, Notice, NoticeCase, Presence, Watch, Work
from storage.records.dates import parse_date
from tracker.judgement.cases import case_of
from tracker.judgement.profiles import PROFILES

DAY = timedelta(days=1)


def make_work(passages, published="2025-02-01"):
    return Work(
        id=7,
        key="青灯渡",
        title="青灯渡",
        kind="novel",
        origin="o",
        published=parse_date(published) if published else None,
        passage_ids=tuple(range(1, passages + 1)),
        added=NOON,
        updated=NOON,
    )


def on(site, passage=1, **changes):
    """A match of a passage on a page of a site."""
    key = f"{site}/{passage}"
    return make_match(
        **{
            "id": key,
            "page_id": key,
            "site": site,
            "url": f"https://{key}",
            "passage_id": passage,
            "passage_title": f"第{passage}章",
            **changes,
        }
    )


def only_map(matches, work):
    (own,) = work_maps(matches, {7: work} if work else {}, count=3)
    return own


def test_map_has_chapters_down_and_sites_across_with_days_of_delay():
    matches = [
        on("a.example", 1, page_published=parse_date("2025-02-03")),
        on("a.example", 3, copied_chars=90),
        on("b.example", 3, verdict="licensed"),
    ]
    own = only_map(matches, make_work(3))
    assert own.sites == ("a.example", "b.example")
    assert [(row.first, row.last) for row in own.rows] == [(1, 1), (2, 2), (3, 3)]
    assert [[cell and cell.lag_days for cell in row.cells] for row in own.rows] == [
        [2, None],
        [None, None],
        [28, 28],
    ]
    assert own.rows[0].cells[0].is_claimed
    assert not own.rows[2].cells[0].is_claimed
    assert own.rows[2].cells[1].verdict == "licensed"


def test_page_older_than_the_work_has_negative_days():
    own = only_map([on("a.example", page_published=parse_date("2025-01-30"))], make_work(1))
    assert own.rows[0].cells[0].lag_days == -2


def test_days_of_a_later_chapter_are_counted_from_its_addition():
    late = Addition(first_id=3, at=parse_date("2025-03-01").at)
    matches = [on("a.example", passage, page_published=parse_date("2025-03-04")) for passage in (1, 3)]
    own = only_map(matches, replace(make_work(3), additions=(late,)))
    assert [row.cells[0] and row.cells[0].lag_days for row in own.rows] == [31, None, 3]


def test_long_novel_goes_into_bands_and_no_copied_passage_is_lost():
    matches = [on("a.example", passage) for passage in (1, 2, 1999, 2000)]
    own = only_map(matches, make_work(2000))
    assert len(own.rows) == MAX_ROWS
    assert own.rows[-1].last == 2000
    assert [row.cells[0].passages for row in own.rows if row.cells[0]] == [2, 2]


def test_map_of_a_missing_work_shows_only_its_matches():
    own = only_map([on("a.example", 5), on("a.example", 9)], None)
    assert [row.title for row in own.rows] == ["第5章", "第9章"]
    assert own.rows[0].cells[0].lag_days is None


def test_further_sites_are_counted():
    own = only_map([on(f"{number:02}.example") for number in range(20)], make_work(1))
    assert len(own.sites) + own.sites_left_out == 20


def test_timeline_counts_pages_once_in_days_of_the_readers_zone():
    late = datetime(2025, 3, 1, 17, tzinfo=UTC)  # the next day in China
    matches = [on("a.example"), on("a.example", id="again"), on("b.example", first_seen=late)]
    gone = Presence(state="gone", checked=late + DAY, absent_since=late + DAY)
    line = make_timeline(matches, {"a.example/1": gone, "elsewhere": gone}, zone=CHINA)
    assert line.unit == "day"
    assert [(str(step.start), step.found, step.gone) for step in line.steps] == [
        ("2025-03-01", 1, 0),
        ("2025-03-02", 1, 0),
        ("2025-03-03", 0, 1),
    ]


def test_long_timeline_has_longer_steps_and_every_page():
    for days, unit in ((30, "day"), (200, "week"), (1000, "month"), (9000, "year")):
        matches = [on(f"{number}.example", first_seen=NOON + DAY * number) for number in (0, days // 2, days)]
        line = make_timeline(matches, {}, zone=CHINA)
        assert line.unit == unit
        assert sum(step.found for step in line.steps) == 3
        assert len(line.steps) <= MAX_STEPS or unit == "year"
    assert make_timeline([], {}, zone=CHINA).steps == ()


def test_coverages_are_counted_in_twenty_bins_with_thresholds():
    news = PROFILES["news"]
    matches = [on("a.example", coverage=share, profile=news.id) for share in (0.0, 0.049, 0.6, 1.0)]
    (own,) = distributions(matches, {news.id: news})
    assert own.bins[0] == 2
    assert own.bins[12] == 1
    assert own.bins[19] == 1
    assert [one.share for one in own.thresholds] == [news.partial_coverage, news.copy_coverage]
    (unknown,) = distributions([on("a.example", profile="own@1")], {})
    assert unknown.thresholds == ()


def test_pages_with_the_same_text_are_grouped_by_their_first_page():
    texts = {"a.example/1": "x", "b.example/1": "x", "c.example/1": "y"}
    matches = [
        on("a.example", passage_coverage=0.9),
        on("b.example", passage_coverage=0.9, page_published=parse_date("2025-02-02")),
        on("c.example", passage_coverage=0.6, first_seen=NOON + DAY),
        on("d.example", passage_coverage=0.4),
        on("e.example", passage_coverage=0.9, verdict="reworded"),
        on("a.example", 2, passage_coverage=1.0),
    ]
    (group,) = text_groups(matches, texts)
    assert (group.pages, group.sites, group.texts) == (3, 3, 2)
    assert [(page.site, page.is_same) for page in group.carriers] == [
        ("b.example", True),
        ("a.example", True),
        ("c.example", False),
    ]


def event(kind, hours, number=3):
    at = NOON + timedelta(hours=hours)
    return Event(id=f"{kind}{hours}", case=number, kind=kind, at=at, by="me")


def case(site, work, number=0, **changes):
    return replace(case_of([on(site, work_id=work, id=f"{site}{work}", **changes)]), number=number)


def test_site_with_two_copied_works_or_a_return_is_a_repeat_offender():
    cases = [case("a.example", 1), case("a.example", 2), case("b.example", 1, 3), case("c.example", 1)]
    told = [event("notified", 0), event("notified", 24), event("removed", 30), event("back", 90)]
    back, twice = repeat_offenders(cases, {3: CaseFile(told)})
    assert (back.site, back.notices, back.removals, back.returns) == ("b.example", 2, 1, 1)
    assert back.hours_to_removal == 30.0
    # The watch knows when it was gone, which is before it was certain.
    watched = [event("notified", 0), replace(event("removed", 30), detail={"hours": "28.5"})]
    assert repeat_offenders(cases, {3: CaseFile([*watched, event("back", 90)])})[0].hours_to_removal == 28.5
    assert (twice.site, twice.works, twice.hours_to_removal) == ("a.example", 2, None)


def notice(number, kind="infringement", *, sent=NOON):
    to = Addressee(role="site", site="a.example")
    texts = {"site": "a.example", "holder": "h", "subject": "s", "text": "t"}
    cases = (NoticeCase(number=3, work_id=1, work_title="青灯渡"),)
    return Notice(id=f"n{number}", number=number, cases=cases, kind=kind, addressee=to, sent=sent, **texts)


def watch(key, **changes):
    return Watch(id=key, url=key, source="s", page_id=key, since=NOON, due=NOON, **changes)


def test_file_of_an_offender_lists_notices_once_answers_and_watch_results():
    told = [
        replace(event("notified", 0), subject="n1"),
        event("unanswered", 20),
        event("notified", 24),  # told by a person, who wrote by other means
        event("refused", 30),
    ]
    # A reminder moves no case; counsel is not the site; a draft was not sent.
    notices = [notice(1), notice(2, "reminder"), notice(3, "counsel"), notice(4, sent=None)]
    shared = watch("a", gone_since=NOON)
    files = {
        3: CaseFile(told, notices, [shared, watch("b", state="moved")]),
        4: CaseFile(watches=[shared]),  # one address, two works
    }
    (file,) = repeat_offenders([case("a.example", 1, 3), case("a.example", 2, 4)], files)
    assert (file.notices, file.accepted, file.refused, file.unanswered) == (3, 0, 1, 1)
    assert (file.watched, file.watched_gone, file.watched_moved) == (2, 1, 1)


def test_letter_about_several_cases_counts_once_for_its_site():
    letter = notice(1)
    events = [replace(event(kind, hour), subject="n1") for hour, kind in enumerate(("notified", "accepted"))]
    files = {number: CaseFile(events, [letter]) for number in (3, 4)}
    (file,) = repeat_offenders([case("a.example", 1, 3), case("a.example", 2, 4)], files)
    assert (file.notices, file.accepted) == (1, 1)


def test_quotations_and_licensed_sites_are_not_offenders():
    cases = [case("a.example", work, verdict=verdict) for work, verdict in ((1, "quote"), (2, "licensed"))]
    assert repeat_offenders(cases, {}) == ()

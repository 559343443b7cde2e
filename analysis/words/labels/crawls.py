"""Labels of sources, scans and crawls: purposes of requests, results, and reasons for unvisited addresses."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from analysis.words.i18n import N_, NC_
from storage.records import AlertKind, CrawlState, Fault, ScanStatus, SearchForm, SourceKind, Trigger

if TYPE_CHECKING:
    from crawler.sources.url_list import LineResult
    from storage.frontier.interface import EntryKind

# Purposes of requests.
ENTRY_KINDS: "Mapping[EntryKind, str]" = {
    "index": N_("Catalogue"),
    "text": NC_("kind", "Text"),
    "sitemap": N_("Sitemap"),
    "feed": N_("Feed"),
    "query": N_("Search"),
}
SCAN_STATES: Mapping[ScanStatus, str] = {
    "running": N_("Running"),
    "finished": N_("Finished"),
    "failed": N_("Failed"),
}
CRAWL_STATES: Mapping[CrawlState, str] = {
    "due": N_("Not finished"),
    "done": N_("Done"),
    "failed": N_("Failed"),
}
TRIGGERS: Mapping[Trigger, str] = {
    "hand": N_("by hand"),
    "schedule": N_("by schedule"),
    "hours": N_("at the start of crawl hours"),
    "corpus": N_("after a change of the corpus"),
}
SOURCE_KINDS: Mapping[SourceKind, str] = {
    "news": N_("News site"),
    "novel": N_("Novel site"),
    "site": N_("Whole site"),
    "urls": N_("List of addresses"),
    "discovery": N_("Discovery by search"),
}
ALERTS: Mapping[AlertKind, str] = {
    "blocked": N_("The site blocks pindna"),
    "collapsed": N_("Far less than usual was found"),
    "empty": N_("No pages found"),
    "slow": N_("The pauses that the site requires leave too little time for all its texts"),
    "unreadable": N_("The source could not be read"),
    "unreachable": N_("The source could not be reached"),
    "interrupted": N_("pindna interrupted the crawl"),
}
ROBOTS = {
    "": "–",
    "allowed": N_("allows it"),
    "forbidden": N_("forbids it"),
    "unreachable": N_("not available"),
    "disregarded": N_("is ignored"),
}
LIST_LINES: "Mapping[LineResult, str]" = {
    "taken": NC_("list line", "Added"),
    "known": N_("Already listed"),
    "repeated": N_("Repeated in the list"),
    "long": N_("Address too long"),
    "inner": N_("Private address: not accepted"),
    "login": N_("Contains a user name or password"),
    "no-address": N_("Not an http(s) address"),
}
DAYS = {
    "Mo": N_("Mon"),
    "Tu": N_("Tue"),
    "We": N_("Wed"),
    "Th": N_("Thu"),
    "Fr": N_("Fri"),
    "Sa": N_("Sat"),
    "Su": N_("Sun"),
}
FAULTS: Mapping[Fault, str] = {
    "": "–",
    "theirs": N_("the site's"),
    "network": N_("the network's"),
    "ours": N_("our own"),
}
LEFT = {
    "unfinished": N_("The crawl was not completed"),
    "time": N_("The crawl reached its time limit"),
    "hours": N_("The crawl hours ended; the crawl continues in the next crawl hours"),
    "stalled": N_("No progress for a long time"),
    "refused": N_("The site blocks pindna"),
    "service": N_("A service failed"),
    "stopped": N_("The crawl was stopped"),
    "limit": N_("More texts than the source's limit"),
    "lists": N_("Further lists, and the pages that they link to"),
    "depth": N_("Pages at the depth limit of the source; their links were not followed"),
    "traps": N_("Looks like one of an endless series of addresses without a text"),
    "catalogue": N_("Chapters that the catalogue does not list"),
    "no-texts": N_("Start pages on which pindna found no link to a text"),
    "too-many": N_("More addresses in one list than the limit"),
    "long-address": N_("The address is too long"),
    "cut-short": N_("The list is incomplete"),
    "searches-budget": N_("Not searched: the budget of searches is used up"),
    "searches-refused": N_("Not searched: the search engine refused"),
    "searches-failed": N_("Not searched: the search engine did not answer"),
    "searches-empty": N_("Not searched: the search engine has no result for any sentence"),
    "searches-partial": N_("Searched in part: engines behind SearXNG did not answer"),
}
SEARCH_FORMS: Mapping[SearchForm, str] = {
    "searxng": N_("SearXNG metasearch"),
    "brave": N_("Brave search engine"),
    "json": N_("search engine with JSON answers"),
    "file": N_("file of results"),
}
# The counts of a crawl that are shown to users; the JSON contains all counts.
COUNTS = {
    "requests": N_("requests"),
    "searches": N_("searches answered"),
    "pages": N_("new texts"),
    "unchanged": N_("unchanged"),
    "not_due": N_("not due yet"),
    "failed": N_("failed"),
    "event:changed": N_("changed"),
    "event:gone": N_("gone"),
    "event:moved": N_("moved"),
    "event:returned": N_("came back"),
}

"""Texts that differ between the command line, the console and the API.

A text that contains a command is written once in the code, for the command line. Users of the console
and of the API have no terminal: :data:`ELSEWHERE` contains the same text with a button, a page or a field.
If only the server's operator can fix a problem, the text says so. A test requires an entry for every text
with a command that the console or the API can show.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from system.messages import N_

Surface = Literal["command-line", "console", "api"]


@dataclass(frozen=True, slots=True)
class Texts:
    """The replacements of a text of the command line in the console and the API.

    Attributes:
        api: as the API shows it; empty: like the console.
    """

    console: str
    api: str = ""


ELSEWHERE: Mapping[str, Texts] = MappingProxyType(
    {
        # accounts
        "This link is no longer valid. Sign in. If there is no administrator yet, restart `pindna "
        "serve` to get a new link.": Texts(
            console=N_(
                "This link is no longer valid. Sign in. If there is no administrator yet, ask the operator "
                "to restart the console, which creates a new link."
            ),
        ),
        "One-time passwords are encrypted with a key that is not on this machine. Copy the file of "
        "analysis.server.one_time_key_file from a machine that has it. If it is lost, users can "
        "sign in with recovery codes, and `pindna user reset NAME` restores access without a "
        "device.": Texts(
            console=N_(
                "One-time passwords are encrypted with a key that is not on this server. Ask the operator "
                "to copy the file of analysis.server.one_time_key_file from a server that has it. If it is "
                "lost, sign in with a recovery code, or ask an administrator to restore access: "
                "“Administration”, the account, “Reset”."
            ),
            api=N_(
                "One-time passwords are encrypted with a key that is not on this server. Ask the operator "
                "to copy the file of analysis.server.one_time_key_file from a server that has it."
            ),
        ),
        # installation
        "This function needs {module}, which is not installed. Run pip install 'pindna[{extra}]'.": Texts(
            console=N_(
                "This function needs {module}, which is not installed on the server. Ask the operator "
                "to install the extra “{extra}” of pindna."
            ),
        ),
        # sources and scans
        "{path} contains captured pages, not a list of sites. Import it with `pindna page import`.": Texts(
            console=N_(
                "{path} contains captured pages, not a list of sites. An operator can import the pages."
            ),
        ),
        "There is no enabled source to crawl. Add one with `pindna source add`.": Texts(
            console=N_("There is no enabled source to crawl. Add or enable one under “Sources”."),
            api=N_("There is no enabled source to crawl. Add or enable one under /sources."),
        ),
        "No source can be crawled now: {names} are paused, outside their hours, not due, or still "
        "being crawled. `pindna source list` shows the state of each.": Texts(
            console=N_(
                "No source can be crawled now: {names} are paused, outside their hours, not due, or still "
                "being crawled. “Sources” shows the state of each."
            ),
            api=N_(
                "No source can be crawled now: {names} are paused, outside their hours, not due, or still "
                "being crawled. GET /sources returns the state of each."
            ),
        ),
        "No protected work is indexed, so pages cannot be compared. Run `pindna corpus add` first.": Texts(
            console=N_(
                "No protected work is indexed, so pages cannot be compared. First add works under "
                "“Protected works”."
            ),
            api=N_(
                "No protected work is indexed, so pages cannot be compared. First add works with POST /works."
            ),
        ),
        "The site of source {source} refused access ({reason}). The source pauses until {until}. "
        "To end the pause, run `pindna source enable`.": Texts(
            console=N_(
                "The site of source {source} refused access ({reason}). The source pauses until {until}. To "
                "end the pause, choose “Enable, and end its pause” on the page of the source."
            ),
            api=N_(
                "The site of source {source} refused access ({reason}). The source pauses until {until}. To "
                "end the pause, enable the source with PUT /sources/{source}/enabled."
            ),
        ),
        "The crawl of source {source} made no progress for {minutes} minutes and was stopped; "
        "{left} addresses remain. Crawl the source again, or find the cause with `pindna source "
        "test`.": Texts(
            console=N_(
                "The crawl of source {source} made no progress for {minutes} minutes and was stopped; "
                "{left} addresses remain. Choose “Crawl it now” on the page of the source, or find the "
                "cause with “Try it now”."
            ),
            api=N_(
                "The crawl of source {source} made no progress for {minutes} minutes and was stopped; "
                "{left} addresses remain. Start a scan of the source, or find the cause with POST "
                "/sources/trial."
            ),
        ),
        # works
        "{path}: each of {count} numbered files ({names}) is now a work. If they are the chapters of one "
        "work, undo this with `pindna corpus undo`, and add them again with --as-one.": Texts(
            console=N_(
                "{path}: each of {count} numbered files ({names}) is now a work. If they are the chapters of "
                "one work, remove the works, and upload the archive again with “All files of an archive are "
                "one work”."
            ),
            api=N_(
                "{path}: each of {count} numbered files ({names}) is now a work. If they are the chapters of "
                "one work, undo this with DELETE /works/loads/last, and load them again with `as_one`."
            ),
        ),
        "There is no holder called {name}. Add it with `pindna holder add`; naming it in a work "
        "does not add it.": Texts(
            console=N_(
                "There is no holder called {name}. Enter its details with “Details…” on the page of a work; "
                "naming it in a work does not add it."
            ),
            api=N_(
                "There is no holder called {name}. Add it with PUT /holders/{name}; naming it in a work "
                "does not add it."
            ),
        ),
        "“{name}” was removed on {day}. Restore it with `pindna corpus restore id:{id}`.": Texts(
            console=N_(
                "“{name}” was removed on {day}. Restore it with “Restore” under “Protected works” (id:{id})."
            ),
            api=N_("“{name}” was removed on {day}. Restore it with POST /works/{id}/restoration."),
        ),
        "“{title}” is background text without an owner, so pages are not copies of it. To protect "
        "it, run `pindna corpus role id:{id} --as protected`.": Texts(
            console=N_(
                "“{title}” is background text without an owner, so pages are not copies of it. To protect "
                "it, change its “Role” on the page of the work (id:{id})."
            ),
            api=N_(
                "“{title}” is background text without an owner, so pages are not copies of it. To protect "
                "it, change the field `role` with PATCH /works/{id}."
            ),
        ),
        "Cannot combine “{title}” and “{other}”: they have different roles. Change a role with "
        "`pindna corpus role`.": Texts(
            console=N_(
                "Cannot combine “{title}” and “{other}”: they have different roles. Change a “Role” on the "
                "page of the work."
            ),
            api=N_(
                "Cannot combine “{title}” and “{other}”: they have different roles. Change the field `role` "
                "of one of them."
            ),
        ),
        "Skipped {count} files in {path}: they are numbered ({names}). Use --as-one if they are the chapters "
        "of one work, or --separate if each is a work.": Texts(
            console=N_(
                "Skipped {count} files in {path}: they are numbered ({names}). If they are chapters, mark "
                "“All files of an archive are one work”; if each is a work, give the files titles."
            ),
            api=N_(
                "Skipped {count} files in {path}: they are numbered ({names}). Send `as_one` if they are "
                "chapters, or `separate` if each is a work."
            ),
        ),
        # review
        "A dismissal needs a reason. Add --because “…”.": Texts(
            console=N_("A dismissal needs a reason. Enter one."),
            api=N_("A dismissal needs a reason. Send it in the field `because`."),
        ),
        "A match that is set aside needs a note. Add --because “…”.": Texts(
            console=N_("A match that is set aside needs a note. Enter one."),
            api=N_("A match that is set aside needs a note. Send it in the field `because`."),
        ),
        "No match has been reviewed yet. Review some with `pindna review confirm` and `pindna "
        "dismiss`, or pass labelled texts with --folder.": Texts(
            console=N_("No match has been reviewed yet. Confirm or dismiss some under “Review”."),
        ),
        (
            "There is no profile {name}. `pindna profile list` shows the current profiles; write an "
            "earlier version like novel@2."
        ): Texts(
            console=N_(
                "There is no profile {name}. The current profiles are news and novel; write an earlier "
                "version like novel@2."
            ),
        ),
        "“{name}={value}” is not a threshold: shares are between 0 and 1, lengths are whole "
        "numbers from 0. `pindna profile show` lists all thresholds.": Texts(
            console=N_(
                "“{name}={value}” is not a threshold: shares are between 0 and 1, lengths are whole numbers "
                "from 0. “Statistics” lists all thresholds."
            ),
        ),
        # notices and evidence
        "The notice was not made, because facts are missing ({count}). Supply them, or make "
        "a draft (--draft), which marks them.": Texts(
            console=N_(
                "The notice was not made, because facts are missing ({count}). Enter them, or choose "
                "“Make a draft”, which marks them."
            ),
            api=N_(
                "The notice was not made, because facts are missing ({count}). POST /notices/preview "
                "lists them. Supply them, or send `draft`: true for a draft, which marks them."
            ),
        ),
        "“{work}” has no rights holder. Choose a holder for the notice (--holder).": Texts(
            console=N_("“{work}” has no rights holder. Enter one with “Change” on the page of the work."),
            api=N_("“{work}” has no rights holder. Send one in the field `holder`."),
        ),
        "{path} contains whole passages of the work, but the notice goes to outsiders. Export the "
        "package again with excerpts only (--excerpts), or let pindna make one.": Texts(
            console=N_(
                "{path} contains whole passages of the work, but the notice goes to outsiders. Export the "
                "package again with excerpts only, or let pindna make one."
            ),
        ),
        "This installation signs evidence with the key {fingerprint}, but {path} does not contain "
        "it. Copy the file from a machine that has it. If it is lost, run `pindna evidence key "
        "rotate --lost`.": Texts(
            console=N_(
                "This installation signs evidence with the key {fingerprint}, but {path} does not contain "
                "it. Ask the operator to copy the file from a server that has it, or to replace the key if "
                "it is lost."
            ),
        ),
        "Another process has just made a new key. `pindna evidence key show` shows it.": Texts(
            console=N_("Another process has just made a new key. You do not need to make one."),
        ),
        "The evidence log was altered: {problem}. Run `pindna evidence log verify`, and do not "
        "change the database until the cause is found.": Texts(
            console=N_(
                "The evidence log was altered: {problem}. Ask the operator to verify all of it, and do not "
                "change the database until the cause is found."
            ),
        ),
        "Stored evidence was changed: {row} cannot be read. Run `pindna evidence log verify`, and "
        "leave the database unchanged until the cause is known.": Texts(
            console=N_(
                "Stored evidence was changed: {row} cannot be read. Ask the operator to verify the evidence "
                "log, and leave the database unchanged until the cause is known."
            ),
        ),
        "Run pip install 'pindna[browser]'.": Texts(
            console=N_("Ask the operator to install the browser extra of pindna on the server."),
        ),
        "Install chromium (apt-get install chromium), or set crawler.browser_path.": Texts(
            console=N_("Ask the operator to install Chromium on the server, or to set crawler.browser_path."),
        ),
        "up to the last entry; `pindna evidence log verify` reads every record": Texts(
            console=N_("up to the last entry; the operator can have every record verified"),
        ),
        # services
        "other users can read {path}, or its group can write to it; run chmod 600 {path}": Texts(
            console=N_("other users can read {path}, or its group can write to it; only its owner may do so")
        ),
        "other users can read the file, or its group can write to it; run chmod 600 on the file": Texts(
            console=N_(
                "other users can read the file, or its group can write to it; only its owner may do so"
            )
        ),
        "{service} at {address} does not answer ({problem}). Start it, or run `pindna doctor`.": Texts(
            console=N_("{service} at {address} does not answer ({problem}). Ask the operator to start it."),
        ),
        "MongoDB at {address} does not allow the user of {setting} the action `{right}` on the "
        "database {database}. A user with the role `userAdmin` can allow it in `mongosh`, in the user's "
        'database: `db.grantRolesToUser("USER", [{{role: "{role}", db: "{database}"}}])`.': Texts(
            console=N_(
                "MongoDB at {address} does not allow the user of {setting} the action {right} on the "
                "database {database}. Ask the operator to grant this user the role {role}."
            ),
        ),
        "The database has schema {found}, but this version of pindna needs schema {known}. Run "
        "`pindna upgrade`, which writes a backup first.": Texts(
            console=N_(
                "The database has schema {found}, but this version of pindna needs schema {known}. Ask the "
                "operator to upgrade the database."
            ),
        ),
        "The database {database} is only partly restored: a restore was interrupted, or is "
        "running. Run `pindna backup restore` again; it starts from the beginning.": Texts(
            console=N_(
                "The database {database} is only partly restored: a restore was interrupted, or is running. "
                "Ask the operator to restore it again if none is running."
            ),
        ),
        "The fingerprint index cannot be trusted: {problem}. Run `pindna index rebuild`.": Texts(
            console=N_("The fingerprint index cannot be trusted: {problem}. Ask the operator to rebuild it."),
        ),
        "The fingerprint index in Redis belongs to another MongoDB database. Use a separate Redis "
        "database for this one, or replace the index with `pindna index rebuild`.": Texts(
            console=N_(
                "The fingerprint index in Redis belongs to another MongoDB database. Ask the operator to "
                "set a separate Redis database for this one, or to rebuild the index."
            ),
        ),
        "Cannot use {path} ({problem}). Create it again with `pindna measure {command}`.": Texts(
            console=N_("Cannot use {path} ({problem}). Ask the operator to create it again."),
        ),
        "{path} was counted with dictionary {counted}, not with {used}. Use the same --dictionary "
        "for both commands.": Texts(
            console=N_(
                "{path} was counted with dictionary {counted}, not with {used}. Ask the operator to count "
                "it again."
            ),
        ),
        "the browser extra is not installed: text that only a browser shows is reported, but not "
        "compared; to add it, run pip install 'pindna[browser]'": Texts(
            console=N_(
                "the browser extra is not installed: text that only a browser shows is reported, but not "
                "compared; the operator can install it on the server"
            ),
        ),
        "no worker answers; start one with `celery -A tracker worker`": Texts(
            console=N_("no worker answers, so crawls and comparisons wait; ask the operator to start one"),
        ),
        "no worker serves the queues {names}; start one with `celery -A tracker worker -Q "
        "{queues}`, or without -Q": Texts(
            console=N_("no worker serves the queues {names}; ask the operator to start one"),
        ),
        "beat is not running, so scans do not start automatically; start it with `celery -A "
        "tracker beat`": Texts(
            console=N_(
                "beat is not running, so scans do not start automatically; ask the operator to start it"
            ),
        ),
        "; for a list, run `pindna index verify`": Texts(
            console=N_("; “Protected works” shows the state of each work"),
        ),
        "; for the reasons, run `pindna alert outbox`": Texts(
            console=N_("; “Alerts” shows the reasons"),
        ),
    }
)


def wording(message: str, surface: Surface) -> str:
    """Return the text that a surface shows instead of the command line's text; usually both are equal."""
    if surface == "command-line" or message not in ELSEWHERE:
        return message
    texts = ELSEWHERE[message]
    return texts.console if surface == "console" else texts.api or texts.console

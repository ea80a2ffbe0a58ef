"""One visit: redirects, robots, the archive, and what becomes of an answer."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from typing import ClassVar

import pytest
from msgspec.structs import replace
from tests.worlds import TableWeb, html, redirect, response, u

from lycosa.drive.clock import VirtualClock
from lycosa.drive.page import media_type_of, page_of
from lycosa.drive.visit import MAX_REDIRECTS, Outcome, RedirectRule, Visitor
from lycosa.model.digests import payload_digest
from lycosa.model.errors import FolderError
from lycosa.model.records import (
    PLAIN,
    Ask,
    Deferred,
    Failure,
    Fault,
    LastCapture,
    Link,
    Millis,
    Page,
    Reason,
    RecordRef,
    Request,
    Response,
    Unchanged,
    Worth,
)
from lycosa.model.url import Url
from lycosa.read.difference import difference
from lycosa.web.robots.cache import Access, Permission

NOW = Millis(1_000)
A = u("a")


class Shelf:
    """An archive in a list."""

    def __init__(self) -> None:
        self.kept: list[Response] = []

    def write(self, answer: Response, refers_to: LastCapture | None = None) -> RecordRef:
        self.kept.append(answer)
        return RecordRef(file="shelf", offset=len(self.kept), length=1)

    def read(self, ref: RecordRef) -> Response:
        return self.kept[ref.offset - 1]

    def write_dom(self, dom: Response, of: RecordRef, told: Iterable[tuple[str, str]]) -> RecordRef:
        return self.write(dom)

    def annotate(self, ref: RecordRef, url: Url, fields: Mapping[str, str]) -> None:
        raise AssertionError("a visit knows no strategy")

    def flush(self) -> None:
        raise AssertionError("a visit does not decide when to flush")


class Burnt(Shelf):
    """An archive that writes, and has lost what it wrote."""

    def read(self, ref: RecordRef) -> Response:
        raise FolderError(f"{ref.file} is damaged")


class Rules:
    """robots.txt as a table; what it does not name is allowed. Remembers what was asked."""

    def __init__(self, verdicts: Mapping[Url, Permission] | None = None) -> None:
        self.verdicts, self.asked = verdicts or {}, list[Url]()

    async def check(self, url: Url) -> Permission:
        self.asked.append(url)
        return self.verdicts.get(url, Permission(access=Access.ALLOWED))


def visit(
    web: TableWeb,
    *,
    robots: Rules | None = None,
    archive: Shelf | None = None,
    refuses: RedirectRule = lambda request, url: None,
    url: Url = A,
    way: tuple[Url, ...] = (),
    before: LastCapture | None = None,
) -> Outcome:
    visitor = Visitor(web, robots, archive, refuses, VirtualClock(NOW))
    return asyncio.run(visitor(Request(url=url, order=1, way=way, before=before)))


def failure(found: Outcome) -> Failure:
    assert isinstance(found, Failure), found
    return found


def page(found: Outcome) -> Page:
    assert isinstance(found, Page), found
    return found


def chain(*names: str, last: Response | None = None) -> TableWeb:
    """Each redirects to the next, the last one answers."""
    urls = [u(name) for name in names]
    answers: dict[Url, Response | Fault] = {
        here: redirect(here, there) for here, there in itertools.pairwise(urls)
    }
    answers[urls[-1]] = last or response(urls[-1], html("arrived"))
    return TableWeb(answers)


def test_a_directory_that_redirects_to_its_default_file_is_no_loop() -> None:
    # Both names are one URL to the crawl, so it must be the server's name that is asked for.
    directory, file = Url("http://a.test/reefs/"), Url("http://a.test/reefs/index.html")
    there = TableWeb({directory: redirect(directory, file), file: response(file, html("arrived"))})
    found = page(visit(there, url=directory))
    assert (found.final_url, found.hops) == (file, (directory,))
    back_and_forth = TableWeb({directory: redirect(directory, file), file: redirect(file, directory)})
    lost = visit(back_and_forth, url=directory)
    assert isinstance(lost, Failure)
    assert lost.reason is Reason.REDIRECT_LOOP


# -- a page --------------------------------------------------------------------------------------------------


def test_the_fields_of_a_page() -> None:
    body = html("coral reefs", [u("b"), u("b"), u("c")], head="<title>A &amp; B</title>")
    answer = response(u("a"), body, 200, ("Content-Type", "Text/HTML; charset=utf-8"), elapsed=120)
    shelf = Shelf()
    robots = Rules({u("a"): Permission(access=Access.ALLOWED, crawl_delay=Millis(5_000))})
    found = page(visit(TableWeb({u("a"): answer}), archive=shelf, robots=robots))
    assert found.request.url == found.final_url == u("a")
    assert (found.status, found.media_type, found.title) == (200, "text/html", "A & B")
    assert found.text.startswith("coral reefs")
    assert found.terms["reef"] == 1
    assert [link.target for link in found.links] == [u("b"), u("b"), u("c")]
    assert found.out == (u("b"), u("c"))
    assert (found.elapsed, found.crawl_delay, found.address) == (120, 5_000, "192.0.2.1")
    assert found.record == RecordRef(file="shelf", offset=1, length=1)
    assert found.hops == ()
    assert found.relevance == 0.0, "a page is judged when it is committed"
    assert not found.noindex


OLD, NEW = (response(A, html(f"a reef of {size} corals")) for size in ("three", "four"))


def test_a_page_that_is_fetched_again_is_compared_with_its_last_capture() -> None:
    shelf = Shelf()
    before = captured(OLD, shelf.write(OLD))
    again = page(visit(TableWeb({A: NEW}), archive=shelf, before=before))
    assert again.change == difference(page_of(again.request, OLD, None), again)
    assert again.change is not None
    assert again.change.worth is Worth.CONTENT
    same = visit(TableWeb({A: OLD}), archive=shelf, before=before)
    assert isinstance(same, Unchanged), "the same bytes are not read again"
    assert (same.status, same.final_url, same.record) == (200, A, RecordRef(file="shelf", offset=3, length=1))
    assert page(visit(TableWeb({A: OLD}), archive=shelf)).change is None, "a first visit"


@pytest.mark.parametrize("record", [None, RecordRef(file="lost", offset=1, length=1)])
def test_where_the_last_capture_cannot_be_read_bytes_are_compared(record: RecordRef | None) -> None:
    before = captured(OLD, record)
    assert page(visit(TableWeb({A: NEW}), archive=Burnt(), before=before)).change is None
    assert page(visit(TableWeb({A: NEW}), before=before)).change is None, "there is no archive"
    assert isinstance(visit(TableWeb({A: OLD}), archive=Burnt(), before=before), Unchanged)


def test_where_the_last_capture_is_no_text_bytes_are_compared() -> None:
    shelf = Shelf()
    picture = response(A, b"GIF89a", 200, ("Content-Type", "image/gif"))
    again = page(visit(TableWeb({A: NEW}), archive=shelf, before=captured(picture, shelf.write(picture))))
    assert again.change is None


class Listening(TableWeb):
    """Remembers what was said besides the URLs."""

    heard: ClassVar[list[Ask]] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.heard.append(ask)
        return await super().fetch(url, ask)


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        ("Thu, 01 Jan 2009 00:00:00 GMT", True),
        ("Thu, 01 Jan 1970 00:00:00 GMT", False),
        ("Fri, 01 Jan 2100 00:00:00 GMT", False),
        ("Fri, 13 Feb 2009 23:31:30 GMT", False),
        ("yesterday", False),
    ],
)
def test_a_date_that_cannot_be_true_is_not_shown_as_a_condition(told: str, believed: bool) -> None:
    """Or a server that always says 1970, or 2100, would answer 304 for ever. The fourth is the time of the capture: the
    page may change within that second."""
    before = replace(captured(OLD, None), at=Millis(1_234_567_890_000), last_modified=told, etag='"1"')
    Listening.heard.clear()
    visit(Listening({A: NEW}), before=before)
    visit(Listening({A: NEW}), before=replace(before, etag=""))
    shown = told if believed else ""
    assert Listening.heard == [Ask(etag='"1"', modified_since=shown), Ask(modified_since=shown)]


def captured(answer: Response, record: RecordRef | None) -> LastCapture:
    return LastCapture(url=answer.url, at=NOW, digest=payload_digest(answer.body), record=record)


def test_the_digest_is_that_of_warc() -> None:
    """SHA-1 of nothing, in base 32: as in the WARC files of every archive."""
    assert payload_digest(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def test_the_page_read_again_from_the_archive_is_the_page_of_the_visit() -> None:
    shelf = Shelf()
    found = page(visit(TableWeb.of_graph({"a": "bc"}, {"a": "coral"}), archive=shelf))
    assert found.record is not None
    assert page_of(found.request, shelf.read(found.record), found.record) == found


@pytest.mark.parametrize("status", [200, 203, 299])
def test_what_succeeds_is_a_page(status: int) -> None:
    assert page(visit(TableWeb({u("a"): response(u("a"), html("x"), status)}))).status == status


@pytest.mark.parametrize(
    ("tags", "nofollow", "noindex"),
    [
        (["nofollow"], True, False),
        (["noindex"], False, True),
        (["none"], True, True),
        (["noindex", "nofollow"], True, True),
        (["otherbot: nofollow"], False, False),
        (["all"], False, False),
    ],
)
def test_x_robots_tag(tags: list[str], nofollow: bool, noindex: bool) -> None:
    answer = response(u("a"), html("x", [u("b")]), 200, *(("X-Robots-Tag", tag) for tag in tags))
    found = page(visit(TableWeb({u("a"): answer})))
    assert [link.nofollow for link in found.links] == [nofollow]
    assert found.noindex == noindex


# -- redirects -----------------------------------------------------------------------------------------------


def test_redirects_are_followed_and_each_hop_is_asked_and_archived() -> None:
    web, robots, shelf = chain("a", "b", "c"), Rules(), Shelf()
    asked: list[tuple[Url, Url]] = []

    def refuses(request: Request, url: Url) -> None:
        asked.append((request.url, url))

    found = page(visit(web, robots=robots, archive=shelf, refuses=refuses))
    assert found.request.url == u("a")
    assert found.final_url == u("c")
    assert found.hops == (u("a"), u("b"))
    assert robots.asked == web.asked == [u("a"), u("b"), u("c")]
    assert asked == [(u("a"), u("b")), (u("a"), u("c"))]
    assert [answer.url for answer in shelf.kept] == [u("a"), u("b"), u("c")]
    assert found.record == RecordRef(file="shelf", offset=3, length=1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_which_statuses_redirect(status: int) -> None:
    web = TableWeb({u("a"): redirect(u("a"), u("b"), status), u("b"): response(u("b"), html("x"))})
    assert page(visit(web)).final_url == u("b")


@pytest.mark.parametrize("status", [300, 304, 305, 306])
def test_which_do_not(status: int) -> None:
    web = TableWeb({u("a"): redirect(u("a"), u("b"), status)})
    found = failure(visit(web))
    assert (found.reason, found.status) == (Reason.STATUS, status)
    assert web.asked == [u("a")]


def test_a_redirect_without_a_target_is_a_failure_by_status() -> None:
    found = failure(visit(TableWeb({u("a"): response(u("a"), b"", 302)})))
    assert (found.reason, found.status) == (Reason.STATUS, 302)


def test_a_location_is_canonicalised_against_the_page_that_gave_it() -> None:
    web = TableWeb(
        {
            u("a/x/y"): redirect(u("a/x/y"), "../b/./index.html#part"),
            u("a/b/"): response(u("a/b/"), html("there")),
        }
    )
    assert page(visit(web, url=u("a/x/y"))).final_url == u("a/b/")


@pytest.mark.parametrize(
    "location", ["mailto:me@example.org", "javascript:void(0)", "http://", "ftp://a.test/"]
)
def test_a_location_that_is_no_url(location: str) -> None:
    web, shelf = TableWeb({u("a"): redirect(u("a"), location)}), Shelf()
    found = failure(visit(web, archive=shelf))
    assert found.reason is Reason.STATUS
    assert "a redirect to what is no URL" in found.detail
    assert found.final_url == u("a")
    assert len(shelf.kept) == 1


@pytest.mark.parametrize("names", [("a", "a"), ("a", "b", "a"), ("a", "b", "c", "b")])
def test_a_loop_is_noticed_when_it_closes(names: tuple[str, ...]) -> None:
    urls = [u(name) for name in names]
    web = TableWeb({here: redirect(here, there) for here, there in itertools.pairwise(urls)})
    found = failure(visit(web))
    assert found.reason is Reason.REDIRECT_LOOP
    assert web.asked == urls[:-1]
    assert len(set(web.asked)) == len(web.asked)


def test_five_redirects_are_followed_and_no_more() -> None:
    names = [f"h{i}" for i in range(MAX_REDIRECTS + 2)]
    assert MAX_REDIRECTS == 5
    assert page(visit(chain(*names[:-1]), url=u("h0"))).final_url == u("h5")
    web = chain(*names)
    found = failure(visit(web, url=u("h0")))
    assert found.reason is Reason.TOO_MANY_REDIRECTS
    assert web.asked == [u(name) for name in names[:-1]]
    assert u("h6") not in (found.final_url, *found.hops), "it was not asked for: it is not had"


@pytest.mark.parametrize("reason", [Reason.ALREADY_KNOWN, Reason.OUT_OF_SCOPE])
def test_the_crawl_may_refuse_a_hop_before_it_is_fetched(reason: Reason) -> None:
    web, robots = chain("a", "b", "c"), Rules()
    found = failure(visit(web, robots=robots, refuses=lambda request, url: reason if url == u("c") else None))
    assert (found.reason, found.detail) == (reason, "redirected to http://c.test/")
    assert found.hops == (u("a"), u("b"))
    assert web.asked == robots.asked == [u("a"), u("b")]


def test_elapsed_adds_up_and_the_longest_crawl_delay_holds() -> None:
    web = TableWeb(
        {
            u("a"): response(u("a"), b"", 302, ("Location", u("b")), elapsed=30),
            u("b"): response(u("b"), html("x"), elapsed=40),
        }
    )
    robots = Rules(
        {
            u("a"): Permission(access=Access.ALLOWED, crawl_delay=Millis(9_000)),
            u("b"): Permission(access=Access.ALLOWED, crawl_delay=Millis(2_000)),
        }
    )
    found = page(visit(web, robots=robots))
    assert found.elapsed == 70
    assert found.crawl_delay == 9_000, "it is the first host that rests"


# -- no page -------------------------------------------------------------------------------------------------


def test_robots_forbid_before_anything_is_fetched() -> None:
    web, shelf = chain("a"), Shelf()
    robots = Rules({u("a"): Permission(access=Access.DISALLOWED, rule="Disallow: /", crawl_delay=Millis(7))})
    found = failure(visit(web, robots=robots, archive=shelf))
    assert (found.reason, found.detail, found.crawl_delay) == (Reason.ROBOTS, "Disallow: /", 7)
    assert web.asked == []
    assert shelf.kept == []


def test_robots_forbid_a_hop() -> None:
    web = chain("a", "b")
    robots = Rules({u("b"): Permission(access=Access.DISALLOWED, rule="Disallow: /")})
    found = failure(visit(web, robots=robots))
    assert found.reason is Reason.ROBOTS
    assert found.final_url == u("b")
    assert web.asked == [u("a")]


def test_unreachable_robots_say_when_to_ask_again() -> None:
    later = Permission(access=Access.UNREACHABLE, rule="robots.txt: 503", retry_at=Millis(61_000))
    found = failure(visit(chain("a"), robots=Rules({u("a"): later})))
    assert found.reason is Reason.ROBOTS_UNREACHABLE
    assert found.detail == "robots.txt: 503"
    assert found.retry_after == 60_000


def test_a_fault_keeps_its_reason_and_what_it_told() -> None:
    fault = Fault(
        reason=Reason.TIMEOUT,
        detail="no byte in 20 s",
        address="192.0.2.7",
        elapsed=Millis(20_000),
        retry_after=Millis(5),
    )
    found = failure(visit(TableWeb({u("a"): fault})))
    assert (found.reason, found.detail, found.address) == (Reason.TIMEOUT, "no byte in 20 s", "192.0.2.7")
    assert (found.elapsed, found.retry_after, found.at, found.status) == (20_000, 5, NOW, 0)


def test_an_error_page_is_archived_and_its_retry_after_kept() -> None:
    shelf = Shelf()
    web = TableWeb({u("a"): response(u("a"), html("busy"), 503, ("Retry-After", "120"))})
    found = failure(visit(web, archive=shelf))
    assert (found.reason, found.status, found.retry_after) == (Reason.STATUS, 503, 120_000)
    assert [answer.status for answer in shelf.kept] == [503]


def test_retry_after_as_a_date_counts_from_now() -> None:
    web = TableWeb({u("a"): response(u("a"), b"", 429, ("Retry-After", "Thu, 01 Jan 1970 00:00:31 GMT"))})
    assert failure(visit(web)).retry_after == 30_000


@pytest.mark.parametrize(
    ("kind", "body"), [("image/png", b"\x89PNG\r\n\x1a\n\0\0"), ("application/zip", b"PK\x03\x04\0\1\2")]
)
def test_what_is_no_text_is_archived_and_not_read(kind: str, body: bytes) -> None:
    shelf = Shelf()
    found = failure(
        visit(TableWeb({u("a"): response(u("a"), body, 200, ("Content-Type", kind))}), archive=shelf)
    )
    assert (found.reason, found.status) == (Reason.NOT_TEXT, 200)
    assert kind in found.detail
    assert len(shelf.kept) == 1


def test_the_media_type_is_told_without_parameters() -> None:
    assert media_type_of(response(u("a"), b"", 200, ("Content-Type", " Text/HTML ;charset=x"))) == "text/html"
    bare = Response(url=u("a"), status=200, headers=(), body=b"", fetched_at=Millis(0))
    assert media_type_of(bare) == ""


def test_visits_side_by_side_know_nothing_of_each_other() -> None:
    web = TableWeb(
        {
            u("a"): redirect(u("a"), u("c")),
            u("b"): redirect(u("b"), u("d")),
            u("c"): response(u("c"), html("c")),
            u("d"): response(u("d"), html("d")),
        }
    )

    class Slow(TableWeb):
        async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
            await asyncio.sleep(0)
            return await web.fetch(url)

    async def main() -> list[Outcome]:
        visitor = Visitor(Slow(), None, None, lambda request, url: None, VirtualClock())
        return list(await asyncio.gather(*(visitor(Request(url=u(name), order=1)) for name in "ab")))

    one, other = asyncio.run(main())
    assert (page(one).hops, page(one).final_url) == ((u("a"),), u("c"))
    assert (page(other).hops, page(other).final_url) == ((u("b"),), u("d"))


def test_a_page_that_points_to_itself_has_no_way_out() -> None:
    found = page(visit(TableWeb({u("a"): response(u("a"), html("x", [u("a")]))})))
    assert isinstance(found.links[0], Link)
    assert found.out == ()


# -- waiting -------------------------------------------------------------------------------------------------

LATER = Fault(reason=Reason.TURN, retry_after=Millis(700), address="192.0.2.1")


def test_a_page_whose_turn_has_not_come_is_deferred_and_nothing_is_archived() -> None:
    shelf = Shelf()
    found = visit(TableWeb({A: LATER}), archive=shelf)
    assert found == Deferred(url=A, until=Millis(1_700), address="192.0.2.1")
    assert shelf.kept == []


def test_robots_txt_that_has_to_be_waited_for_defers_the_visit() -> None:
    later = Permission(access=Access.LATER, retry_at=Millis(4_000), address="192.0.2.1")
    found = visit(TableWeb(), robots=Rules({A: later}))
    assert found == Deferred(url=A, until=Millis(4_000), address="192.0.2.1")


def test_behind_a_redirect_to_a_host_whose_turn_has_not_come_the_visit_waits_there_and_goes_on() -> None:
    there = chain("a", "b", "b/c")

    def closed(request, url):
        return Reason.TURN if url == u("b") else None

    robots = Rules({A: Permission(access=Access.ALLOWED, crawl_delay=Millis(5_000))})
    waits = visit(there, refuses=closed, robots=robots)
    assert waits == Deferred(
        url=A, way=(u("b"),), asked=True, elapsed=there.answers[A].elapsed, crawl_delay=Millis(5_000)
    )
    there.asked.clear()
    found = page(visit(there, way=(u("b"),)))
    assert there.asked == [u("b"), u("b/c")], "the first host is not asked again"
    assert (found.url, found.hops, found.final_url) == (A, (A, u("b")), u("b/c"))


def test_a_visit_that_waited_is_refused_where_others_were_faster() -> None:
    def known(request, url):
        return Reason.ALREADY_KNOWN

    there = chain("a", "b")
    found = failure(visit(there, refuses=known, way=(u("b"),)))
    assert (found.reason, found.final_url, found.hops) == (Reason.ALREADY_KNOWN, u("b"), (A,))
    assert there.asked == []


def test_redirects_are_counted_across_waits() -> None:
    names = [f"a/{n}" for n in range(MAX_REDIRECTS + 2)]
    way = tuple(u(name) for name in names[1 : MAX_REDIRECTS + 1])
    found = failure(visit(chain(*names), url=u(names[0]), way=way))
    assert found.reason is Reason.TOO_MANY_REDIRECTS

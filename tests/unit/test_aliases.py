"""Second names of pages: what is learned of a site, what is fetched no more, and what is never merged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from tests.worlds import Scripted, drive, failed, journal, lease, looks, made_page, make_crawl, u, visited

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.packed import listed
from lycosa.model.records import Failure, Link, Millis, Page, Reason, Request, UrlState
from lycosa.model.url import Url
from lycosa.read.duplicates import simhash
from lycosa.scoring.words.terms import counts
from lycosa.strategies.order import BreadthFirst


def text_of(number: int, words: int = 60) -> str:
    draw = random.Random(number)
    return " ".join("".join(draw.choices("abcdefghijklmnop", k=6)) for _ in range(words))


def read(url: Url, text: int | str, *, final: Url | None = None, hops: tuple[Url, ...] = ()) -> Page:
    """A page that a link led to, with one of many texts that have nothing in common."""
    said = text_of(text) if isinstance(text, int) else text
    request = Request(url=url, order=0, depth=1, via=Link(source=u("s"), target=url))
    page = made_page(request, text=said, final=final, digest=f"sha1:{said}", hops=hops)
    return msgspec.structs.replace(page, fingerprint=simhash(counts(said)))


def after(*pages: Page) -> Aliases:
    aliases = Aliases()
    for page in pages:
        aliases.seen(page)
    return aliases


def first(aliases: Aliases, url: Url, state: UrlState = UrlState.VISITED) -> Url | None:
    return aliases.first_name(url, lambda url: state)


# -- what is learned ---------------------------------------------------------------------------------------------


def test_two_pairs_of_different_texts_are_enough_and_one_is_not() -> None:
    pages = [
        read(u("a/x"), 1),
        read(u("a/x.php"), 1),
        read(u("a/y"), 2),
        read(u("a/y.php"), 2),
        read(u("a/z"), 3),
    ]
    assert first(after(*pages[:2], pages[4]), u("a/z.php")) is None
    assert first(after(*pages), u("a/z.php")) == u("a/z")
    assert first(after(*pages), u("b/z.php")) is None, "another site"
    same = [read(page.url, 1) for page in pages[:4]]
    assert first(after(*same, pages[4]), u("a/z.php")) is None, (
        "one text twice: an error page may say it always"
    )


def test_a_pair_that_differs_switches_a_kind_off_for_good() -> None:
    agreeing = [read(u(f"a/{n}{end}"), n) for n in range(9) for end in ("", ".php")]
    against = [read(u("a/x"), 100), read(u("a/x.php"), 101)]
    for pages in ([*agreeing, *against], [*against, *agreeing], [*agreeing[:4], *against, *agreeing[4:]]):
        assert first(after(*pages, read(u("a/z"), 50)), u("a/z.php")) is None


def test_schemes_and_tracking_count_nowhere_until_a_pair_differs() -> None:
    aliases = after(read(u("a/x"), 1))
    for other in ("https://a.test/x", "http://a.test/x?utm_source=feed&fbclid=1"):
        assert first(aliases, Url(other)) == u("a/x")
    assert first(aliases, Url("https://a.test/x?page=2")) is None
    aliases.seen(read(Url("https://a.test/x"), 2))
    assert first(aliases, Url("https://a.test/y")) is None
    aliases.seen(read(u("a/y"), 3))
    assert first(aliases, Url("https://a.test/y")) is None, "switched off on this site"
    aliases.seen(read(u("b/y"), 4))
    assert first(aliases, Url("https://b.test/y")) == u("b/y")


def test_a_parameter_has_to_agree_with_two_values() -> None:
    """Lists whose first page is the same with `page=1` are common, and their second page is another one."""
    pages = [read(u(f"a/{n}{end}"), n) for n in range(3) for end in ("", "?page=1")]
    assert first(after(*pages, read(u("a/z"), 9)), u("a/z?page=2")) is None
    more = [read(u("a/0?ref=x"), 0), read(u("a/1?ref=y"), 1)]
    assert first(after(*pages, *more, read(u("a/z"), 9)), u("a/z?ref=5")) == u("a/z")


def test_a_redirect_from_one_name_to_the_other_is_evidence_but_of_parameters() -> None:
    slash = [read(u(f"a/{n}"), n, final=u(f"a/{n}/"), hops=(u(f"a/{n}"),)) for n in range(2)]
    assert first(after(*slash, read(u("a/z/"), 9)), u("a/z")) == u("a/z/")
    lost = [read(u(f"a/{n}?id={n}"), n, final=u(f"a/{n}"), hops=(u(f"a/{n}?id={n}"),)) for n in range(5)]
    assert first(after(*lost, read(u("a/z"), 9)), u("a/z?id=7")) is None
    known = Aliases()
    for n in range(2):
        known.failed(
            Failure(
                request=Request(url=u(f"a/{n}"), order=0),
                reason=Reason.ALREADY_KNOWN,
                hops=(u(f"a/{n}"),),
                final_url=u(f"a/{n}/"),
            )
        )
    known.seen(read(u("a/z/"), 9))
    assert first(known, u("a/z")) == u("a/z/")


def test_what_a_site_says_under_any_name_proves_nothing() -> None:
    errors = [read(u(f"a/{n}{end}"), 1 + n % 2) for n in range(6) for end in ("", "/")]
    assert first(after(*errors, read(u("a/z"), 9)), u("a/z/")) is None


def test_few_words_agree_only_if_the_bytes_do() -> None:
    short = [read(u(f"a/{n}{end}"), f"picture number {n}") for n in range(3) for end in ("", "/")]
    assert first(after(*short, read(u("a/z"), 9)), u("a/z/")) == u("a/z")
    other = [msgspec.structs.replace(page, digest=f"sha1:{place}") for place, page in enumerate(short)]
    assert first(after(*other, read(u("a/z"), 9)), u("a/z/")) is None


def test_what_was_learned_is_told_in_facts() -> None:
    pages = [read(u(f"a/{n}{end}"), n) for n in range(2) for end in ("", ".php", "?x=1")]
    aliases = after(*pages, read(u("a/1?x=2"), 7))
    assert aliases.facts() == [
        {"site": "a.test", "no difference": {"file extension": 2}, "a difference": ["parameter x"]}
    ]


# -- what follows in a crawl -------------------------------------------------------------------------------------


def in_crawl(texts: dict[Url, int], links: dict[Url, list[Url]]) -> Callable[[Request], Page | Failure]:
    """What visits find: pages with these texts and links, else a 404."""

    def answer(request: Request) -> Page | Failure:
        if request.url not in texts:
            return failed(request, Reason.STATUS, 404)
        said = text_of(texts[request.url])
        page = made_page(request, *links.get(request.url, ()), text=said, digest=said)
        return msgspec.structs.replace(page, fingerprint=simhash(counts(said)))

    return answer


def secure(url: Url) -> Url:
    return Url(url.replace("http:", "https:"))


def test_the_second_name_of_a_page_that_the_crawl_has_is_not_fetched() -> None:
    texts = {u("a"): 1, u("a/x"): 2, secure(u("a/x")): 2, u("a/y"): 3}
    links = {u("a"): [u("a/x"), u("a/y")], u("a/x"): [secure(u("a/x"))], u("a/y"): [secure(u("a"))]}
    crawl = make_crawl(BreadthFirst(), aliases=Aliases())
    crawl.start([u("a")], Millis(0))
    drive(crawl, in_crawl(texts, links))
    assert visited(crawl) == [u("a"), u("a/x"), u("a/y")]
    assert crawl.failures == 0
    assert crawl.admission.second_names == 2
    assert crawl.frontier.state(secure(u("a/x"))) is UrlState.UNSEEN


def test_a_link_to_the_second_name_of_what_waits_counts_for_the_first() -> None:
    def better(page: Page, view: View) -> list[Command]:
        return [Enqueue(url=secure(u("a/x")), score=9.0, via=Link(source=u("a"), target=secure(u("a/x"))))]

    crawl = make_crawl(Scripted(better), aliases=Aliases())
    crawl.start([u("a")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a/y"), u("a/x")), Millis(0))
    waits = crawl.frontier.waiting(u("a/x"))
    assert waits is not None
    assert waits.score == 9.0
    assert lease(crawl).url == u("a/x")
    assert crawl.frontier.state(secure(u("a/x"))) is UrlState.UNSEEN


def test_if_the_first_name_brings_no_page_the_second_is_fetched() -> None:
    texts = {u("a"): 1, secure(u("a/x")): 2}
    crawl = make_crawl(BreadthFirst(), aliases=Aliases())
    crawl.start([u("a")], Millis(0))
    drive(crawl, in_crawl(texts, {u("a"): [u("a/x"), secure(u("a/x"))]}))
    assert visited(crawl) == [u("a"), secure(u("a/x"))]
    assert crawl.failures == 1


def test_start_pages_are_fetched_by_the_name_that_was_given() -> None:
    crawl = make_crawl(BreadthFirst(), aliases=Aliases())
    crawl.start([u("a"), secure(u("a"))], Millis(0))
    drive(crawl, in_crawl({u("a"): 1, secure(u("a")): 1}, {}))
    assert visited(crawl) == [u("a"), secure(u("a"))]


def test_a_page_that_says_what_another_says_is_no_page_and_nobody_learns_of_it() -> None:
    texts = {u("a"): 1, u("a/x"): 2, u("b/copy"): 2, u("b/other"): 3}
    strategy = Scripted()
    crawl = make_crawl(strategy, aliases=Aliases())
    crawl.start([u("a")], Millis(0))
    drive(crawl, in_crawl(texts, {u("a"): [u("a/x"), u("b/copy"), u("b/other")], u("b/other"): [u("c")]}))
    assert visited(crawl) == [u("a"), u("a/x"), u("b/other")]
    alias, _ = strategy.failures
    assert (alias.url, alias.reason, alias.detail) == (u("b/copy"), Reason.ALIAS, u("a/x"))
    assert crawl.pages == 3


def test_the_same_words_are_another_page_where_the_links_lead_elsewhere() -> None:
    """A server that shows a folder without its slash: relative links of it lead nowhere."""
    page = read(u("a/dir/"), 1)
    aliases = after(msgspec.structs.replace(page, links=(Link(source=page.url, target=u("a/dir/x")),)))
    for host, target, first_name in (("a", "a/x", None), ("b", "b/dir/x?session=1", u("a/dir/"))):
        again = read(u(f"{host}/dir"), 1)
        again = msgspec.structs.replace(again, links=(Link(source=again.url, target=u(target)),))
        assert aliases.same_page(again) == first_name


def test_few_words_are_another_page_if_the_bytes_differ() -> None:
    aliases = after(read(u("a/1"), "a picture"))
    again = read(u("a/2"), "a picture")
    assert aliases.same_page(again) == u("a/1")
    assert aliases.same_page(msgspec.structs.replace(again, digest="sha1:another")) is None


def test_a_page_that_is_fetched_again_is_no_second_name_of_itself() -> None:
    aliases = after(read(u("a/x"), 1))
    assert aliases.same_page(read(u("a/x"), 1)) is None


def test_of_second_names_that_were_fetched_all_the_same_the_kind_is_learned() -> None:
    texts = {u("a"): 1, **{u(f"a/{n}{end}"): 2 + n for n in range(3) for end in ("", ".php")}}
    names = [u(f"a/{n}{end}") for n in range(2) for end in ("", ".php")]
    links = {u("a"): [*names, u("a/2")], u("a/2"): [u("a/2.php")]}
    crawl = make_crawl(BreadthFirst(), aliases=Aliases())
    crawl.start([u("a")], Millis(0))
    drive(crawl, in_crawl(texts, links))
    assert visited(crawl) == [u("a"), u("a/0"), u("a/1"), u("a/2")]
    assert crawl.failures == 2
    assert crawl.admission.second_names == 1


# -- promises ----------------------------------------------------------------------------------------------------

NAMES = [
    Url(f"{scheme}://{host}.test/{path}{end}")
    for scheme in ("http", "https")
    for host in ("a", "www.a")
    for path in ("x", "X", "y", "index")
    for end in ("", ".php", "/", "?p=1", "?p=2", "?utm_source=q")
]
READS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), max_size=30)


def told(reads: Iterable[tuple[Url, int]], most: int = 1000) -> tuple[Aliases, dict[Url, int]]:
    aliases, said = Aliases(most), dict[Url, int]()
    for url, text in reads:
        aliases.admit(url)
        if url not in said:
            said[url] = text
            aliases.seen(read(url, text))
    return aliases, said


AS_SCHEMES_DIFFER = [
    (Url("http://a.test/index?utm_source=q"), 1),
    (Url("https://a.test/index"), 1),
    (Url("https://a.test/index.php"), 0),
    (Url("https://a.test/index?utm_source=q"), 0),
]
"""The last one differs from the first, so schemes make a difference here; only then is the second one near it."""


@given(READS)
@example(AS_SCHEMES_DIFFER)
def test_never_merges_what_differs(reads: list[tuple[Url, int]]) -> None:
    aliases, said = told(reads)
    for url in said:
        name = first(aliases, url)
        assert name is None or said[name] == said[url]


@given(READS, st.sampled_from(UrlState))
def test_the_crawl_has_it(reads: list[tuple[Url, int]], state: UrlState) -> None:
    aliases, said = told(reads)
    for url in NAMES:
        name = first(aliases, url, state)
        assert name is None or (name in said and name != url)
        assert name is None or state in (UrlState.VISITED, UrlState.PENDING, UrlState.LEASED)


@given(READS, st.integers(1, 12))
def test_bounded(reads: list[tuple[Url, int]], most: int) -> None:
    aliases, _ = told(reads, most)
    kept = [len(names) + len(texts) for _, _, names, texts, *_ in listed(aliases.save()["sites"])]
    assert sum(kept) <= most


@given(READS, READS)
def test_load_restores_every_answer(before: list[tuple[Url, int]], later: list[tuple[Url, int]]) -> None:
    aliases, said = told(before)
    again = Aliases(1000)
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(aliases.save())))
    for url, text in later:
        assert [first(again, name) for name in NAMES] == [first(aliases, name) for name in NAMES]
        for each in (aliases, again) if url not in said else ():
            each.seen(read(url, text))
        said[url] = text
    assert again.save() == aliases.save()


class Drawn(Scripted):
    """Follows all links, with scores by chance."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=link.target, score=crawl.rng.random(), via=link) for link in page.links]


def world(trial: int) -> Callable[[Request], Page | Failure]:
    """Names of some pages, most of which are of one page each by all kinds; some fail, some lead elsewhere."""
    draw = random.Random(trial)
    off = draw.choice(["?p=", ".php", "X", "no kind"])
    texts = {url: hash_of(url) if off in url else len(url.split("/")[3]) % 5 for url in NAMES}
    links = {url: draw.choices(NAMES, k=5) for url in NAMES}
    dead = {*draw.sample(NAMES, 12)}
    return in_crawl({url: text for url, text in texts.items() if url not in dead}, links)


def hash_of(url: Url) -> int:
    return 10 + NAMES.index(url)


def test_replay_equals_run_with_second_names() -> None:
    met = 0
    for trial in range(30):
        run = make_crawl(Drawn(), aliases=Aliases(40), seed=trial, budget=40)
        run.start(random.Random(trial).sample(NAMES, 3), Millis(0))
        drive(run, world(trial))
        again = make_crawl(Drawn(), aliases=Aliases(40), seed=trial, budget=40)
        again.replay(journal(run))
        assert looks(again) == looks(run)
        assert again.admission.second_names == run.admission.second_names
        met += run.admission.second_names
    assert met, "some second name was met"


def test_a_crawl_that_took_each_name_for_a_page_can_go_on_with_names_learned() -> None:
    """It was killed, its settings were changed, and what it leased then is leased again."""
    for trial in range(10):
        run = make_crawl(Drawn(), seed=trial, budget=20)
        run.start(random.Random(trial).sample(NAMES, 3), Millis(0))
        drive(run, world(trial))
        again = make_crawl(Drawn(), aliases=Aliases(), seed=trial, budget=30)
        again.replay(journal(run))
        assert visited(again) == visited(run)
        assert (again.pages, again.failures) == (run.pages, run.failures)
        again.extend(30, Millis(0))
        drive(again, world(trial))
        assert again.finished


def test_a_crawl_without_variants_is_unchanged() -> None:
    links = {u(f"a/{n}"): [u(f"a/{m}") for m in (2 * n + 1, 2 * n + 2)] for n in range(30)}
    answer = in_crawl({url: 10 + place for place, url in enumerate(links)}, links)
    crawls = [make_crawl(Drawn(), aliases=aliases) for aliases in (None, Aliases())]
    for crawl in crawls:
        crawl.start([u("a/0")], Millis(0))
        drive(crawl, answer)
    assert journal(crawls[0]) == journal(crawls[1])

"""Small webs and ready-made parts of a crawl that several test files use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from msgspec.structs import replace

from lycosa.crawl.aliases import Aliases
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.order import Order, OrderRules
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Schedule
from lycosa.crawl.requests import Requests
from lycosa.crawl.scope import Scope
from lycosa.crawl.split import Split
from lycosa.crawl.stopping import Endless
from lycosa.crawl.strategy import Strategy, View
from lycosa.crawl.topic import TopicModel
from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Command, Enqueue
from lycosa.model.digests import payload_digest
from lycosa.model.events import Entry
from lycosa.model.records import PLAIN, Ask, Failure, Fault, Link, Millis, Page, Reason, Request, Response
from lycosa.model.url import Url
from lycosa.scoring.words.terms import cosine, counts
from lycosa.web.recorded import modelled_latency

NO_DELAY = PaceRules(delay=Millis(0), slowness=0.0)
"""For tests that are not about politeness."""


class CosineTopic:
    """Relevance is the cosine of raw counts between some words and the page (ALGORITHMS §2.4)."""

    def __init__(self, words: str = "") -> None:
        self.query = counts(words)

    def relevance(self, page: Page) -> float:
        return cosine(self.query, page.terms)

    def explain(self, page: Page) -> Mapping[str, float]:
        return {"cosine": self.relevance(page)}


def u(name: str) -> Url:
    """`a` is http://a.test/, `a/x` is http://a.test/x."""
    host, _, path = name.partition("/")
    return Url(f"http://{host}.test/{path}")


def html(text: str = "", links: Iterable[Url] = (), head: str = "") -> bytes:
    anchors = "".join(f'<a href="{escape(link)}">to {escape(link)}</a> ' for link in links)
    return f"<!DOCTYPE html><html><head>{head}</head><body><p>{text}</p>{anchors}</body></html>".encode()


def response(
    url: Url, body: bytes = b"", status: int = 200, *headers: tuple[str, str], elapsed: int = 0
) -> Response:
    kinds = (
        [] if any(name.lower() == "content-type" for name, _ in headers) else [("Content-Type", "text/html")]
    )
    return Response(
        url=url,
        status=status,
        headers=(*kinds, *headers),
        body=body,
        fetched_at=Millis(0),
        elapsed=Millis(elapsed),
        address="192.0.2.1",
    )


def redirect(url: Url, location: str, status: int = 302) -> Response:
    return response(url, b"", status, ("Location", location))


class TableWeb:
    """A web given as a table of answers; what it has no answer for is a 404. Remembers what was asked."""

    def __init__(self, answers: Mapping[Url, Response | Fault] | None = None) -> None:
        self.answers = dict(answers or {})
        self.asked: list[Url] = []

    @classmethod
    def of_graph(cls, graph: Mapping[str, Sequence[str]], texts: Mapping[str, str] | None = None) -> TableWeb:
        """Pages by name, each with the names it links to."""
        texts = texts or {}
        return cls(
            {u(name): response(u(name), html(texts.get(name, ""), map(u, to))) for name, to in graph.items()}
        )

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.asked.append(url)
        return self.answers.get(url) or response(url, b"", 404)

    async def close(self) -> None:
        """Nothing is open."""

    def latency(self, url: Url) -> Millis:
        return modelled_latency(0, url)


def make_crawl(
    strategy: Strategy,
    *,
    topic: TopicModel | None = None,
    frontier: Frontier | None = None,
    store: MemoryStore | None = None,
    scope: Scope | None = None,
    traps: TrapLimits | None = None,
    rules: PaceRules = NO_DELAY,
    seed: int = 0,
    budget: int = 1000,
    requests: int | None = None,
    stopping: Endless | None = None,
    order: OrderRules | None = None,
    aliases: Aliases | None = None,
    schedule: Schedule | None = None,
    split: Split | None = None,
) -> Crawl:
    return Crawl(
        strategy,
        frontier if frontier is not None else MemoryFrontier(),
        topic or CosineTopic(),
        store if store is not None else MemoryStore(),
        gate=Gate(scope or Scope(), Traps(traps), aliases=aliases),
        pace=Pace(rules, seed=seed),
        order=Order(order),
        seed=seed,
        budget=budget,
        requests=Requests(requests),
        stopping=stopping,
        schedule=schedule,
        split=split,
    )


def made_page(
    request: Request,
    *targets: Url | tuple[Url, str],
    text: str = "",
    final: Url | None = None,
    nofollow: bool = False,
    **facts: Any,
) -> Page:
    """A page with links to some URLs, or to URLs with an anchor each; `facts` are any other fields."""
    final = final or request.url
    pairs = [(target, "") if isinstance(target, str) else target for target in targets]
    plain = Page(
        request=request,
        final_url=final,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest=payload_digest(text.encode()),
        title="",
        text=text,
        terms=counts(text),
        links=tuple(Link(source=final, target=to, anchor=anchor, nofollow=nofollow) for to, anchor in pairs),
    )
    return replace(plain, **facts)


def failed(request: Request, reason: Reason = Reason.CONNECT, status: int = 0) -> Failure:
    return Failure(request=request, reason=reason, status=status)


class Scripted(Strategy):
    """Follows all links and does besides what functions given by the test say."""

    def __init__(
        self,
        page: Callable[[Page, View], Iterable[Command]] = lambda page, view: (),
        idle: Callable[[View], Iterable[Command]] = lambda view: (),
        failure: Callable[[Failure, View], Iterable[Command]] = lambda failure, view: (),
    ) -> None:
        self.page, self.idle, self.failure = page, idle, failure
        self.failures: list[Failure] = []
        self.idled = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [*(Enqueue(url=link.target, via=link) for link in page.links), *self.page(page, crawl)]

    def on_idle(self, crawl: View) -> Iterable[Command]:
        self.idled += 1
        return self.idle(crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        self.failures.append(failure)
        return self.failure(failure, crawl)


def lease(crawl: Crawl, now: int = 0) -> Request:
    request = crawl.lease(Millis(now))
    assert request is not None
    return request


Answer = Callable[[Request], Page | Failure]


def by_table(graph: Mapping[str, Sequence[str]], texts: Mapping[str, str] | None = None) -> Answer:
    """Pages of a graph by name; what is not in it is a 404."""
    known = {u(name): (name, tuple(map(u, to))) for name, to in graph.items()}

    def answer(request: Request) -> Page | Failure:
        if request.url not in known:
            return failed(request, Reason.STATUS, 404)
        name, targets = known[request.url]
        return made_page(request, *targets, text=(texts or {}).get(name, ""))

    return answer


def drive(crawl: Crawl, answer: Answer, *, now: int = 0, most: int = 10_000) -> int:
    """The loop one would draw, one visit at a time; resting hosts are waited for. Returns the time at the end."""
    for _ in range(most):
        if crawl.finished:
            return now
        request = crawl.lease(Millis(now))
        if request is not None:
            crawl.commit(answer(request), Millis(now))
        elif (wakes := crawl.wakes_at()) is not None:
            assert wakes > now, "a crawl must not ask to be woken in the past"
            now = wakes
        else:
            assert crawl.finished, "nothing to do, nothing to wait for, and not finished"
    raise AssertionError("the crawl does not end")


def journal(crawl: Crawl) -> list[Entry]:
    return list(crawl.store.entries())


def visited(crawl: Crawl) -> list[Url]:
    """The URLs of the pages brought back, in order."""
    return [entry.event.url for entry in journal(crawl) if isinstance(entry.event, Page)]


def looks(crawl: Crawl) -> dict[str, object]:
    """All that two equal crawls have in common."""
    frontier = crawl.frontier
    return {
        "counts": (
            crawl.step,
            crawl.pages,
            crawl.failures,
            crawl.admission.refused,
            crawl.trimmed,
            crawl.ended,
        ),
        "keys": frontier.keys(),
        "leased": dict(frontier.leased),
        "quota": frontier.quota,
        "strategy": crawl.strategy.save(),
        "pace": crawl.pace.save(),
        "order": crawl.order.save(),
        "gate": crawl.gate.save(),
        "recent": crawl.store.memory.recent(10_000),
    }

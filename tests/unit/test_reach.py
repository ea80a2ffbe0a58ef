"""How many hosts a crawl may ask, by hand and on webs where redirects lead to further ones."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.properties.test_request_properties import RULES, URLS, web_of
from tests.worlds import TableWeb, html, journal, looks, make_crawl, redirect, response, u

import lycosa
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.reach import Reach
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Millis, Reason
from lycosa.model.url import host_of
from lycosa.spec.options import spec_from_options
from lycosa.spec.tree import ScopeSpec
from lycosa.strategies.order import BreadthFirst

TRIALS = range(60)


def crawl_of(most: int | None, trial: int = 0) -> Crawl:
    crawl = make_crawl(BreadthFirst(), rules=RULES, seed=trial)
    crawl.gate.reach = Reach(most)
    return crawl


def crawled(crawl: Crawl, web: TableWeb, width: int = 5) -> None:
    clock = VirtualClock()
    visitor = Visitor(web, None, None, crawl.refuses_redirect, clock)
    asyncio.run(simulate(crawl, visitor, web.latency, clock, width=width))


def asked(web: TableWeb) -> set[str]:
    return {host_of(url) for url in web.asked}


class TestReach:
    def test_counts_names_in_the_order_of_their_leases(self) -> None:
        reach = Reach(2)
        assert [reach.ask(u(url)) for url in ("a/1", "a/2", "b/1", "c/1", "b/2")] == [
            False, False, True, False, False,
        ]  # fmt: skip
        assert reach.save() == ["a.test", "b.test"]
        assert reach.refuses(u("b/9")) is None
        assert reach.refuses(u("c/1")) == (
            "c.test is a further host, and the crawl asks no more than 2 hosts (--max-hosts)"
        )

    def test_without_a_limit_remembers_nothing(self) -> None:
        reach = Reach()
        assert not reach.ask(u("a/1"))
        assert (reach.save(), reach.refuses(u("b/1"))) == ([], None)

    def test_once_in_never_out(self) -> None:
        rng = random.Random(1)
        for most in range(1, 6):
            reach, welcome = Reach(most), set()
            for _ in range(50):
                url = rng.choice(URLS)
                if reach.refuses(url) is None:
                    reach.ask(url)
                    welcome.add(host_of(url))
                assert all(reach.refuses(each) is None for each in URLS if host_of(each) in welcome)
                restored = Reach(most)
                restored.load(reach.save())
                assert [restored.refuses(each) for each in URLS] == [reach.refuses(each) for each in URLS]
            assert len(welcome) == most


class TestCrawl:
    def test_no_more_hosts_than_allowed(self) -> None:
        """Whatever redirects where, with five visits side by side."""
        bound = 0
        for trial in TRIALS:
            most = 1 + trial % 4
            free, web, open_web = crawl_of(None, trial), web_of(trial), web_of(trial)
            free.start(URLS[:1], Millis(0))
            crawled(free, open_web)
            crawl = crawl_of(most, trial)
            crawl.start(URLS[:1], Millis(0))
            crawled(crawl, web)
            assert crawl.finished
            assert len(asked(web)) <= most
            assert asked(web) == set(crawl.gate.reach.save())
            bound += len(asked(open_web)) > most
            if len(asked(open_web)) <= most:
                assert sorted(web.asked) == sorted(open_web.asked)
            again = crawl_of(most, trial)
            again.replay(journal(crawl))
            assert looks(again) == looks(crawl)
            assert again.admission.refused == crawl.admission.refused
            restored = crawl_of(most, trial)
            restored.restore(crawl.snapshot())
            assert restored.gate.reach.save() == crawl.gate.reach.save()
        assert bound > 30

    def test_what_waits_for_further_hosts_is_dropped_at_once(self) -> None:
        pages = {u("a/"): ["a/1", "b/", "c/", "d/"], u("a/1"): ["d/1"], u("b/"): ["b/1", "e/"], u("b/1"): []}
        web = TableWeb({url: response(url, html("bees", map(u, links))) for url, links in pages.items()})
        crawl = crawl_of(2)
        crawl.start([u("a/")], Millis(0))
        crawled(crawl, web, width=1)
        assert sorted(web.asked) == [u("a/"), u("a/1"), u("b/"), u("b/1")]
        assert crawl.pages == 4
        assert crawl.failures == 0
        assert crawl.admission.refused == 4, "c/ and d/ were dropped, d/1 and e/ never entered"

    def test_redirect_to_a_further_host_is_not_followed(self) -> None:
        web = TableWeb({
            u("a/"): response(u("a/"), html("bees", [u("a/1")])),
            u("a/1"): redirect(u("a/1"), u("b/")),
        })  # fmt: skip
        crawl = crawl_of(1)
        crawl.start([u("a/")], Millis(0))
        crawled(crawl, web)
        failures = [entry.event for entry in journal(crawl) if isinstance(entry.event, Failure)]
        assert [(each.reason, each.detail) for each in failures] == [
            (Reason.OUT_OF_SCOPE, f"redirected to {u('b/')}")
        ]


class TestFolder:
    def test_why_and_status_tell_what_was_left_out(self, tmp_path: Path) -> None:
        archive = WarcArchive.open(tmp_path / "web", Provenance(crawl_id="0" * 32, user_agent="lycosa"))
        for name, links in {
            "a/": ["a/1", "b/", "c/"],
            "a/1": ["a/2", "c/1"],
            "a/2": [],
            "b/": [],
            "c/": [],
        }.items():
            archive.write(response(u(name), html(f"bees {name}", map(u, links))))
        archive.close()
        scope = ScopeSpec(most_hosts=1)
        told: dict[str, object] = {"web": str(tmp_path / "web"), "out": tmp_path / "c", "scope": scope}
        lycosa.crawl("bees", [u("a/")], pages=2, **told).close()
        with lycosa.resume(tmp_path / "c", pages=10) as folder:
            status = folder.status()
            assert (status.pages, status.hosts, status.ended_by, status.refused) == (3, 1, "exhausted", 3)
            for name in ("b/", "c/", "c/1"):
                why = folder.why(u(name))
                assert why.state == "refused"
                assert why.reason == (
                    f"{name[0]}.test is a further host, and the crawl asks no more than 1 host (--max-hosts)"
                )
            assert (
                "no page of the crawl links to it, and d.test is a further host" in folder.why(u("d/")).reason
            )


class TestOptions:
    def test_start_pages_of_more_hosts_than_allowed_are_told(self) -> None:
        words = ("bees", "https://a.example/", "https://a.example/1", "https://b.example/")
        assert spec_from_options(words=words, max_hosts=2).scope.most_hosts == 2
        with pytest.raises(InputError, match="--max-hosts 1: the start pages are on 2 hosts already"):
            spec_from_options(words=words, max_hosts=1)

"""Stopping rules in a crawl's folder: held-out examples, interruptions, what is told, and other rules on resuming."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import lycosa
from lycosa.cli.group import lycosa as commands
from lycosa.compose.outside import Outside
from lycosa.compose.topic import load_topic, topic_source
from lycosa.model.errors import InputError
from lycosa.model.events import Asked, Wish
from lycosa.sources.reading import Reading
from lycosa.spec.derived import start_url
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec, StopSpec, TopicSpec
from lycosa.store.inbox import Inbox
from lycosa.store.paths import Paths

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
WIKI = "http://schools.wiki.example/wp/"
START = f"{WIKI}Biosphere.html"
LIKE = tuple(
    f"{WIKI}{name}.html" for name in ("Dinosaur", "Fossil", "Reptile", "Bird", "Extinction", "Animal")
)
FALLS = StopSpec(harvest=0.3, window=10, after=10)


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def urls_of(folder: Path) -> list[str]:
    with lycosa.open(folder) as opened:
        return [row.url for row in opened.rows(text=False)]


# -- ended by a rule ---------------------------------------------------------------------------------------------


def test_who_ended_it_is_told_everywhere(tmp_path: Path) -> None:
    told = run(
        *("crawl", "dinosaur fossil", START, "--web", SAMPLE, "--out", tmp_path / "c", "--relevant", "0.05"),
        *("--stop-below", "30%:10", "--stop-after", 10),
    )
    sentence = "of the last 10 pages are relevant, less than 30 %"
    assert f"A stopping rule ended it: 2 {sentence}." in told.output
    assert f"lycosa resume {tmp_path / 'c'} --stop-below 0" in told.output
    status = run("status", tmp_path / "c").output
    assert re.search(r"^state +done: a stopping rule ended it: 2 of the last 10", status, re.MULTILINE)
    assert sentence in (tmp_path / "c" / "report.html").read_text()
    with lycosa.open(tmp_path / "c") as folder:
        assert 10 < folder.status().pages < 200


def test_a_killed_and_resumed_crawl_stops_at_the_same_page(tmp_path: Path) -> None:
    def crawl(place: Path, cut_at: int = 0) -> None:
        visits = 0

        def watch(_: object) -> None:
            nonlocal visits
            visits += 1
            if visits == cut_at:
                raise RuntimeError("the light went out")

        lycosa.crawl(
            "dinosaur fossil", [START], web=SAMPLE, relevant_from=0.05, stop=FALLS, out=place, watch=watch
        ).close()

    crawl(tmp_path / "whole")
    whole = urls_of(tmp_path / "whole")
    assert 10 < len(whole) < 200
    with pytest.raises(RuntimeError, match="the light went out"):
        crawl(tmp_path / "cut", 9)
    assert len(urls_of(tmp_path / "cut")) < len(whole)
    with lycosa.resume(tmp_path / "cut") as folder:
        assert folder.status().ended.startswith("a stopping rule ended it")
    assert urls_of(tmp_path / "cut") == whole


def test_resume_goes_on_under_other_rules_only(tmp_path: Path) -> None:
    place = tmp_path / "c"
    crawl = {"web": SAMPLE, "relevant_from": 0.05, "out": place}
    lycosa.crawl("dinosaur fossil", [START], stop=FALLS, **crawl).close()
    before = urls_of(place)
    run("resume", place, "-q")
    assert urls_of(place) == before, "the same rule still holds"
    run("resume", place, "-q", "--stop-below", "0", "--bytes", 0, "--pages", len(before) + 20)
    assert len(urls_of(place)) == len(before) + 20
    spec = load(Paths(place).specification, CrawlSpec)
    assert spec.stop == StopSpec(harvest=0.0, window=10, after=10), "what was not written stays"


def test_a_budget_that_was_asked_for_while_nobody_crawled_holds_from_the_next_run_on(tmp_path: Path) -> None:
    place = tmp_path / "c"
    lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, pages=5, out=place).close()
    Inbox(Paths(place).inbox).add([Asked(wish=Wish.BUDGET, pages=9)], after=0)
    run("resume", place, "-q", "--time", "5m")
    assert len(urls_of(place)) == 9
    spec = load(Paths(place).specification, CrawlSpec)
    assert (spec.pages, spec.seconds) == (9, 300)


def test_a_budget_of_requests_ends_the_crawl_and_can_be_extended(tmp_path: Path) -> None:
    place = tmp_path / "c"
    told = run("crawl", "dinosaur fossil", START, "--web", SAMPLE, "--out", place, "--requests", 7)
    assert "The budget of requests is used up." in told.output
    assert "by 7 requests" in told.output
    assert f"lycosa resume {place} --requests 14" in told.output
    status = json.loads(run("status", place, "--json").output)
    assert (status["requests"], status["request_budget"]) == (7, 7)
    assert 0 < status["pages"] <= 7
    assert re.search(r"requests +7 of 7, \d\.\d a page", run("status", place).output)
    run("resume", place, "-q", "--requests", "+5")
    with lycosa.open(place) as folder:
        assert folder.status().requests == 12
        assert folder.status().ended == "the budget of requests is used up"
    with pytest.raises(InputError, match="has 12 requests already"):
        lycosa.resume(place, requests=3)


def test_a_budget_of_requests_that_was_asked_for_from_outside(tmp_path: Path) -> None:
    place = tmp_path / "c"
    lycosa.crawl("dinosaur fossil", [START], web=SAMPLE, requests=5, out=place).close()
    Inbox(Paths(place).inbox).add([Asked(wish=Wish.BUDGET, requests=9)], after=0)
    with lycosa.resume(place) as folder:
        assert folder.status().requests == 9
        assert folder.spec.pages == 1_000, "as before"


def test_bytes(tmp_path: Path) -> None:
    run("crawl", "dinosaur", START, "--web", SAMPLE, "--out", tmp_path / "c", "-q", "--bytes", "100k")
    with lycosa.open(tmp_path / "c") as folder:
        taken = sum(row.warc_length or 0 for row in folder.history.rows())
        lengths = [row.warc_length or 0 for row in folder.history.rows()]
    assert taken - lengths[-1] < 100 * 1024 <= taken


def test_estimates_are_told(tmp_path: Path) -> None:
    told = run(
        *("crawl", "dinosaur fossil", START, "--web", SAMPLE, "--out", tmp_path / "c", "--relevant", "0.02"),
        *("--pages", 150),
    )
    with lycosa.open(tmp_path / "c") as folder:
        (estimate,) = folder.status().estimates
    assert estimate.by == "capture–recapture"
    assert 0 < estimate.recall < 1
    assert str(estimate)[1:] in told.output
    assert str(estimate) in run("status", tmp_path / "c").output
    told_as_json = json.loads(run("status", tmp_path / "c", "--json").output)
    assert told_as_json["estimates"][0]["found"] == estimate.found
    report = (tmp_path / "c" / "report.html").read_text()
    assert f"{100 * estimate.recall:.0f} %" in report
    assert "capture–recapture" in report


# -- held out ------------------------------------------------------------------------------------------------------


def test_held_out_examples_are_not_told_but_counted(tmp_path: Path) -> None:
    place = tmp_path / "c"
    topic = TopicSpec(examples=LIKE, hold_out=0.5)
    with lycosa.crawl(
        topic, [START], web=SAMPLE, pages=200, out=place, stop=StopSpec(recall=0.6, after=5)
    ) as folder:
        status = folder.status()
    source = load_topic(Paths(place))
    held = {names[0] for names in source.held_out}
    assert len(held) == 3
    assert len(source.examples) == 3
    fetched = urls_of(place)
    found = [url for url in fetched if url in held]
    assert status.estimates[0].by == "held-out examples"
    assert (status.estimates[0].found, status.estimates[0].of) == (len(found), 3)
    assert status.ended.startswith("a stopping rule ended it: about 67 %")
    assert len(found) == 2, "two of three are more than 60 %"
    assert fetched[-1] in held, "it ends with the page that decided"


def reading(topic: TopicSpec, *seeds: str) -> Reading:
    return Reading(topic, None, None, None, seeds=[start_url(url) for url in seeds])  # type: ignore[arg-type]


def test_start_pages_and_files_are_never_held_out(tmp_path: Path) -> None:
    examples = (*LIKE[:3], str(tmp_path / "a.html"), str(tmp_path / "b.html"))
    made = reading(TopicSpec(examples=examples, hold_out=0.9), LIKE[0], LIKE[1])
    assert made.set_aside == (LIKE[2],)
    assert made.topic.examples == (*LIKE[:2], *examples[3:])


def test_which_are_held_out_depends_on_their_urls_alone() -> None:
    one = reading(TopicSpec(examples=LIKE, hold_out=0.5))
    other = reading(TopicSpec(examples=LIKE[::-1], hold_out=0.5), START)
    assert set(one.set_aside) == set(other.set_aside)
    assert len(one.set_aside) == 3
    assert set(one.set_aside) | set(one.topic.examples) == set(LIKE)
    smaller = reading(TopicSpec(examples=LIKE, hold_out=0.3))
    assert set(smaller.set_aside) < set(one.set_aside)


def test_one_is_held_out_and_one_stays() -> None:
    assert len(reading(TopicSpec(examples=LIKE[:2], hold_out=0.01)).set_aside) == 1
    assert len(reading(TopicSpec(examples=LIKE, hold_out=0.99)).topic.examples) == 1
    assert reading(TopicSpec(examples=LIKE[:1], hold_out=0.5)).set_aside == ()
    assert reading(TopicSpec(examples=LIKE)).set_aside == ()


def test_pages_of_good_categories_are_held_out_too(tmp_path: Path) -> None:
    taxonomy = tmp_path / "t.json"
    categories = {"Past": LIKE[:4], "Present": [f"{WIKI}Biosphere.html", f"{WIKI}Animal.html"]}
    taxonomy.write_text(json.dumps({"categories": categories, "good": ["Past"]}))
    run(
        *("crawl", "--taxonomy", taxonomy, "--hold-out", "50%", START, "--web", SAMPLE),
        *("--pages", 60, "--out", tmp_path / "c", "-q"),
    )
    source = load_topic(Paths(tmp_path / "c"))
    held = {names[0] for names in source.held_out}
    assert len(held) == 2
    assert held < set(LIKE[:4])
    (given,) = source.given
    by_path = {category.path: category for category in given.categories}  # type: ignore[attr-defined]
    assert (len(by_path["Past"].examples), len(by_path["Present"].examples)) == (2, 2)


def test_few_are_told_of(tmp_path: Path) -> None:
    told = run(
        "crawl",
        START,
        "--web",
        SAMPLE,
        "--pages",
        3,
        "--out",
        tmp_path / "c",
        "--hold-out",
        "0.5",
        *(part for url in LIKE[:4] for part in ("--like", url)),
    )
    assert "2 example pages are held out, too few to tell recall by" in told.output


def test_one_that_cannot_be_had_is_left_out_and_told(tmp_path: Path) -> None:
    from lycosa.drive.clock import VirtualClock

    spec = CrawlSpec(web=SAMPLE)
    gone = [f"{WIKI}Nowhere{number}.html" for number in range(40)]
    topic = TopicSpec(keywords=("dinosaur",), examples=(LIKE[0], *gone), hold_out=0.5)
    clock = VirtualClock()
    made = Reading(topic, Outside(spec).web, None, clock)
    made.topic = TopicSpec(keywords=("dinosaur",), examples=(), hold_out=0.5)
    source = asyncio.run(topic_source(made))
    assert all(name[0] == LIKE[0] for name in source.held_out)
    assert sum("it is not held out" in note for note in made.notes) >= 19


def test_all_of_it_is_no_share(tmp_path: Path) -> None:
    told = CliRunner().invoke(
        commands, ["crawl", START, "--like", LIKE[0], "--hold-out", "1", "--out", str(tmp_path / "c")]
    )
    assert told.exit_code == 2
    assert "hold_out" in told.output

"""Partitions: rendezvous hashing, hashes of URLs, hosts and contents, topics, and their names."""

from __future__ import annotations

import doctest
import pickle
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from tests.sharers import NAMES, NamedClasses, nodes, page_at
from tests.worlds import CosineTopic

from lycosa.compose.parts import topic_of
from lycosa.crawl.company import Company
from lycosa.crawl.topic import TopicModel
from lycosa.model.errors import InputError
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.url import Url, canonical
from lycosa.sharing import registry
from lycosa.sharing.by_hash import ByContent, ByHost, ByUrl
from lycosa.sharing.by_topic import ByTopic
from lycosa.sharing.rendezvous import Rendezvous, _ln, hash64

SPORT_AND_BIZ = NamedClasses("sport", "biz")
MANY = 20_000
HOSTS = [f"host{number}.test" for number in range(MANY)]
URLS = [Url(f"http://{host}/") for host in HOSTS]


def three_sigma(share: float, of: int) -> float:
    return 3 * sqrt(share * (1 - share) / of)


class TestRendezvous:
    def test_one_node_has_all(self) -> None:
        assert Rendezvous(nodes(1)).owner("any") == "n0"

    @pytest.mark.parametrize("members", [nodes(0), Members(epoch=1, names=(Node("a"), Node("a")))])
    def test_nodes_have_names_of_their_own(self, members: Members) -> None:
        with pytest.raises(ValueError, match="names of their own"):
            Rendezvous(members)

    @pytest.mark.parametrize("weight", [0.0, -1.0, float("inf"), float("nan")])
    def test_weights_are_above_nothing(self, weight: float) -> None:
        with pytest.raises(ValueError, match="above 0"):
            Rendezvous(nodes(2, (1.0, weight)))

    def test_owners_are_what_they_were(self) -> None:
        """Folders of earlier versions rest on these."""
        five = Rendezvous(nodes(5))
        assert [five.owner(f"{name}.test") for name in "abcdefgh"] == [
            *("n1", "n2", "n2", "n0", "n4", "n0", "n3", "n3")
        ]

    def test_the_logarithm_is_that_of_the_library(self) -> None:
        numbers = np.random.default_rng(7).random(100_000)
        numbers = np.append(numbers, [2.0**-53, 1 - 2.0**-53, 0.5, 0.25, sqrt(0.5)])
        assert _ln(numbers) == pytest.approx(np.log(numbers), rel=5e-16, abs=0)
        assert _ln(np.array([0.5]))[0] == -log(2)

    @pytest.mark.parametrize("n", [2, 4, 16, 64])
    def test_a_node_that_leaves_moves_its_hosts_alone(self, n: int) -> None:
        before, after = Rendezvous(nodes(n)), Rendezvous(nodes(n - 1))
        moved = 0
        for host in HOSTS:
            if before.owner(host) == NAMES[n - 1]:
                moved += 1
                assert after.owner(host) == before.ranked(host)[1]
            else:
                assert after.owner(host) == before.owner(host)
        assert moved / MANY == pytest.approx(1 / n, abs=three_sigma(1 / n, MANY))

    def test_a_thousand_nodes_draw_many_keys_at_once(self) -> None:
        names = nodes(1000)
        hashes = np.array([hash64(host) for host in HOSTS[:5000]], np.uint64)
        counts = np.bincount(Rendezvous(names).places(hashes), minlength=1000)
        assert counts.sum() == 5000
        assert ((counts - 5) ** 2 / 5).sum() == pytest.approx(999, abs=3 * sqrt(2 * 999))

    def test_sixteen_classes_are_dealt_to_sixteen_nodes_one_each(self) -> None:
        dealt = Rendezvous(nodes(16)).dealt([f"class {number}" for number in range(16)])
        assert sorted(dealt.values()) == sorted(NAMES[:16])

    def test_a_double_weight_has_two_of_three_classes(self) -> None:
        dealt = Rendezvous(nodes(2, (1.0, 2.0))).dealt(["arts", "sport", "biz"])
        assert sorted(dealt.values()) == ["n0", "n1", "n1"]


class TestHashes:
    @pytest.mark.parametrize(
        ("n", "export", "both", "local"),
        [
            (2, 0.5, 1.0, 0.5),
            (4, 0.75, 1.5, 0.25),
            (16, 0.9375, 1.875, 0.0625),
        ],
    )
    def test_volumes_of_hashing(self, n: int, export: float, both: float, local: float) -> None:
        """Of what n nodes fetch, (n - 1)/n is sent, once out and once in; 1 of n links stays (Chung and Clarke, 3)."""
        by_content = ByContent(nodes(n), fetch="url")
        fetched = [(by_content.of_url(url), page_at(url, f"text {url}")) for url in URLS]
        sent = sum(by_content.of_page(page, here) != here for here, page in fetched) / MANY
        assert sent == pytest.approx(export, abs=three_sigma(export, MANY))
        assert 2 * sent == pytest.approx(both, abs=2 * three_sigma(export, MANY))
        stay = sum(by_content.of_url(one) == by_content.of_url(other) for one, other in pairwise(URLS))
        assert stay / (MANY - 1) == pytest.approx(local, abs=three_sigma(local, MANY))

    def test_the_host_is_that_of_the_url_with_its_port(self) -> None:
        by_host = ByHost(nodes(16))
        assert by_host.territory(canonical("HTTP://Example.org:80/x")) == "example.org"
        assert by_host.territory(canonical("https://www.example.org:8443/")) == "www.example.org:8443"
        assert by_host.of_url(canonical("http://EXAMPLE.org/b?c")) == by_host.of_url(
            canonical("https://example.org/")
        )

    def test_pages_stay_where_they_were_fetched(self) -> None:
        for cls in (ByHost, ByUrl):
            assert cls(nodes(4)).of_page(page_at(URLS[0]), Node("n3")) == "n3"

    def test_pages_without_text_are_shared_by_their_bytes(self) -> None:
        by_content = ByContent(nodes(16))
        owners = {
            by_content.of_page(made, NAMES[0])
            for number in range(64)
            if (made := page_at(URLS[0], " " * number))
        }
        assert len(owners) > 8


class TestTopics:
    def test_a_boundary_page_goes_to_the_node_of_its_class(self) -> None:
        topic = ByTopic(nodes(2), SPORT_AND_BIZ)
        sport, biz = topic.owners
        assert {sport, biz} == {"n0", "n1"}
        assert topic.of_page(page_at(URLS[0], "sport sport biz"), biz) == sport
        assert topic.of_page(page_at(URLS[0], "biz"), sport) == biz

    def test_a_page_of_no_class_stays(self) -> None:
        topic = ByTopic(nodes(2), SPORT_AND_BIZ)
        assert [topic.of_page(page_at(URLS[0], "else"), here) for here in NAMES[:2]] == ["n0", "n1"]

    def test_urls_are_nobodys_but_start_pages_are_dealt_out(self) -> None:
        topic = ByTopic(nodes(2), SPORT_AND_BIZ)
        assert not topic.routes
        assert {topic.of_url(Url(f"http://a.test/{number}")) for number in range(20)} == {"n0", "n1"}

    def test_handling(self) -> None:
        assert ByTopic(nodes(2), SPORT_AND_BIZ).handling is Handling.WHOLE
        assert ByTopic(nodes(2), SPORT_AND_BIZ, transfer="urls").handling is Handling.LINKS
        assert ByContent(nodes(2)).handling is Handling.COPY

    def test_the_topic_of_a_node_is_its_classes(self) -> None:
        topic = ByTopic(nodes(2), NamedClasses("sport", "biz", "arts"))
        models = [topic.own(name) for name in NAMES[:2]]
        assert sorted(len(model.own) for model in models) == [1, 2]
        made = page_at(URLS[0], "sport sport biz")  # (2 + 1/3) / 4, (1 + 1/3) / 4, 1/12
        told = {name: share for model in models for name, share in model.explain(made).items()}
        assert told == pytest.approx({"sport": 7 / 12, "biz": 4 / 12, "arts": 1 / 12})
        for model in models:
            assert model.relevance(made) == pytest.approx(sum(model.explain(made).values()))
        assert topic.own(Node("n7")).relevance(made) == 0


class TestNames:
    def test_a_name_is_as_it_is_written(self) -> None:
        assert registry.partition("host", nodes(2)).name == "host"
        assert registry.partition("content:fetch=host", nodes(2)).name == "content"
        chosen = "topic:transfer=urls,order=focused"
        assert registry.partition(chosen, nodes(2), SPORT_AND_BIZ).name == chosen

    def test_what_is_not_known_is_told(self) -> None:
        with pytest.raises(InputError, match="no partition 'hots'; did you mean 'host'"):
            registry.partition("hots", nodes(2))
        with pytest.raises(InputError, match="no parameter 'fetches'; did you mean 'fetch'"):
            registry.partition("content:fetches=url", nodes(2))
        with pytest.raises(InputError, match="not of type"):
            registry.partition("content:fetch=all", nodes(2))
        with pytest.raises(InputError, match="no parameter 'members'"):
            registry.partition("host:members=3", nodes(2))

    def test_topics_need_classes_enough(self) -> None:
        with pytest.raises(InputError, match="needs classes: give --classes FILE"):
            registry.partition("topic", nodes(2))
        with pytest.raises(InputError, match="2 classes are too few for 3 nodes"):
            registry.partition("topic", nodes(3), SPORT_AND_BIZ)
        assert registry.needs_classes("topic:transfer=urls")
        assert not registry.needs_classes("host")

    def test_digests_tell_kind_options_and_model_apart_and_nothing_else(self) -> None:
        made = [
            registry.partition(name, nodes(2), classes)
            for name, classes in [
                ("host", None),
                ("url", None),
                ("content", None),
                ("content:fetch=url", None),
                ("topic", SPORT_AND_BIZ),
                ("topic", NamedClasses("sport", "arts")),
                ("topic:transfer=urls", SPORT_AND_BIZ),
                ("topic:order=focused", SPORT_AND_BIZ),
            ]
        ]
        assert len({each.digest for each in made}) == len(made)
        for each in made:
            assert each.among(nodes(1)).digest == each.digest
            assert each.among(nodes(1)).name == each.name

    @pytest.mark.parametrize("name", registry.partition_names())
    def test_every_partition_has_a_family_a_manual_and_a_source(self, name: str) -> None:
        told = registry.describe(name)
        assert told.family
        assert told.reference
        assert "When to use it:" in told.manual
        assert registry.partition_class(name).kind == name
        assert not {each.name for each in told.parameters} & registry.GIVEN

    def test_examples_run(self) -> None:
        for module in sorted({place.partition(":")[0] for place in registry.BUILT_IN.values()}):
            assert doctest.testmod(import_module(module)).failed == 0

    def test_others_bring_partitions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Point:
            def load(self) -> type:
                return ByUrl

        monkeypatch.setattr("lycosa.model.naming.brought", lambda group: {"theirs": Point()})
        assert "theirs" in registry.partition_names()
        assert isinstance(registry.partition("theirs", nodes(2)), ByUrl)


def test_the_same_in_every_process() -> None:
    program = (
        "from lycosa.model.nodes import Members\n"
        "from lycosa.sharing.registry import partition\n"
        "for weights in ((), (1., 2., .5, 1., 3.)):\n"
        "    members = Members(epoch=1, names=tuple(f'n{i}' for i in range(5)), weights=weights)\n"
        "    for name in ('host', 'url'):\n"
        "        made = partition(name, members)\n"
        "        print(made.digest, *(made.of_url(f'http://h{i}.test/{i}') for i in range(200)))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert answers.pop().count("n4") > 100


def test_partitions_are_fit_for_pickle() -> None:
    made = registry.partition("host", nodes(4))
    assert pickle.loads(pickle.dumps(made)).of_url(URLS[3]) == made.of_url(URLS[3])


class TestFocusedOrder:
    TOPIC = CosineTopic("biology")

    def of(self, name: str) -> TopicModel:
        company = Company(Node("n0"), nodes(2), registry.partition(name, nodes(2), SPORT_AND_BIZ), life="1")
        return topic_of(company, self.TOPIC)

    def test_a_node_goes_by_its_own_classes(self) -> None:
        own = self.of("topic:order=focused")
        sport, biz = (page_at(url, text=text) for url, text in zip(URLS, ("sport", "biz"), strict=False))
        assert sorted(own.relevance(page) for page in (sport, biz)) == [0.25, 0.75]
        assert len(own.explain(sport)) == 1

    @pytest.mark.parametrize("name", ["topic", "host"])
    def test_else_by_the_topic_of_the_crawl(self, name: str) -> None:
        assert self.of(name) is self.TOPIC

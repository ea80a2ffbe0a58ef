"""Run with: pip install --editable . && pytest"""

from fresh_hosts import FreshHosts

from lycosa.lab.kit.conformance import examine


def test_a_host_counts_half_after_so_many_pages() -> None:
    strategy = FreshHosts(patience=20)
    strategy.load({"pages": {"a.test": 20}})
    assert strategy.freshness("a.test") == 0.5
    assert strategy.freshness("b.test") == 1.0


def test_it_keeps_to_what_lycosa_asks_of_all_strategies() -> None:
    assert [finding.problem for finding in examine("fresh-hosts:patience=3") if finding.problem] == []

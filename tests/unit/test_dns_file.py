"""The DNS history on disk: there at once, and readable whatever a kill left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.model.records import Millis
from lycosa.web.http.dns_file import DnsFile

observations = st.lists(
    st.tuples(
        st.sampled_from(["a.test", "b.test", "c.test"]),
        st.lists(st.sampled_from(["192.0.2.1", "192.0.2.2", "192.0.2.3"]), min_size=1, max_size=2),
    ),
    max_size=12,
)


@given(seen=observations)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_as_learned(seen: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    path.unlink(missing_ok=True)
    file = DnsFile.open(path)
    for now, (host, found) in enumerate(seen, 1):
        file.history.observe(host, found, Millis(now))
        file.add()
        again = DnsFile.open(path)
        assert again.history.export() == file.history.export()
        assert again.notes == []
        if now % 3 == 0:
            file = again  # and goes on from there


@pytest.mark.parametrize("lost", range(1, 60))
def test_whole_lines(lost: int, tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    file = DnsFile.open(path)
    for number in range(3):
        file.history.observe(f"{number}.test", [f"192.0.2.{number}"], Millis(number))
        file.add()
    whole = path.read_bytes()
    path.write_bytes(whole[:-lost])
    torn = DnsFile.open(path)
    assert torn.notes == ["dns.jsonl: the last line was torn and was dropped"]
    assert path.read_bytes() == whole[:-lost], "opening only reads"
    torn.history.observe("3.test", ["192.0.2.3"], Millis(9))
    torn.add()
    mended = DnsFile.open(path)
    assert mended.notes == []
    assert mended.history.addresses("3.test") == ("192.0.2.3",)
    assert mended.history.addresses("1.test") == ("192.0.2.1",)


def test_a_damaged_line_within_is_told(tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    path.write_text("{}\n")
    opened = DnsFile.open(path)
    assert len(opened.notes) == 1
    assert "dns.jsonl, line 1: " in opened.notes[0]
    assert not opened.history.export()

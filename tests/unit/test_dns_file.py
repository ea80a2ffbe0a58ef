"""The DNS history on disk: there at once, and readable whatever a kill left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.model.errors import FolderError
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
        assert again.history.facts() == file.history.facts()
        assert again.history.rows() == file.history.rows()
        assert again.notes == []
        if now % 3 == 0:
            file = again  # and goes on from there


@given(seen=observations)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_grows_by_facts_only(seen: list[tuple[str, list[str]]], tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    path.unlink(missing_ok=True)
    last: dict[str, tuple[str, ...]] = {}
    news = 0
    for now, (host, found) in enumerate(seen, 1):
        file = DnsFile.open(path)
        file.history.observe(host, found, Millis(now))
        before = path.read_bytes() if path.exists() else b""
        file.add()
        assert path.exists()
        assert path.read_bytes().startswith(before)
        news += last.get(host) != (last := {**last, host: tuple(sorted(set(found)))})[host]
        assert path.read_bytes().count(b"\n") == news


@pytest.mark.parametrize("lost", range(1, 40))
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
    assert not opened.history.facts()


OLD = """\
{"value":"model-t","kind":"canonical","entered":10,"superseded":null,"machine":1}
{"value":"192.0.2.1","kind":"address","entered":10,"superseded":null,"machine":1}
{"value":"www.automobile.org","kind":"alias","entered":20,"superseded":null,"machine":1}
{"value":"www.automobile.org","kind":"alias","entered":20,"superseded":50,"machine":1}
{"value":"hudson","kind":"canonical","entered":40,"superseded":null,"machine":2}
{"value":"192.0.2.2","kind":"address","entered":40,"superseded":null,"machine":2}
{"value":"www.automobile.org","kind":"alias","entered":50,"superseded":null,"machine":2}
"""
"""As 0.1 wrote it."""


def test_the_rows_of_older_folders_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    path.write_text(OLD)
    file = DnsFile.open(path)
    assert file.notes == []
    assert file.history.addresses("www.automobile.org", Millis(30)) == ("192.0.2.1",)
    assert file.history.addresses("www.automobile.org") == ("192.0.2.2",)
    assert file.history.aliases("model-t", Millis(30)) == ("www.automobile.org",)
    assert file.history.aliases("model-t") == ()
    file.add()
    assert path.read_text() == OLD, "what is known is not written again"
    file.history.observe("www.automobile.org", ["192.0.2.2"], Millis(60))
    file.add()
    assert path.read_text() == OLD
    file.history.observe("hudson", ["192.0.2.3"], Millis(70))
    file.add()
    assert path.read_text() == OLD + '{"host":"hudson","addresses":["192.0.2.3"],"at":70}\n'
    assert DnsFile.open(path).history.rows() == file.history.rows()


def test_what_could_not_be_written_is_written_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "dns.jsonl"
    file = DnsFile.open(path)
    file.history.observe("a.test", ["192.0.2.1"], Millis(1))
    path.mkdir()
    with pytest.raises(FolderError, match=r"dns\.jsonl: cannot be read or written"):
        file.add()
    path.rmdir()
    file.history.observe("b.test", ["192.0.2.2"], Millis(2))
    file.add()
    assert DnsFile.open(path).history.facts() == file.history.facts()

"""Compiled modules are used only where they were built of the source that lies beside them."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from lycosa.model import compiled as finding
from lycosa.model.compiled import compiled, compiled_or_why_not

MODULES = {
    "reading": "lycosa.read._reading",
    "sketching": "lycosa.crawl._sketching",
    "hunting": "lycosa.scoring._hunting",
    "queues": "lycosa.frontier._queues",
}


@pytest.mark.parametrize("source", MODULES)
def test_a_module_of_another_source_is_not_used(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = compiled(MODULES[source])
    if module is None:
        pytest.skip("nothing is compiled here")
    assert crc32((finding._NATIVE / f"{source}.c").read_bytes()) == module.SOURCE
    (tmp_path / f"{source}.c").write_text("int changed;")
    monkeypatch.setattr(finding, "_NATIVE", tmp_path)
    assert compiled_or_why_not(MODULES[source]) == (
        None,
        "it was built of another source: python tools/build_native.py builds it anew",
    )


def test_where_there_is_no_source_the_module_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = compiled(MODULES["reading"])
    monkeypatch.setattr(finding, "_NATIVE", tmp_path)
    assert compiled(MODULES["reading"]) is before

"""Two processes that search a new crawl at the same moment make one index, and neither takes it from the other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from lycosa.model.url import Url
from lycosa.store.full_text import TextIndex

AT_ONCE, TIMES = 4, 25
PAGE = (1, Url("http://a.example/"), "Fossils", "A fossil is what is left.")


def test_one_index_is_made(tmp_path: Path) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number in range(TIMES):
            path, ready = tmp_path / f"{number}.db", Barrier(AT_ONCE)

            def search(path: Path = path, ready: Barrier = ready) -> int:
                ready.wait()
                with TextIndex(path) as index:
                    index.add([PAGE])
                with TextIndex(path, read_only=True) as index:
                    return len(index.search("fossil"))

            assert [each.result() for each in [pool.submit(search) for _ in range(AT_ONCE)]] == [1] * AT_ONCE

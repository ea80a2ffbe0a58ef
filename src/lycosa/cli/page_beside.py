"""The page of a crawl, served beside it by a process of its own, so that it takes no time from the crawl."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lycosa.cli.output import warn


class PageBeside:
    """The process that serves the page, once the crawl's folder is there."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def show(self, folder: Path) -> str:
        """Begin to serve, and open the browser; what to tell a person."""
        command = [sys.executable, "-m", "lycosa.cli", "serve", str(folder), "--port", "0", "--open"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def stay(self) -> None:
        """On a terminal the page stays after the crawl, until Ctrl-C."""
        if self._process is None or self._process.poll() is not None or not sys.stdout.isatty():
            return
        warn("the page stays until you press Ctrl-C")
        try:
            self._process.wait()
        except KeyboardInterrupt:
            click.echo()

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


@contextmanager
def page_beside() -> Iterator[PageBeside]:
    """The page as long as the context lasts."""
    page = PageBeside()
    try:
        yield page
    finally:
        page.close()

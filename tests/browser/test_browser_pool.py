"""Pages made to end a browser, to keep it busy, or to fill it; and how a browser ends."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.sites import HOME, Shower, Site, needs_chromium, response, showing

from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Reason, Response
from lycosa.model.rendering import Asked, Rendered, StillPage
from lycosa.web.browser import browsers
from lycosa.web.browser import chromium as browser_program
from lycosa.web.browser.chromium import chromium
from lycosa.web.browser.limits import BrowserLimits
from lycosa.web.browser.pipe import Pipe, Said

BUSY = "the page kept the browser busy until its time was over"
FILLS_ARRAYS = "let a = []; for (;;) a.push(new Array(1e5).fill(Math.random()))"
FILLS_BUFFERS = "let a = []; setInterval(() => { a.push(new Uint8Array(64 << 20).fill(7)) }, 1)"
GROWS = "for (;;) document.body.append(document.createElement('p'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Shower]:
    with showing(BrowserLimits(seconds=2, memory=1 << 30)) as found:
        yield found


@pytest.fixture(scope="module")
def calm() -> Iterator[Shower]:
    """A browser with time, on a busy machine too."""
    with showing(BrowserLimits(seconds=60)) as found:
        yield found


def scripted(script: str) -> str:
    return f"<body>before<script>{script}</script>"


@needs_chromium
@pytest.mark.parametrize("script", [FILLS_ARRAYS, FILLS_BUFFERS])
def test_nothing_lost(script: str) -> None:
    """A page that crashes; `GROWS` and those below: that hang, or take too much."""
    with showing(BrowserLimits(seconds=60, memory=700 << 20)) as browser:
        found = browser.show(scripted(script))
        assert isinstance(found, Fault)
        assert found.reason is Reason.UNREADABLE
        assert "memory" in found.detail
        assert "the next" in browser.see("the next").html


@needs_chromium
def test_a_page_that_crashes_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No report of it lies in the user's settings, which would hold parts of the page."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with showing(BrowserLimits(seconds=60)) as browser:
        found = browser.show(scripted(FILLS_ARRAYS))
        assert isinstance(found, Fault)
        assert "memory" in found.detail
    assert not [*tmp_path.rglob("*.dmp")]


@needs_chromium
def test_a_page_that_builds_for_ever_is_given_up(browser: Shower) -> None:
    found = browser.show(scripted(GROWS))
    assert isinstance(found, Fault)
    assert found.detail == BUSY or "memory" in found.detail
    assert "the next" in browser.see("the next").html


@needs_chromium
@pytest.mark.parametrize(
    "script",
    [
        "for (;;);",
        "setTimeout(() => { for (;;); }, 10)",
        "(function f() { Promise.resolve().then(f) })()",
        "new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
        "onmessage = () => postMessage(1, '*'); postMessage(1, '*')",
    ],
)
def test_a_page_that_never_rests_is_taken_as_it_is(browser: Shower, script: str) -> None:
    found = browser.see(scripted(script))
    assert "before" in found.html
    assert not found.settled
    assert 2000 <= found.took < 30_000
    assert "the next" in browser.see("the next").html


@needs_chromium
@pytest.mark.parametrize(
    "script",
    [
        "alert(1); confirm(2); prompt(3); onbeforeunload = () => 'no'",
        "print()",
        "location.reload()",
        "for (let i = 0; i < 1e4; i++) history.pushState({}, '', '/p' + i)",
        "requestAnimationFrame = setTimeout = Promise = Array = null",
        "document.getElementsByTagName = () => { for (;;); }",
        "throw new Error('broken')",
    ],
)
def test_what_disturbs_people_disturbs_nobody(calm: Shower, script: str) -> None:
    found = calm.see(scripted(script))
    assert "before" in found.html
    assert found.settled
    assert found.left_for is None


@needs_chromium
def test_a_page_that_asks_without_end_is_answered_so_often() -> None:
    """So few times that a busy machine answers them all before the page's time is over."""
    with showing(BrowserLimits(requests=20)) as browser:
        site = Site({f"/x{i}": "x" for i in range(2000)})
        found = browser.see(scripted("let i = 0; setInterval(() => fetch('/x' + i++), 1)"), site)
        assert len(site.asked) == 20
        assert "asked for more than 20" in found.refused[0].why


@needs_chromium
def test_a_page_that_has_too_much_is_answered_no_more() -> None:
    with showing(BrowserLimits(received=1 << 20)) as browser:
        site = Site({f"/x{i}": b"x" * (1 << 20) for i in range(9)})
        page = scripted("(async () => { for (let i = 0; i < 9; i++) await fetch('/x' + i) })()")
        assert "had more than 1 MiB" in browser.see(page, site).refused[0].why
        assert len(site.asked) == 1


@needs_chromium
def test_markup_is_cut_where_it_is_too_long() -> None:
    with showing(BrowserLimits(markup=10_000)) as browser:
        found = browser.see(scripted("for (let i = 0; i < 5000; i++) document.body.append('0123456789')"))
        assert found.cut
        assert 10_000 <= len(found.html) < 11_000
        assert found.html.endswith("</body></html>")


@needs_chromium
def test_pages_side_by_side_know_nothing_of_each_other() -> None:
    """One of them ends its process."""
    limits = BrowserLimits(seconds=60)
    good = "<body><script>document.cookie = 'a=1'; localStorage.a = (localStorage.a || '') + 'x';" + (
        "document.body.append(document.cookie + localStorage.a)</script>"
    )

    async def all_of_them(browser: Shower) -> list[Rendered | Fault]:
        pages = [good, scripted(FILLS_ARRAYS), good, good]
        stills = (StillPage(response=response(HOME, page)) for page in pages)
        return await asyncio.gather(*(browser.browsers.render(still, Site({}).answer) for still in stills))

    with showing(limits) as browser:
        found = browser.runner.run(all_of_them(browser))
    assert [isinstance(one, Rendered) and "a=1x<" in one.html for one in found] == [True, False, True, True]


@needs_chromium
def test_a_defect_of_who_answers_is_no_fault_of_the_page(browser: Shower) -> None:
    async def answer(asked: Asked) -> Response | Fault:
        raise ZeroDivisionError(asked.url)

    still = StillPage(response=response(HOME, "<img src=/a>"))
    with pytest.raises(ZeroDivisionError):
        browser.runner.run(browser.browsers.render(still, answer))
    assert "the next" in browser.see("the next").html


@needs_chromium
def test_an_answer_that_never_comes_is_not_waited_for() -> None:
    async def answer(asked: Asked) -> Response | Fault:
        await asyncio.Event().wait()
        raise AssertionError

    with showing(BrowserLimits(patience=1)) as browser:
        still = StillPage(response=response(HOME, "before<img src=/a>"))
        found = browser.runner.run(browser.browsers.render(still, answer))
        assert isinstance(found, Rendered)
        assert not found.settled
        assert "before" in found.html


@needs_chromium
def test_the_time_of_an_answer_is_not_the_page_s() -> None:
    async def answer(asked: Asked) -> Response | Fault:
        await asyncio.sleep(1.5)
        return response(asked.url, "slow")

    with showing(BrowserLimits(seconds=1)) as browser:
        page = scripted("fetch('/a').then(r => r.text()).then(t => document.body.append(t))")
        found = browser.runner.run(browser.browsers.render(StillPage(response=response(HOME, page)), answer))
        assert isinstance(found, Rendered)
        assert found.settled
        assert "slow" in found.html


@needs_chromium
def test_a_tree_of_any_depth_is_had_or_given_up(browser: Shower) -> None:
    """Where the browser has to tell of the whole tree, too. Chromium itself gives up somewhere: 156 ends at 3,000
    levels, which earlier ones showed."""

    def deep(levels: int) -> str:
        deeper = "at = at.appendChild(document.createElement('p'))"
        return scripted(f"let at = document.body; for (let i = 0; i < {levels}; i++) {deeper}")

    shut = "<p><template shadowrootmode=closed>shut</template></p>"
    assert browser.see(deep(1000)).html.count("<p>") == 1000
    for page in (deep(3000), shut + deep(3000)):
        assert isinstance(browser.show(page), Rendered | Fault)
        assert "the next" in browser.see("the next").html


@needs_chromium
def test_once_closed_no_browser_is_started() -> None:
    async def answer(asked: Asked) -> Response | Fault:
        await closing.close()
        return response(asked.url, "late")

    others = _chromiums(os.getpid())
    with showing() as browser:
        closing = browser.browsers
        still = StillPage(response=response(HOME, "<img src=/a>"))
        assert isinstance(browser.runner.run(closing.render(still, answer)), Fault)
        assert _chromiums(os.getpid()) == others


@needs_chromium
def test_a_browser_that_ends_is_replaced() -> None:
    others = _chromiums(os.getpid())
    with showing() as browser:
        browser.see("first")
        (pid,) = _chromiums(os.getpid()) - others
        os.kill(pid, signal.SIGKILL)
        assert "second" in browser.see("second").html


@needs_chromium
@pytest.mark.parametrize("method", ["Target.createTarget", "Target.disposeBrowserContext"])
def test_a_browser_that_does_nothing_any_more_costs_no_page(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that makes no page, and one that does not let go of it: the page is none the worse for either."""
    whole, told = Pipe.call, 0

    async def call(self: Pipe, name: str, session: str = "", **params: Any) -> Said:
        nonlocal told
        told += name == method
        if name == method and told == 1:
            await asyncio.Event().wait()
        return await whole(self, name, session, **params)

    monkeypatch.setattr(Pipe, "call", call)
    monkeypatch.setattr(browsers, "_CLOSE", 1.0)
    monkeypatch.setattr(browsers, "_OPEN", 3.0)
    with showing() as browser:
        assert "before" in browser.see("before").html
        monkeypatch.undo()
        assert "the next" in browser.see("the next").html


@needs_chromium
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells whose child a process is")
@pytest.mark.parametrize("stands_still", [False, True])
def test_ends_with_us(stands_still: bool) -> None:
    """Killed, as by the kernel for want of memory: nothing of ours runs any more, not even a browser that would not
    hear of it."""
    if stands_still and not browser_program._tie():
        pytest.skip("there is no setpriv of util-linux to tie a browser to us")
    code = (
        "import asyncio, sys\n"
        "from tests.browser.sites import showing\n"
        "with showing() as browser:\n"
        "    browser.see('a page')\n"
        "    print('shown', flush=True)\n"
        "    browser.runner.run(asyncio.Event().wait())\n"
    )
    ours = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert ours.stdout is not None
    assert ours.stdout.readline() == "shown\n"
    (pid,) = _chromiums(ours.pid)
    watched = os.pidfd_open(pid)
    if stands_still:
        os.kill(pid, signal.SIGSTOP)
    ours.kill()
    ours.wait()
    ended, _, _ = select.select([watched], [], [], 20)
    os.close(watched)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    assert ended


def test_a_missing_browser_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"^there is no Chromium to render pages with; install it \(Debian.*\)"
    ):
        chromium({"PATH": str(tmp_path)})
    with pytest.raises(InputError, match="LYCOSA_CHROMIUM names 'nothing-of-the-kind'"):
        chromium({"LYCOSA_CHROMIUM": "nothing-of-the-kind", "PATH": os.environ["PATH"]})


def test_what_is_no_browser_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_CHROMIUM", "true")
    began = time.monotonic()
    with showing() as browser, pytest.raises(InputError, match="does not start; try it by hand"):
        browser.show("a page")
    assert time.monotonic() - began < 20


def _chromiums(pid: int) -> set[int]:
    """The children of a process that are browsers."""
    children = {
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
    }
    return {
        one for one in children if b"--remote-debugging-pipe" in Path(f"/proc/{one}/cmdline").read_bytes()
    }

"""The system's Chromium: where it is, and how it is started so that it can reach nothing."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Final

from lycosa.model.errors import InputError
from lycosa.web.browser.pipe import BrowserEnded, Denied, Pipe, Said

_NAMES: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chrome-headless-shell",
    "headless_shell",
)
_SWITCHES: Final = (
    "--headless",
    "--remote-debugging-pipe",
    # Nobody looks at it.
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    "--force-color-profile=srgb",
    "--js-flags=--max-old-space-size=512",
    "--window-size=1280,1600",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--password-store=basic",
    "--use-mock-keychain",
    "--lang=en-US",
    # All pages are in the background, and none may be put off for it.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    # It does nothing that no page asks for.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-pings",
    "--no-pings",
    "--disable-quic",
    "--disable-notifications",
    "--media-router=0",
    "--metrics-recording-only",
    "--dns-prefetch-disable",
    "--disable-dev-shm-usage",
    # Frames live with their page: there is nothing to steal, as no page is known anywhere, and it saves a process each.
    "--disable-site-isolation-trials",
    # What leads past the interception of requests leads nowhere (`_Nowhere`), names are not looked up, and WebRTC has
    # no sockets of its own.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=AcceptCHFrame,AutofillServerCommunication,CertificateTransparencyComponentUpdater,"
    "DialMediaRouteProvider,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,InterestFeedContentSuggestions,"
    "IsolateOrigins,IsolateSandboxedIframes,LocalNetworkAccessChecks,MediaRouter,NetworkPrediction,OptimizationHints,Prerender2,"
    "PrivacySandboxSettings4,SpareRendererForSitePerProcess,SpeculationRulesPrefetchFuture,Translate,WebTransport,"
    "site-per-process",
)

_NO_REPORTS: Final = {"BREAKPAD_DUMP_LOCATION": "/proc"}
"""No crash is reported, for nobody can write there: a report would leave parts of a page in the user's settings, and a
crashed page would stay until it is written. Chromium 156 does not run if a switch takes its reporter away."""

_APART: Final = shutil.which("unshare")
_UNBOXED: Final = "--no-sandbox"
_LOG: Final = logging.getLogger("lycosa.browser")
_START: Final = 30.0
"""Seconds until it answers; on a busy machine it takes several."""


def chromium(environ: Mapping[str, str] = os.environ) -> str:
    """Where the system's Chromium is: what ``LYCOSA_CHROMIUM`` names, or the first of the usual names.

    Raises `InputError` if there is none.
    """
    if named := environ.get("LYCOSA_CHROMIUM"):
        if found := shutil.which(named):
            return found
        raise InputError(f"LYCOSA_CHROMIUM names {named!r}, which is no program; let it name Chromium")
    for name in _NAMES:
        if found := shutil.which(name, path=environ.get("PATH")):
            return found
    raise InputError(
        "there is no Chromium to render pages with; install it (Debian: apt install chromium), "
        "or let LYCOSA_CHROMIUM name it"
    )


class Nowhere:
    """A port of loopback that is taken and does not listen: who connects to it is refused."""

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()


class Chromium:
    """The processes of one browser, and the pipe to it. It ends when the pipe does, and removes what it stored."""

    def __init__(self, pid: int, pipe: Pipe, nowhere: Nowhere) -> None:
        self.pid = pid
        self.pipe = pipe
        self._nowhere = nowhere

    async def end(self) -> None:
        """End it, whatever it is at."""
        self.pipe.end()
        await asyncio.to_thread(_reap, self.pid)
        self._nowhere.close()


async def started(program: str) -> Chromium:
    """A browser that can reach nothing. Raises `InputError` if it does not start."""
    for way in _ways(program):
        nowhere = Nowhere()
        pid, answers, orders = _spawned(way, nowhere.port)
        loop = asyncio.get_running_loop()
        _, pipe = await loop.connect_read_pipe(Pipe, os.fdopen(answers, "rb", 0))
        writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(orders, "wb", 0))
        pipe.begin(writer)
        browser = Chromium(pid, pipe, nowhere)
        with suppress(TimeoutError, BrowserEnded, Denied):
            async with asyncio.timeout(_START):
                await _guard(pipe)
            if _UNBOXED in way:
                _tell_unboxed()
            return browser
        await browser.end()
    raise InputError(f"{program} does not start; try it by hand: {program} --headless --dump-dom about:blank")


def _ways(program: str) -> Iterator[tuple[str, ...]]:
    """How it may be started, safest first: in a network of its own that has no interface, and in its own sandbox.
    Neither is to be had everywhere: containers may forbid both, and for root Chromium has no sandbox."""
    is_root = os.geteuid() == 0
    for box in ((_UNBOXED,),) if is_root else ((), (_UNBOXED,)):
        if _APART is not None:
            yield (_APART, "--net", *(() if is_root else ("--map-current-user",)), program, *box)
        yield (program, *box)


@cache
def _tell_unboxed() -> None:
    why = "for root it has none" if os.geteuid() == 0 else "this system lets it have none"
    _LOG.warning("Chromium renders pages without its sandbox, as %s; lycosa runs best as another user", why)


@cache
def _tie() -> tuple[str, ...]:
    """What lets Linux end a program as soon as the thread ends that started it, as it does with us: even a program that
    stands still and would not see its pipe end. The setpriv of util-linux can; others of this name cannot."""
    tie = (shutil.which("setpriv") or "setpriv", "--pdeathsig", "KILL")
    with suppress(OSError):
        if subprocess.run([*tie, "true"], check=False, capture_output=True).returncode == 0:
            return tie
    return ()


def _spawned(way: Sequence[str], port: int) -> tuple[int, int, int]:
    """The process, and our ends of two pipes: one to read from, one to write to."""
    arguments = [*_tie(), *way, *_SWITCHES, f"--proxy-server=127.0.0.1:{port}", "about:blank"]
    (theirs, orders), (answers, other) = os.pipe(), os.pipe()
    given = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs, other)]  # neither is 3 or 4
    try:
        pid = os.posix_spawn(
            arguments[0],
            arguments,
            {**os.environ, **_NO_REPORTS},
            file_actions=[
                *((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)),
                (os.POSIX_SPAWN_DUP2, given[0], 3),
                (os.POSIX_SPAWN_DUP2, given[1], 4),
            ],
            setpgroup=0,  # Ctrl-C is for the process that asks
        )
    finally:
        for end in (*given, theirs, other):
            os.close(end)
    return pid, answers, orders


async def _guard(pipe: Pipe) -> None:
    """The last guard, nearest to the network: what no page's own guard has held back fails, and popups are closed."""

    def hear(method: str, said: Said) -> None:
        if method == "Fetch.requestPaused":
            pipe.tell("Fetch.failRequest", requestId=said["requestId"], errorReason="BlockedByClient")
        elif method == "Target.targetCreated" and said["targetInfo"].get("openerId"):
            pipe.tell("Target.closeTarget", targetId=said["targetInfo"]["targetId"])

    pipe.listen("", hear)
    await pipe.call("Fetch.enable")
    await pipe.call("Target.setDiscoverTargets", discover=True)


def _reap(pid: int) -> None:
    """Give the browser some seconds to end by itself, as it does when its pipe is closed: so it removes what it
    stored."""
    for wait in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 1.6):
        if os.waitpid(pid, os.WNOHANG) != (0, 0):
            return
        time.sleep(wait)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)

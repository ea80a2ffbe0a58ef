"""The process in which a Ray of our own lives: `python -m lycosa.cluster.ground FOLDER NODES`.

It is apart from the one that leads the crawl, so that the nodes outlive that. It ends when it is told to, or when
nobody leads the crawl any more and no node is at work.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType

from lycosa.cluster.place import Ground, Place
from lycosa.model.errors import LycosaError

LOOK_EVERY = 2.0
ALONE_FOR = 60.0
"""Seconds for which nobody has to be at work before it ends."""
STARTED_WITHIN = 90.0
STORE_BYTES = 80_000_000
"""Batches are small: hardly any of Ray's own store is used."""


def surroundings(token: str = "") -> Mapping[str, str]:
    """What Ray is told by the environment, before it is imported: listen on loopback only, answer to our own token,
    send no statistics."""
    told = {
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # which is how Ray itself keeps to loopback there
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    }
    return told | ({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": token} if token else {})


def start(place: Place, nodes: int) -> Ground:
    """Start Ray for a crawl, or find the one that runs. Raises `LycosaError` if it does not start."""
    if (found := place.load_ground()) is not None and is_alive(found):
        return found
    place.save_ground(None)
    home = Path(tempfile.mkdtemp(prefix="lycosa-ray-"))
    token = home / "token"
    token.touch(0o600)
    token.write_text(secrets.token_hex(32))
    with (home / "log").open("wb") as log:
        command = [
            sys.executable,
            "-m",
            "lycosa.cluster.ground",
            str(place.folder.absolute()),
            str(nodes),
            str(home),
        ]
        process = subprocess.Popen(
            command,
            env={**os.environ, **surroundings(str(token))},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    until = time.monotonic() + STARTED_WITHIN
    while time.monotonic() < until and process.poll() is None:
        if (ground := place.load_ground()) is not None:
            return ground
        time.sleep(0.05)
    process.kill()
    raise LycosaError(f"Ray did not start here; {home / 'log'} tells more")


def is_alive(ground: Ground) -> bool:
    """Whether the process that holds this Ray is there."""
    if not ground.process:
        return True  # it is somebody else's: who connects will see
    try:
        os.kill(ground.process, 0)
        return "lycosa.cluster.ground" in Path(f"/proc/{ground.process}/cmdline").read_text(
            "utf-8", "replace"
        )
    except ProcessLookupError:
        return False
    except OSError:
        return True


def stop(place: Place) -> None:
    """End the Ray that was started for this crawl; one that was there before is only forgotten."""
    ground = place.load_ground()
    if ground is None or not ground.process or not is_alive(ground):
        return place.save_ground(None)
    with suppress(ProcessLookupError):
        os.kill(ground.process, signal.SIGTERM)
    until = time.monotonic() + 20
    while is_alive(ground) and not _is_over(ground.process) and time.monotonic() < until:
        time.sleep(0.05)
    return None


def _is_over(process: int) -> bool:
    """Whether a child of ours has ended, which nobody waited for yet."""
    with suppress(ChildProcessError):
        return os.waitpid(process, os.WNOHANG)[0] == process
    return False


def _hold(place: Place, nodes: int, home: Path) -> None:
    """Start Ray, say where it is, and stay."""
    import ray

    ray.init(
        num_cpus=nodes,
        include_dashboard=False,
        logging_level="ERROR",
        log_to_driver=False,
        object_store_memory=STORE_BYTES,
        _temp_dir=str(home / "ray"),
    )
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    address = ray.get_runtime_context().gcs_address
    ground = Ground(address=address, process=os.getpid(), token=str(home / "token"))
    try:
        place.save_ground(ground)
        _stay(place)
    finally:
        place.save_ground(None)
        ray.shutdown()
        shutil.rmtree(home, ignore_errors=True)


def _stay(place: Place) -> None:
    """Until nobody needs it."""
    alone_since: float | None = None
    while True:
        time.sleep(LOOK_EVERY)
        if not place.folder.exists():
            return
        needed = place.leader is not None or place.writers()
        alone_since = None if needed else alone_since or time.monotonic()
        if alone_since is not None and time.monotonic() - alone_since > ALONE_FOR:
            return


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    _hold(Place(Path(sys.argv[1])), int(sys.argv[2]), Path(sys.argv[3]))

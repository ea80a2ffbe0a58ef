"""A crawl behind a login: who is sent the secrets, and that no file and no output holds them."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.live.hostile import Asked, Hostile, hostile_thread

from lycosa.cli.group import lycosa
from lycosa.model.records import Response
from lycosa.model.url import Url
from lycosa.web.http.dns import Router, parse_connect_to
from lycosa.web.http.live import LiveWeb
from lycosa.web.http.logins import Cookie, Logins

SECRETS = ("pass-9f8e7d", "cookie-1a2b3c", "header-5e6f7a")
PASSWORD, COOKIE, HEADER = SECRETS
BASIC = b64encode(f"ada:{PASSWORD}".encode()).decode()
GRANTED = "granted-to-us"
"""What the server gives to who was let in."""
HIDDEN = (*SECRETS, BASIC, GRANTED)


def files_of(folder: Path) -> list[str]:
    """A file of each kind, as options."""
    folder.mkdir(exist_ok=True)
    (folder / "logins.toml").write_text(
        f'["https://secure.test/"]\nuser = "ada"\npassword = "{PASSWORD}"\n'
        f'["https://secure.test/".headers]\nX-Pass = "{HEADER}"\n'
    )
    (folder / "netrc").write_text(f"machine a.test login ada password {PASSWORD}\n")
    (folder / "cookies.txt").write_text(f".secure.test\tTRUE\t/\tTRUE\t0\tdoor\t{COOKIE}\n")
    named = {"--logins": "logins.toml", "--netrc-file": "netrc", "--load-cookies": "cookies.txt"}
    return [part for option, name in named.items() for part in (option, str(folder / name))]


def secrets_of(asked: Asked) -> set[str]:
    return {
        name
        for name in ("authorization", "cookie", "x-pass")
        if any(hidden in asked.headers.get(name, "") for hidden in HIDDEN)
    }


def holds_a_secret(content: bytes) -> str:
    return next((hidden for hidden in HIDDEN if hidden.encode() in content), "")


def unpacked(file: Path) -> bytes:
    """A file as it is and, if it is compressed, what it holds."""
    import gzip

    content = file.read_bytes()
    return content + gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


@pytest.mark.parametrize("cookies", [False, True])
def test_only_the_host_is_told_and_the_response_tells_nobody(cookies: bool) -> None:
    async def story() -> None:
        async with Hostile() as server:
            ports = ((80, server.port), (443, server.tls_port))
            router = Router(connect_to=[parse_connect_to(f"*:{own}:127.0.0.1:{port}") for own, port in ports])
            logins = Logins(
                {"https://a.test/": (("Authorization", f"Basic {BASIC}"), ("X-Pass", HEADER))},
                [Cookie("a.test", False, "/", True, 0, f"door={COOKIE}")],
            )
            web = LiveWeb(router=router, logins=logins, cookies=cookies, tls=False)
            for url in (
                "https://a.test/session",
                "https://a.test/ok",
                "http://a.test/ok",
                "https://b.test/ok",
            ):
                page = await web.fetch(Url(url))
                assert isinstance(page, Response), page
                assert not holds_a_secret(repr(page).encode())
                assert "User-Agent" in dict(page.request_headers)
            await web.close()
            let_in, again, *others = server.log
            assert secrets_of(let_in) == secrets_of(again) == {"authorization", "cookie", "x-pass"}
            assert (GRANTED in again.headers["cookie"]) == cookies
            assert COOKIE in again.headers["cookie"]
            for other in others:
                assert not holds_a_secret(repr({**other.headers, "cookie": ""}).encode())
                assert COOKIE not in other.headers.get("cookie", "")

    asyncio.run(story())


def test_no_file_and_no_output_holds_a_secret(tmp_path: Path) -> None:
    folder, given = tmp_path / "crawl", tmp_path / "given"
    logins = files_of(given)
    told: list[str] = []

    def run(*args: str) -> str:
        result = CliRunner().invoke(lycosa, list(args))
        assert result.exit_code == 0, result.output
        told.append(result.output)
        return result.output

    with hostile_thread() as server:
        to_server = [f"*:{own}:127.0.0.1:{port}" for own, port in ((80, server.port), (443, server.tls_port))]
        where = [part for rule in to_server for part in ("--connect-to", rule)]
        limits = ["--delay", "0", "--pages", "3", "-k", "--cookies", "--log-json"]
        seeds = [f"https://secure.test/{page}" for page in ("session", "to-b", "404")] + [
            "http://secure.test/ok"
        ]
        run("crawl", "numerical analysis", *seeds, "-o", str(folder), *logins, *where, *limits)
        run("resume", str(folder), "--pages", "+2", "-v")
    within = [asked for asked in server.log if asked.host == "secure.test" and "x-pass" in asked.headers]
    assert {asked.path for asked in within} >= {"/robots.txt", "/session", "/to-b"}
    b_test = [asked for asked in server.log if asked.host == "b.test"]
    assert b_test  # the redirect was followed
    assert not any(map(secrets_of, b_test))

    looks = (
        *("status", "report", "map", "dns", "changes", "browse"),
        *("why https://secure.test/session", "show https://secure.test/session", "search analysis"),
    )
    for look in looks:
        verb, *more = look.split()
        run(verb, str(folder), *more)
    for kind in ("jsonl", "csv"):
        run("export", str(folder), "--to", kind, "-o", str(folder / f"out.{kind}"))
    run("stream", str(folder))
    assert "secure.test/session" in "".join(told)
    assert not holds_a_secret("".join(told).encode())
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.name.endswith(".warc.gz") for file in files)
    for file in files:
        assert not holds_a_secret(unpacked(file)), file
    assert str(given / "netrc") in (folder / "crawl.toml").read_text()

    (given / "netrc").unlink()
    again = CliRunner().invoke(lycosa, ["resume", str(folder), "--pages", "+1"])
    assert again.exit_code == 2
    assert f"netrc {given / 'netrc'}: cannot be read: No such file or directory" in again.output
    assert len(again.output.splitlines()) == 1

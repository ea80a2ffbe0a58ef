"""Signed requests as a server receives them, checked by a verifier that others wrote."""

from __future__ import annotations

import asyncio
import datetime
import json
from base64 import urlsafe_b64decode
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from tests.live.hostile import Asked, Hostile, hostile_thread

pytest.importorskip("cryptography")

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, MappingKeyResolver, algorithms

from lycosa.cli.group import lycosa
from lycosa.model.url import Url
from lycosa.web.http.dns import Router
from lycosa.web.http.live import LiveWeb
from lycosa.web.http.signature import Signer, SigningKey

AGENT = "https://crawler.example.org"


def verifier_of(name: str, x: str) -> HTTPMessageVerifier:
    public = Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(x + "="))
    keys = MappingKeyResolver(public_keys={name: public}, private_keys={})
    return HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=keys)


def verified(asked: Asked, key: SigningKey) -> str:
    """The tag of the signature that came with a request. Raises for one that is not good."""
    verifier = verifier_of(key.thumbprint, key.x)
    message = SimpleNamespace(
        method="GET", url=f"http://{asked.headers['host']}{asked.path}", headers=asked.headers
    )
    [result] = verifier.verify(message, max_age=datetime.timedelta(minutes=5))
    covered = set(result.covered_components) - {'"@signature-params"'}
    assert covered == {'"@authority"', '"@method"', '"@path"', '"signature-agent";key="lycosa"'}
    return str(result.parameters["tag"])


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "crawler.pem"
    made = CliRunner().invoke(lycosa, ["key", "new", str(file)])
    assert made.exit_code == 0, made.output
    return file


def test_what_a_server_receives_can_be_verified(secret: Path) -> None:
    key = SigningKey.read(secret)

    async def story() -> None:
        async with Hostile() as server:
            web = LiveWeb(router=Router(allow_private=True), signer=Signer(key, AGENT))
            page = await web.fetch(Url(server.url("/ok?q=%C3%A9&r=a+b")))
            await web.fetch(Url(server.url("/%7Ea%2Fb;c")))
            await web.close()
            assert [verified(asked, key) for asked in server.log] == ["web-bot-auth"] * 2
            told = dict(page.request_headers)  # type: ignore[union-attr]
            assert told["Signature"] == server.log[0].headers["signature"]  # who asked is told to the archive
            first, second = server.log
            forged = Asked(0.0, first.host, "/other", first.headers, first.peer)
            with pytest.raises(InvalidSignature):
                verified(forged, key)
            assert first.headers["signature-input"] != second.headers["signature-input"]

    asyncio.run(story())


def test_every_request_of_a_crawl_is_signed(secret: Path, tmp_path: Path) -> None:
    key, folder = SigningKey.read(secret), tmp_path / "crawl"
    with hostile_thread() as server:
        options = [
            "--sign-key",
            str(secret),
            "--sign-agent",
            AGENT,
            "--delay",
            "0",
            "--pages",
            "3",
            "--quiet",
        ]
        where = ["--out", str(folder), "--connect-to", f"*:80:127.0.0.1:{server.port}"]
        seeds = ["http://a.test/to-b", "http://a.test/ok"]
        crawled = CliRunner().invoke(lycosa, ["crawl", "numerical analysis", *seeds, *where, *options])
        assert crawled.exit_code == 0, crawled.output
    paths = {(asked.host, asked.path) for asked in server.log}
    assert {
        ("a.test", "/robots.txt"),
        ("b.test", "/robots.txt"),
        ("a.test", "/to-b"),
        ("b.test", "/other"),
    } <= paths
    for asked in server.log:
        assert verified(asked, key) == "web-bot-auth"
    private = secret.read_bytes().split(b"\n")[1]
    for file in folder.rglob("*"):
        assert not file.is_file() or private not in file.read_bytes()


def test_the_directory_of_a_site_is_verified_by_its_own_headers(secret: Path, tmp_path: Path) -> None:
    told = CliRunner().invoke(
        lycosa, ["key", "directory", str(secret), "--agent", AGENT, "-o", str(tmp_path)]
    )
    assert told.exit_code == 0, told.output
    headers = dict(line.split(": ", 1) for line in told.output.splitlines()[1:])
    body = (tmp_path / ".well-known" / "http-message-signatures-directory").read_bytes()
    [shown] = json.loads(body)["keys"]
    assert "d" not in shown
    verifier = verifier_of(shown["kid"], shown["x"])
    request = SimpleNamespace(
        method="GET", url=f"{AGENT}/.well-known/http-message-signatures-directory", headers={}
    )
    response = SimpleNamespace(status_code=200, headers=headers, request=request, body=body)
    [result] = verifier.verify(response)
    assert result.parameters["tag"] == "http-message-signatures-directory"


def test_a_key_is_for_its_owner_alone_and_never_overwritten(secret: Path) -> None:
    assert secret.stat().st_mode & 0o777 == 0o600
    before = secret.read_bytes()
    again = CliRunner().invoke(lycosa, ["key", "new", str(secret)])
    assert isinstance(again.exception, SystemExit)
    assert "name a new file" in again.output
    assert secret.read_bytes() == before
    shown = CliRunner().invoke(lycosa, ["key", "show", str(secret)])
    assert json.loads(shown.output) == SigningKey.read(secret).public


def test_a_signature_needs_a_name() -> None:
    told = CliRunner().invoke(lycosa, ["crawl", "x", "https://a.test/", "--sign-key", "k.pem"])
    assert "--sign-key and --sign-agent go together" in told.output

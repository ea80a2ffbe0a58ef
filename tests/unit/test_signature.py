"""Signatures of requests and of key directories, against the vectors of the drafts and of RFC 8037."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from lycosa.model.errors import InputError
from lycosa.web.http.signature import Signer, SigningKey, agent_origin, directory, directory_headers

X = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
NAME = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
CREATED, EXPIRES = 1735689600, 4889289600


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    """The key of RFC 9421, B.1.4."""
    return from_jwk(tmp_path, X, "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU")


def from_jwk(folder: Path, x: str, d: str) -> SigningKey:
    file = folder / "key.jwk"
    file.write_text(json.dumps({"kty": "OKP", "crv": "Ed25519", "x": x, "d": d}))
    return SigningKey.read(file)


def test_a_key_is_named_by_its_public_parts(key: SigningKey, tmp_path: Path) -> None:
    assert (key.x, key.thumbprint) == (X, NAME)
    # RFC 8037, A.1 to A.3
    other = from_jwk(
        tmp_path, "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    )
    assert other.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    assert repr(other) == f"SigningKey({other.thumbprint})"


def test_the_vector_of_the_draft(key: SigningKey) -> None:
    nonce = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="
    (_, said), (_, signature) = key.signed(
        "sig2",
        (
            ('"@authority"', "example.com"),
            ('"signature-agent";key="agent2"', '"https://signature-agent.test"'),
        ),
        {
            "created": CREATED,
            "keyid": NAME,
            "alg": "ed25519",
            "expires": EXPIRES,
            "nonce": nonce,
            "tag": "web-bot-auth",
        },
    )
    assert said == (
        f'sig2=("@authority" "signature-agent";key="agent2");created={CREATED};keyid="{NAME}";alg="ed25519"'
        f';expires={EXPIRES};nonce="{nonce}";tag="web-bot-auth"'
    )
    assert signature == (
        "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:"
    )


def test_the_vector_of_a_signed_directory(key: SigningKey) -> None:
    assert directory([key]).decode() == (
        f'{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"{NAME}","x":"{X}","use":"sig"}}]}}'
    )
    headers = dict(
        directory_headers(
            [key], "https://signature-agent.test", created=CREATED, seconds=EXPIRES - CREATED, label="binding"
        )
    )
    assert headers["Content-Digest"] == "sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:"
    assert headers["Signature-Input"] == (
        f'binding0=("@authority";req "content-digest");created={CREATED};keyid="{NAME}";alg="ed25519"'
        f';expires={EXPIRES};tag="http-message-signatures-directory"'
    )
    assert headers["Signature"] == (
        "binding0=:yiHq0TXrbpzbmlttAQMpYoAufitFJUWuNsakB7QQMoN0EHbo5o51bZRVR8az/ptTWCwllix9clrKXfGKwdPzBg==:"
    )


def test_each_request_has_a_nonce_and_a_time_of_its_own(key: SigningKey) -> None:
    clock = iter([100.9, 200.0])
    signer = Signer(key, "https://crawler.test/", now=lambda: next(clock))
    first, second = signer.headers("A.test:8080", ""), signer.headers("a.test:8080", "/")
    assert first[0] == second[0] == ("Signature-Agent", 'lycosa="https://crawler.test"')
    assert ";created=100;" in first[1][1]
    assert ";expires=400;" in first[1][1]
    assert ";created=200;" in second[1][1]
    nonces = {headers[1][1].partition("nonce=")[2][:90] for headers in (first, second)}
    assert len(nonces) == 2


def test_a_key_survives_its_file(tmp_path: Path) -> None:
    made = SigningKey.made()
    (tmp_path / "key.pem").write_bytes(made.pem())
    assert SigningKey.read(tmp_path / "key.pem").public == made.public


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"very secret",
        b'{"kty": "OKP", "crv": "Ed25519"}',
        b'{"kty": "OKP", "crv": "Ed25519", "d": "c2VjcmV0"}',
        b'{"kty": "RSA", "crv": 1}',
        b"{",
        b'{"kty": "OKP", "crv": "Ed25519", "d": 7}',
        b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
    ],
)
def test_what_is_no_key_is_told_without_its_content(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(InputError, match="lycosa key new makes one") as error:
        SigningKey.read(file)
    assert "c2VjcmV0" not in str(error.value)
    assert "very secret" not in str(error.value)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        SigningKey.read(tmp_path / "nowhere")


def test_a_signature_agent_is_the_origin_of_a_safe_site() -> None:
    assert agent_origin("https://Crawler.test/") == "https://crawler.test"
    assert agent_origin("https://crawler.test:8443") == "https://crawler.test:8443"
    for wrong in (
        "",
        "crawler.test",
        "http://crawler.test",
        "https://crawler.test/keys",
        "https://a@crawler.test",
    ):
        with pytest.raises(InputError, match="give the site that shows your key"):
            agent_origin(wrong)

"""Signed requests, by which a server can tell who asks: Web Bot Auth.

Sources: RFC 9421 (HTTP Message Signatures), sections 2.3, 2.5 and 3.1; draft-ietf-webbotauth-httpsig-protocol-00 of
2026, which says what is signed and where the keys stand; RFC 7638 and RFC 8037 A.3 for the name of a key; RFC 9530 for
the digest of a directory.
"""

from __future__ import annotations

import hashlib
import os
import time
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from lycosa.model.errors import InputError
from lycosa.model.url import canonical, origin_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

WITHOUT_PACKAGE: Final = "requests are signed after: pip install 'lycosa[sign]'"
WELL_KNOWN: Final = ".well-known/http-message-signatures-directory"
MEDIA_TYPE: Final = "application/http-message-signatures-directory+json"
LABEL: Final = "lycosa"

LIFETIME: Final = 300
"""Seconds for which a signature holds: room for clocks that differ, and little for whoever repeats it. Ours; the draft
has 24 hours as the most."""

Headers = tuple[tuple[str, str], ...]
Parameters = Mapping[str, int | str]
Component = tuple[str, str]
"""What is signed: its name as it is written, as in `"@authority"` or `"signature-agent";key="sig"`, and its value."""


class SigningKey:
    """An Ed25519 key (RFC 8032), read from a file or new. What it shows of itself is public."""

    def __init__(self, secret: Ed25519PrivateKey) -> None:
        self._secret = secret
        self.x = _base64url(secret.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"SigningKey({self.thumbprint})"

    @classmethod
    def made(cls) -> SigningKey:
        """A new one. Raises `InputError` where `lycosa[sign]` is missing."""
        return cls(_ed25519().generate())

    @classmethod
    def read(cls, path: Path) -> SigningKey:
        """From a file: PEM (PKCS #8, without a password) or JWK. Raises `InputError`, which tells nothing of what the
        file holds."""
        kind = _ed25519()
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"key {path}: cannot be read: {error.strerror}") from None
        try:
            secret = _from_jwk(content) if content.lstrip().startswith(b"{") else _from_pem(content)
        except (ValueError, TypeError, KeyError, msgspec.MsgspecError):
            raise InputError(
                f"key {path}: is no Ed25519 key in PEM without a password, nor as JWK; lycosa key new makes one"
            ) from None
        if not isinstance(secret, kind):
            raise InputError(f"key {path}: is no Ed25519 key; lycosa key new makes one")
        return cls(secret)

    @property
    def thumbprint(self) -> str:
        """The key's name: SHA-256 of its public parts as JSON, in their fixed order (RFC 8037, A.3)."""
        parts = f'{{"crv":"Ed25519","kty":"OKP","x":"{self.x}"}}'
        return _base64url(hashlib.sha256(parts.encode()).digest())

    @property
    def public(self) -> dict[str, str]:
        """The public key as a directory shows it (JWK, RFC 7517)."""
        return {"kty": "OKP", "crv": "Ed25519", "kid": self.thumbprint, "x": self.x, "use": "sig"}

    def pem(self) -> bytes:
        """The secret itself, as PEM."""
        from cryptography.hazmat.primitives import serialization as kinds

        return self._secret.private_bytes(kinds.Encoding.PEM, kinds.PrivateFormat.PKCS8, kinds.NoEncryption())

    def signed(self, label: str, components: Sequence[Component], parameters: Parameters) -> Headers:
        """The headers `Signature-Input` and `Signature` over some components of a message.

        >>> "\\n".join(f"{name}: {value}" for name, value in [('"@method"', "GET"), ('"@path"', "/")])
        '"@method": GET\\n"@path": /'
        """
        covered = " ".join([name for name, _ in components])
        said = "".join(
            [
                f';{name}="{value}"' if isinstance(value, str) else f";{name}={value}"
                for name, value in parameters.items()
            ]
        )
        lines = [f"{name}: {value}\n" for name, value in components]
        base = f'{"".join(lines)}"@signature-params": ({covered}){said}'
        signature = b64encode(self._secret.sign(base.encode("ascii"))).decode()
        return ("Signature-Input", f"{label}=({covered}){said}"), ("Signature", f"{label}=:{signature}:")


class Signer:
    """Signs the requests of a crawl in the name of a site that shows the key.

    Covered are method, authority, path and the name of the site. The query is left out: what stands between may put it
    in another order. Each request has a nonce of its own and holds for LIFETIME seconds.
    """

    def __init__(
        self,
        key: SigningKey,
        agent: str,
        *,
        now: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """`agent` is the origin of the site that shows the key, `https://HOST[:PORT]`. Raises `InputError`."""
        self._key, self._now, self._random = key, now, random
        self._agent = f'"{agent_origin(agent)}"'
        self._thumbprint = key.thumbprint

    def headers(self, authority: str, path: str) -> Headers:
        """What a GET of `path` at `authority` (host, with the port if it is not the scheme's) is to carry."""
        created = int(self._now())
        signed = self._key.signed(
            LABEL,
            (
                ('"@authority"', authority.lower()),
                ('"@method"', "GET"),
                ('"@path"', path or "/"),
                (f'"signature-agent";key="{LABEL}"', self._agent),
            ),
            {
                "created": created,
                "keyid": self._thumbprint,
                "alg": "ed25519",
                "expires": created + LIFETIME,
                "nonce": b64encode(self._random(64)).decode(),
                "tag": "web-bot-auth",
            },
        )
        return (("Signature-Agent", f"{LABEL}={self._agent}"), *signed)


def agent_origin(agent: str) -> str:
    """The origin of a site that shows keys. Raises `InputError` unless it is `https://HOST[:PORT]`."""
    origin = origin_of(canonical(agent)) if agent.startswith("https://") else ""
    if not origin or agent.rstrip("/").lower() != origin:
        raise InputError(
            f"signature agent {agent!r}: give the site that shows your key, as in https://crawler.example.org"
        )
    return origin


def directory(keys: Sequence[SigningKey]) -> bytes:
    """The file that a site shows its keys in: a set of JWK."""
    return msgspec.json.encode({"keys": [key.public for key in keys]})


def directory_headers(
    keys: Sequence[SigningKey], agent: str, *, created: int, seconds: int, label: str = "binding"
) -> Headers:
    """The headers that the site is to send with the directory: each key signs it, which proves that the site has it.

    They hold for `seconds` from `created` on, a time in seconds since 1970.
    """
    digest = f"sha-256=:{b64encode(hashlib.sha256(directory(keys)).digest()).decode()}:"
    authority = agent_origin(agent).removeprefix("https://")
    signed = [
        key.signed(
            f"{label}{place}",
            (('"@authority";req', authority), ('"content-digest"', digest)),
            {
                "created": created,
                "keyid": key.thumbprint,
                "alg": "ed25519",
                "expires": created + seconds,
                "tag": "http-message-signatures-directory",
            },
        )
        for place, key in enumerate(keys)
    ]
    inputs, signatures = (", ".join([pair[of][1] for pair in signed]) for of in (0, 1))
    return (
        ("Content-Type", MEDIA_TYPE),
        ("Cache-Control", "max-age=86400"),
        ("Content-Digest", digest),
        ("Signature-Input", inputs),
        ("Signature", signatures),
    )


def _ed25519() -> type[Ed25519PrivateKey]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise InputError(WITHOUT_PACKAGE) from None
    return Ed25519PrivateKey


def _from_pem(content: bytes) -> object:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return load_pem_private_key(content, password=None)


def _from_jwk(content: bytes) -> object:
    key = msgspec.json.decode(content)
    if (key["kty"], key["crv"]) != ("OKP", "Ed25519"):
        raise ValueError(key["crv"])
    return _ed25519().from_private_bytes(urlsafe_b64decode(key["d"] + "=="))


def _base64url(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()

"""The keys that sign and check tokens: Ed25519, named by `kid`, kept as PEM files in one directory.

Rotation: put a new private key into the directory of every gateway. All keys there are accepted, the one whose file
name sorts last signs; take an old one away when its tokens have run out. File names are free (`20260101-main.pem`);
the `kid` is made of the public key.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

RELOAD_S = 5.0


class NoKey(Exception):
    """The directory holds no private key that could sign."""


class Key:
    """One key. `private` None: it only checks."""

    def __init__(self, public: Ed25519PublicKey, private: Ed25519PrivateKey | None = None) -> None:
        self.public = public
        self.private = private
        raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.kid = base64.b32encode(sha256(raw).digest()[:10]).decode().lower()

    @classmethod
    def fresh(cls) -> Key:
        """A new one."""
        private = Ed25519PrivateKey.generate()
        return cls(private.public_key(), private)

    @classmethod
    def from_pem(cls, pem: bytes) -> Key:
        """From a PEM file's bytes, private or public. Raises ValueError for anything but Ed25519."""
        if b"PRIVATE KEY" in pem:
            private = load_pem_private_key(pem, None)
            if not isinstance(private, Ed25519PrivateKey):
                raise ValueError("the key is no Ed25519 key")
            return cls(private.public_key(), private)
        public = load_pem_public_key(pem)
        if not isinstance(public, Ed25519PublicKey):
            raise ValueError("the key is no Ed25519 key")
        return cls(public)

    def pem(self) -> bytes:
        """The private key as PEM. Raises NoKey for one that only checks."""
        if self.private is None:
            raise NoKey(f"key {self.kid} is only the public half")
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class KeyRing:
    """All keys that count; the last one with a private half signs."""

    def __init__(
        self, keys: list[Key], reload: Callable[[], list[Key]] | None = None, clock: Callable[[], float] | None = None
    ) -> None:
        """`keys` oldest first.

        `reload` reads them again when a token names an unknown one, at most every 5 s by `clock` (seconds).
        """
        self._reload = reload
        self._clock = clock
        self._loaded_at = clock() if clock else 0.0
        self._keys: dict[str, Key] = {}
        self._signer: Key | None = None
        self.replace(keys)

    def replace(self, keys: list[Key]) -> None:
        """Other keys from now on, oldest first. Raises NoKey when none can sign."""
        signers = [key for key in keys if key.private is not None]
        if not signers:
            raise NoKey("there is no private key to sign tokens with")
        self._keys = {key.kid: key for key in keys}
        self._signer = signers[-1]

    @property
    def signer(self) -> tuple[str, Ed25519PrivateKey]:
        """The (kid, key) that signs."""
        self._refresh()
        assert self._signer is not None and self._signer.private is not None
        return self._signer.kid, self._signer.private

    def checker(self, kid: str) -> Ed25519PublicKey | None:
        """The key that checks tokens of this kid; None: unknown."""
        if kid not in self._keys:
            self._refresh()
        key = self._keys.get(kid)
        return key.public if key else None

    def _refresh(self) -> None:
        if self._reload is None or self._clock is None or self._clock() < self._loaded_at + RELOAD_S:
            return
        self._loaded_at = self._clock()
        self.replace(self._reload())


def read_keys(directory: Path) -> list[Key]:
    """All keys of a directory, by file name. Raises NoKey when none can sign, ValueError for a bad file (named)."""
    keys: list[Key] = []
    for path in sorted(directory.glob("*.pem")):
        try:
            keys.append(Key.from_pem(path.read_bytes()))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    if not any(key.private for key in keys):
        raise NoKey(f"{directory} holds no private key (*.pem)")
    return keys


def ensure_keys(directory: Path) -> list[Key]:
    """Like `read_keys`, but makes a first key in an empty directory (one machine;

    Many gateways share a secret instead).
    """
    directory.mkdir(parents=True, exist_ok=True)
    if not any(directory.glob("*.pem")):
        key = Key.fresh()
        draft = directory / f".{key.kid}"
        draft.touch(mode=0o600)
        draft.write_bytes(key.pem())
        try:
            (directory / "0-first.pem").hardlink_to(
                draft
            )  # whole or not at all, and only the first of several starters wins
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return read_keys(directory)

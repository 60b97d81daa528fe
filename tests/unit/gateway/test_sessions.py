"""Guests, tokens, keys and their rotation, accounts of OpenID Connect issuers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from services.gateway.errors import Denied
from services.gateway.keys import Key, KeyRing, NoKey, ensure_keys, read_keys
from services.gateway.oidc import Accounts, Issuer
from services.gateway.tokens import Identity, Tokens, account_id, clean_name, guest_id
from stamtafel.gateway.v1 import gateway_pb2 as pb
from tests.unit.gateway.world import reason, world

ANN = Identity(player_id="ann", name="Ann")


async def test_a_guest_signs_in_and_stays_who_he_is() -> None:
    async with world() as w:
        stranger = w.client(token="")
        session = (await stranger.sessions.SignInGuest(pb.SignInGuestRequest(name="  Ann "))).session
        assert (session.player.name, session.player.guest) == ("Ann", True)
        assert list(session.player.roles) == [pb.ROLE_PLAYER]
        ann = w.client(token=session.access_token)
        found = await ann.sessions.GetSelf(pb.GetSelfRequest(), metadata=ann.metadata)
        assert found.player == session.player
        assert found.access_expires == session.access_expires
        w.now += 3600
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await ann.sessions.GetSelf(pb.GetSelfRequest(), metadata=ann.metadata)
        assert reason(caught.value) == ("UNAUTHENTICATED", "TOKEN_EXPIRED")
        request = pb.RefreshTokenRequest(refresh_token=session.refresh_token)
        fresh = (await stranger.sessions.RefreshToken(request)).session
        assert fresh.player == session.player
        assert w.gateway.tokens.access(fresh.access_token).player_id == session.player.player_id
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stranger.sessions.RefreshToken(pb.RefreshTokenRequest(refresh_token=fresh.access_token))
        assert reason(caught.value) == ("UNAUTHENTICATED", "TOKEN_INVALID")


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b", "a\nb"])
def test_names_that_cannot_be_shown(name: str) -> None:
    with pytest.raises(Denied) as caught:
        clean_name(name)
    assert caught.value.violations[0].field == "name"


def test_ids_are_long_enough_to_be_nobody_elses() -> None:
    assert len({guest_id() for _ in range(1000)}) == 1000
    assert account_id("a", "bc") != account_id("ab", "c")
    assert account_id("a", "bc") == account_id("a", "bc")


def test_a_new_key_signs_and_the_old_one_still_counts() -> None:
    old, new = Key.fresh(), Key.fresh()
    ring = KeyRing([old])
    tokens = Tokens(ring, lambda: 1000.0)
    before = tokens.session(ANN).access_token
    ring.replace([old, new])
    after = tokens.session(ANN).access_token
    assert jwt.get_unverified_header(after)["kid"] == new.kid
    assert tokens.access(before).player_id == tokens.access(after).player_id == "ann"
    ring.replace([new])
    with pytest.raises(Denied, match="TOKEN_INVALID"):
        Tokens(ring, lambda: 1000.0).access(before)


def test_keys_are_read_again_for_a_kid_that_is_not_known(tmp_path: Path) -> None:
    now = 0.0
    first = ensure_keys(tmp_path)
    assert [key.kid for key in ensure_keys(tmp_path)] == [key.kid for key in first]
    assert next(tmp_path.iterdir()).stat().st_mode & 0o077 == 0
    ring = KeyRing(first, lambda: read_keys(tmp_path), lambda: now)
    added = Key.fresh()
    (tmp_path / "1-second.pem").write_bytes(added.pem())
    elsewhere = Tokens(KeyRing([added]), lambda: 1000.0).session(ANN).access_token
    here = Tokens(ring, lambda: 1000.0)
    with pytest.raises(Denied):
        here.access(elsewhere)
    now = 6.0
    assert here.access(elsewhere).player_id == "ann"
    assert ring.signer[0] == added.kid


def test_a_directory_without_a_key_that_signs(tmp_path: Path) -> None:
    with pytest.raises(NoKey):
        read_keys(tmp_path)
    public = Key.fresh().public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "a.pem").write_bytes(public)
    with pytest.raises(NoKey):
        read_keys(tmp_path)
    (tmp_path / "b.pem").write_text("-----BEGIN PRIVATE KEY-----\nrubbish\n-----END PRIVATE KEY-----\n")
    with pytest.raises(ValueError, match=r"b\.pem"):
        read_keys(tmp_path)


class House:
    """An issuer: a key, and a server that publishes it."""

    def __init__(self) -> None:
        self.key: RSAPrivateKey = generate_private_key(65537, 2048)
        public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
        body = json.dumps({"keys": [{**public, "kid": "k1", "use": "sig", "alg": "RS256"}]}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = Issuer(
            issuer="https://house.example",
            audience="stamtafel",
            jwks_uri=f"http://127.0.0.1:{self.server.server_port}/keys",
            roles_claim="groups",
        )

    def token(self, key: RSAPrivateKey | None = None, kid: str = "k1", **changed: Any) -> str:
        claims = {
            "iss": self.issuer.issuer,
            "aud": "stamtafel",
            "sub": "42",
            "exp": 2000,
            "iat": 900,
            "name": "Ann\x07 of the house",
            "groups": ["operator", "barkeeper"],
            **changed,
        }
        return jwt.encode(claims, key or self.key, "RS256", headers={"kid": kid})


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    made = House()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


async def test_an_account_is_always_the_same_player_with_its_roles(house: House) -> None:
    accounts = Accounts([house.issuer], lambda: 1000.0)
    one = await accounts.identify(house.token())
    two = await accounts.identify(house.token(iat=950))
    assert one == two
    assert (one.name, one.guest, one.roles) == ("Ann of the house", False, frozenset(("player", "operator")))


async def test_id_tokens_that_do_not_count(house: House) -> None:
    accounts = Accounts([house.issuer], lambda: 1000.0)
    other = generate_private_key(65537, 2048)
    hostile = jwt.encode({"iss": house.issuer.issuer, "sub": "42", "aud": "stamtafel", "exp": 2000}, None, "none")
    cases = {
        house.token(key=other): "TOKEN_INVALID",
        house.token(kid="k2"): "TOKEN_INVALID",
        house.token(iss="https://elsewhere.example"): "TOKEN_INVALID",
        house.token(aud="another"): "TOKEN_INVALID",
        house.token(exp=900): "TOKEN_EXPIRED",
        hostile: "TOKEN_INVALID",
        "rubbish": "TOKEN_INVALID",
        "": "BAD_SHAPE",
    }
    for token, expected in cases.items():
        with pytest.raises(Denied) as caught:
            await accounts.identify(token)
        assert caught.value.reason == expected, (token, caught.value)


async def test_an_issuer_that_does_not_answer(house: House) -> None:
    away = Issuer(house.issuer.issuer, "stamtafel", "http://127.0.0.1:9/keys")
    with pytest.raises(Denied) as caught:
        await Accounts([away], lambda: 1000.0).identify(house.token())
    assert caught.value.reason == "NO_ANSWER"

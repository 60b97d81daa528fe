"""`SessionsService`: guests, accounts, tokens."""

from __future__ import annotations

from services.gateway.oidc import Accounts
from services.gateway.tokens import Identity, Tokens, clean_name, guest_id
from stamtafel.gateway.v1 import gateway_pb2 as pb


class SessionsService:
    """Makes sessions. Nothing is stored: who somebody is stands in his tokens."""

    def __init__(self, tokens: Tokens, accounts: Accounts) -> None:
        self._tokens = tokens
        self._accounts = accounts

    async def sign_in_guest(self, request: pb.SignInGuestRequest, _: Identity) -> pb.SignInGuestResponse:
        """A new player without an account."""
        who = Identity(player_id=guest_id(), name=clean_name(request.name), guest=True)
        return pb.SignInGuestResponse(session=self._tokens.session(who))

    async def sign_in(self, request: pb.SignInRequest, _: Identity) -> pb.SignInResponse:
        """The session of an issuer's account."""
        who = await self._accounts.identify(request.id_token)
        return pb.SignInResponse(session=self._tokens.session(who))

    async def refresh_token(self, request: pb.RefreshTokenRequest, _: Identity) -> pb.RefreshTokenResponse:
        """Fresh tokens for a refresh token."""
        return pb.RefreshTokenResponse(session=self._tokens.session(self._tokens.refresh(request.refresh_token)))

    async def get_self(self, _: pb.GetSelfRequest, who: Identity) -> pb.GetSelfResponse:
        """Who the token is for."""
        reply = pb.GetSelfResponse(player=who.player())
        reply.access_expires.FromSeconds(int(who.expires))
        return reply

"""The client for a merchant's backend: one object with an API key, and the API's subjects on it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import quote, urlsplit

from . import api_types as api
from .send import Limits, Outside, Request, send

Resource = TypeVar("Resource")
Item = TypeVar("Item")


@dataclass(frozen=True)
class ResponseFacts:
    """The response around a resource. `etag` is for `if_match`; `request_id` finds the request in the service's log."""

    status: int
    request_id: str | None
    etag: str | None
    replayed: bool
    """True if it is the response of an earlier call with the same idempotency key."""
    idempotency_key: str | None
    attempts: int


@dataclass(frozen=True)
class Answer(Mapping[str, Any], Generic[Resource]):
    """A resource, a plain dict of the API's fields, and the facts of its response.

    It reads as the resource does: `answer["id"]` is `answer.resource["id"]`, and `dict(answer)` is a copy. `resource`
    has the types of the fields.
    """

    resource: Resource
    response: ResponseFacts

    def __getitem__(self, name: str) -> Any:
        return cast("dict[str, Any]", self.resource)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(cast("dict[str, Any]", self.resource))

    def __len__(self) -> int:
        return len(cast("dict[str, Any]", self.resource))


@dataclass(frozen=True)
class PaymentOutcome(Answer[api.Payment]):
    """A payment as a call left it.

    `outcome_known` is False while the money may or may not have moved, or will soon: ship nothing, and do not pay
    again, but read the payment later. After an operation it is that of the operation, after `get` that of the payment.
    """

    outcome_known: bool


@dataclass(frozen=True)
class Options:
    """Options of one call. `timeout` is in seconds, for all attempts.

    Without `idempotency_key` the client creates one for all attempts of the call. Pass one of your own, made of what
    you do ("order-7-capture"), if your process may die and start the call again (contract §6). Reads have none.
    """

    idempotency_key: str | None = None
    request_id: str | None = None
    timeout: float | None = None


NONE = Options()


class _Caller:
    def __init__(self, api_key: str, base_url: str, limits: Limits, outside: Outside) -> None:
        self._api_key = api_key
        self._base = urlsplit(base_url.rstrip("/"))
        self._limits = limits
        self._outside = outside

    def call(
        self,
        method: Literal["GET", "POST", "PATCH", "DELETE"],
        path: str,
        ids: Mapping[str, str],
        options: Options,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        has_key: bool = True,
    ) -> Answer[Any]:
        key = None if method == "GET" or not has_key else options.idempotency_key or self._outside.new_key()
        own = {
            "X-Api-Key": self._api_key,
            "X-Idempotency-Key": key,
            "X-Request-Id": options.request_id,
            "Content-Type": None if body is None else "application/json",
            **(headers or {}),
        }
        request = Request(
            method,
            _filled(path, ids) + _query(query or {}),
            {name: value for name, value in own.items() if value is not None},
            None if body is None else json.dumps(body).encode(),
        )
        total = self._limits.total if options.timeout is None else options.timeout
        limits = Limits(self._limits.attempt, total, self._limits.retries)
        heard, attempts = send(self._base, request, limits, self._outside, key)
        facts = ResponseFacts(
            status=heard.status or 0,
            request_id=heard.headers.get("x-request-id"),
            etag=heard.headers.get("etag"),
            replayed=heard.headers.get("idempotent-replayed") == "true",
            idempotency_key=key,
            attempts=attempts,
        )
        return Answer(heard.body, facts)


def _filled(path: str, ids: Mapping[str, str]) -> str:
    """Raise ValueError for an id that is empty or has a slash, because it would be another endpoint."""
    for one in ids.values():
        if not isinstance(one, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", one):
            raise ValueError(f"{one!r} is not an id")
    return path.format(**ids)


def _query(query: Mapping[str, Any]) -> str:
    """A list is a parameter that repeats."""
    parameters = [
        f"{name}={quote(str(one), safe='')}"
        for name, value in query.items()
        if value is not None
        for one in (value if isinstance(value, (list, tuple)) else [value])
    ]
    return f"?{'&'.join(parameters)}" if parameters else ""


class List(Generic[Item]):
    """A list that loads pages as you iterate, and none that you do not reach."""

    def __init__(self, read: Callable[[str | None], Answer[Any]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.resource["data"]

    def pages(self, cursor: str | None = None) -> Iterator[Answer[Any]]:
        """The pages, from the one at `cursor` on: a `nextCursor` of the same list with the same filters."""
        while True:
            page = self._read(cursor)
            yield page
            following = page.resource.get("nextCursor")
            if following is None:
                return
            if following == cursor:
                raise ValueError("the list does not advance: a page names its own cursor as the next one")
            cursor = following

    def first(self, most: int) -> list[Item]:
        """At most `most` items."""
        return [item for _, item in zip(range(most), self)]


class ClientSessions:
    """A cart on its way to a payment (contract §3). Needs the scope client_tokens:write."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def create(
        self, fields: api.ClientSessionFields | None = None, options: Options = NONE
    ) -> Answer[api.CreatedClientSession]:
        """The client token of the resource is the one thing of it that a browser may hold."""
        return self._call("POST", "/client-session", {}, options, body=fields or {})

    def get(self, client_token: str, options: Options = NONE) -> Answer[api.ClientSession]:
        # In a header: in the URL, the token would appear in the logs of proxies.
        return self._call("GET", "/client-session", {}, options, headers={"X-Client-Token": client_token})

    def update(
        self, client_token: str, changes: Mapping[str, Any], options: Options = NONE, *, if_match: str | None = None
    ) -> Answer[api.ClientSession]:
        """Change fields and leave the others; None clears. `if_match`: an etag that the session must still have."""
        body = {**changes, "clientToken": client_token}
        return self._call("PATCH", "/client-session", {}, options, body=body, headers={"If-Match": if_match})

    def renew_token(self, client_token: str, options: Options = NONE) -> Answer[api.ClientToken]:
        """A new token for the same session, valid for 24 hours."""
        body = {"clientToken": client_token}
        return self._call("POST", "/client-session/client-token", {}, options, body=body)


_AUTHORIZATION_ENDED = frozenset(("AUTHORIZED", "SETTLED", "PARTIALLY_SETTLED", "DECLINED", "FAILED", "CANCELLED"))
"""The statuses in which a report of the processor ends an authorization. An unknown status counts as open."""


def _newest_refund(payment: api.Payment) -> str | None:
    refunds = [one["status"] for one in payment["transactions"] if one["transactionType"] == "REFUND"]
    return refunds[-1] if refunds else None


class DryRuns:
    """What an operation would do, and why it would be refused (contract §4).

    Nothing is written or sent, and the processor is not asked: it may decline what is `allowed`.
    """

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def authorize(self, fields: api.AuthorizePayment, options: Options = NONE) -> Answer[api.DryRun]:
        return self._try("/payments", {}, fields, options)

    def capture(
        self, id: str, fields: api.CapturePayment | None = None, options: Options = NONE
    ) -> Answer[api.DryRun]:
        return self._try("/payments/{id}/capture", {"id": id}, fields, options)

    def cancel(
        self, id: str, fields: api.CancelPayment | None = None, options: Options = NONE
    ) -> Answer[api.DryRun]:
        return self._try("/payments/{id}/cancel", {"id": id}, fields, options)

    def refund(
        self, id: str, fields: api.RefundPayment | None = None, options: Options = NONE
    ) -> Answer[api.DryRun]:
        return self._try("/payments/{id}/refund", {"id": id}, fields, options)

    def _try(
        self, path: str, ids: Mapping[str, str], fields: Mapping[str, Any] | None, options: Options
    ) -> Answer[api.DryRun]:
        return self._call("POST", path, ids, options, query={"dryRun": "true"}, body=fields or {}, has_key=False)


class Payments:
    """Authorize, capture, cancel, refund, adjust and read (contract §4). Each needs the scope of its name.

    `dry_run` has the first four of them, only tried out.
    """

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call
        self.dry_run = DryRuns(caller)

    def _outcome(self, answer: Answer[api.Payment], is_known: Callable[[api.Payment], bool]) -> PaymentOutcome:
        """A 202 means that the processor has not responded, whatever the payment shows."""
        known = answer.response.status == 200 and is_known(answer.resource)
        return PaymentOutcome(answer.resource, answer.response, known)

    def authorize(self, fields: api.AuthorizePayment, options: Options = NONE) -> PaymentOutcome:
        """Pay with a token. A declined payment is a response with the status DECLINED, not an error."""
        answer = self._call("POST", "/payments", {}, options, body=fields)
        return self._outcome(answer, lambda payment: payment["status"] in _AUTHORIZATION_ENDED)

    def capture(
        self, id: str, fields: api.CapturePayment | None = None, options: Options = NONE
    ) -> PaymentOutcome:
        """Take what was authorized: all that is left, or `amount` in minor units."""
        answer = self._call("POST", "/payments/{id}/capture", {"id": id}, options, body=fields or {})
        return self._outcome(answer, lambda payment: payment["status"] in ("SETTLED", "PARTIALLY_SETTLED"))

    def cancel(self, id: str, fields: api.CancelPayment | None = None, options: Options = NONE) -> PaymentOutcome:
        """Release what was authorized and not captured."""
        answer = self._call("POST", "/payments/{id}/cancel", {"id": id}, options, body=fields or {})
        return self._outcome(
            answer,
            lambda payment: payment["status"] == "CANCELLED"
            or (payment["status"] == "PARTIALLY_SETTLED" and payment["processor"].get("amountCapturable", 0) == 0),
        )

    def refund(self, id: str, fields: api.RefundPayment | None = None, options: Options = NONE) -> PaymentOutcome:
        """Give back what was captured: all that is left, or `amount` in minor units."""
        answer = self._call("POST", "/payments/{id}/refund", {"id": id}, options, body=fields or {})
        return self._outcome(answer, lambda payment: _newest_refund(payment) in ("SETTLED", "FAILED"))

    def adjust_authorization(self, id: str, fields: api.AdjustAuthorization, options: Options = NONE) -> PaymentOutcome:
        """Authorize another total, if the authorization is ESTIMATED."""
        answer = self._call("POST", "/payments/{id}/adjust-authorization", {"id": id}, options, body=fields)
        return self._outcome(answer, lambda payment: payment["processor"]["amountAuthorized"] == fields["amount"])

    def resume(self, id: str, fields: api.ResumePayment, options: Options = NONE) -> PaymentOutcome:
        """Continue after the customer has acted, with the `resumeToken` from the call of your `returnUrl`."""
        answer = self._call("POST", "/payments/{id}/resume", {"id": id}, options, body=fields)
        return self._outcome(answer, lambda payment: payment["status"] in _AUTHORIZATION_ENDED)

    def submit_evidence(
        self, id: str, dispute_id: str, fields: api.DisputeEvidence, options: Options = NONE
    ) -> PaymentOutcome:
        """Challenge a dispute with evidence if `submit` is True; otherwise keep the evidence as a draft."""
        ids = {"id": id, "dispute_id": dispute_id}
        answer = self._call("POST", "/payments/{id}/disputes/{dispute_id}/evidence", ids, options, body=fields)
        return self._outcome(answer, lambda _: True)

    def accept_dispute(self, id: str, dispute_id: str, options: Options = NONE) -> PaymentOutcome:
        """Accept a dispute: the customer keeps the money."""
        ids = {"id": id, "dispute_id": dispute_id}
        answer = self._call("POST", "/payments/{id}/disputes/{dispute_id}/accept", ids, options, body={})
        return self._outcome(answer, lambda _: True)

    def get(
        self,
        id: str,
        options: Options = NONE,
        *,
        expand: Literal["transactions.events"] | None = None,
        at: datetime | str | None = None,
    ) -> PaymentOutcome:
        """Read a payment, with `at` as it was recorded then: a datetime with a zone, or RFC 3339 text.

        `outcome_known` is False while any operation of it, or a response to a dispute, may still move money.
        """
        then = at.astimezone(timezone.utc).isoformat() if isinstance(at, datetime) else at
        answer = self._call("GET", "/payments/{id}", {"id": id}, options, query={"expand": expand, "at": then})
        return self._outcome(answer, lambda payment: payment.get("outcomeKnown") is True)

    def list(self, filter: api.ListPaymentsFilter | None = None, options: Options = NONE) -> List[api.PaymentItem]:
        """Newest first. `limit` is the size of a page (1 to 100), not of the list."""
        return List(
            lambda cursor: self._call("GET", "/payments", {}, options, query={**(filter or {}), "cursor": cursor})
        )

    def events(self, id: str, options: Options = NONE) -> List[api.PaymentEvent]:
        """The history of a payment, oldest first."""
        return self._pages("/payments/{id}/events", id, 100, options)

    def why(self, id: str, options: Options = NONE) -> List[api.PaymentWhyStep]:
        """Why a payment is as it is, oldest first: each step with its words and the id of the step that led to it."""
        return self._pages("/payments/{id}/why", id, 500, options)

    def _pages(self, path: str, id: str, limit: int, options: Options) -> List[Any]:
        return List(
            lambda cursor: self._call("GET", path, {"id": id}, options, query={"limit": limit, "cursor": cursor})
        )


class Instruments:
    """Cards as tokens, vaulted for a customer (contract §5)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def list(self, filter: api.ListPaymentInstrumentsFilter, options: Options = NONE) -> List[api.PaymentInstrument]:
        """The customer's vaulted instruments; deleted ones are left out."""
        return List(
            lambda cursor: self._call("GET", "/payment-instruments", {}, options, query={**filter, "cursor": cursor})
        )

    def get(self, token: str, options: Options = NONE) -> Answer[api.PaymentInstrument]:
        """A deleted one can still be read; its `deleted` says so."""
        return self._call("GET", "/payment-instruments/{token}", {"token": token}, options)

    def vault(
        self, token: str, fields: api.VaultPaymentInstrument, options: Options = NONE
    ) -> Answer[api.PaymentInstrument]:
        """Keep the card for the customer, under the same token."""
        return self._call("POST", "/payment-instruments/{token}/vault", {"token": token}, options, body=fields)

    def set_default(self, token: str, options: Options = NONE) -> Answer[api.PaymentInstrument]:
        return self._call("POST", "/payment-instruments/{token}/default", {"token": token}, options)

    def delete(self, token: str, options: Options = NONE) -> Answer[api.PaymentInstrument]:
        return self._call("DELETE", "/payment-instruments/{token}", {"token": token}, options)


class PaymentLinks:
    """Pages of the service that take one payment each, for a sale without a shop (contract §3)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def create(self, fields: api.CreatePaymentLink, options: Options = NONE) -> Answer[api.PaymentLink]:
        """Return the link with its `url`: whoever has it can read the order and pay it."""
        return self._call("POST", "/payment-links", {}, options, body=fields)

    def list(self, filter: api.ListPaymentLinksFilter | None = None, options: Options = NONE) -> List[api.PaymentLink]:
        """Newest first."""
        return List(
            lambda cursor: self._call("GET", "/payment-links", {}, options, query={**(filter or {}), "cursor": cursor})
        )

    def get(self, id: str, options: Options = NONE) -> Answer[api.PaymentLink]:
        """PAID names the payment: ship by its own status."""
        return self._call("GET", "/payment-links/{id}", {"id": id}, options)

    def cancel(self, id: str, options: Options = NONE) -> Answer[api.PaymentLink]:
        """Raise CounterfoilError `ClientSessionCompleted`, with `payment_id`, while a payment holds the link."""
        return self._call("POST", "/payment-links/{id}/cancel", {"id": id}, options)


class Agreements:
    """What customers agreed to be charged for in their absence; each period is charged once (contract §14)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def create(self, fields: api.CreateAgreement, options: Options = NONE) -> Answer[api.Agreement]:
        """Return an agreement from a payment that saved its payment method, or was made with a saved one."""
        return self._call("POST", "/agreements", {}, options, body=fields)

    def list(self, filter: api.ListAgreementsFilter | None = None, options: Options = NONE) -> List[api.Agreement]:
        """Newest first."""
        return List(
            lambda cursor: self._call("GET", "/agreements", {}, options, query={**(filter or {}), "cursor": cursor})
        )

    def get(self, id: str, options: Options = NONE) -> Answer[api.Agreement]:
        """Return the agreement with its newest periods."""
        return self._call("GET", "/agreements/{id}", {"id": id}, options)

    def why(self, id: str, options: Options = NONE) -> List[api.AgreementWhyStep]:
        """Why an agreement is as it is, oldest first: each step with its words and the id of the step that led to it."""
        return List(
            lambda cursor: self._call("GET", "/agreements/{id}/why", {"id": id}, options, query={"cursor": cursor})
        )

    def update(
        self, id: str, changes: api.PatchAgreement, options: Options = NONE, *, if_match: str | None = None
    ) -> Answer[api.Agreement]:
        """Change terms, retry policy and metadata, and leave the others. `if_match`: an etag that it must still have.

        Terms that allow more need a new `consent`, all others `noticeGivenAt`.
        """
        return self._call("PATCH", "/agreements/{id}", {"id": id}, options, body=changes, headers={"If-Match": if_match})

    def record_notice(self, id: str, fields: api.AgreementNotice, options: Options = NONE) -> Answer[api.Agreement]:
        """Put on record that you told the customer of a charge, or of other terms."""
        return self._call("POST", "/agreements/{id}/notices", {"id": id}, options, body=fields)

    def charge(self, id: str, fields: api.ChargeAgreement, options: Options = NONE) -> PaymentOutcome:
        """Charge a period: the same `periodKey` returns the same payment, for ever. After a decline it is the next
        try, and CounterfoilError `RetryNotAllowed` before that is allowed."""
        answer = self._call("POST", "/agreements/{id}/charges", {"id": id}, options, body=fields)
        known = answer.response.status == 200 and answer.resource["status"] in _AUTHORIZATION_ENDED
        return PaymentOutcome(answer.resource, answer.response, known)

    def pause(self, id: str, options: Options = NONE) -> Answer[api.Agreement]:
        """Nothing is charged until `resume`."""
        return self._call("POST", "/agreements/{id}/pause", {"id": id}, options)

    def resume(self, id: str, options: Options = NONE) -> Answer[api.Agreement]:
        """Return the agreement, which can be charged again."""
        return self._call("POST", "/agreements/{id}/resume", {"id": id}, options)

    def cancel(
        self, id: str, fields: api.CancelAgreement | None = None, options: Options = NONE
    ) -> Answer[api.Agreement]:
        """For good. A charge that has begun goes on: `periods` has it without an outcome."""
        return self._call("POST", "/agreements/{id}/cancel", {"id": id}, options, body=fields or {})

    def replace_instrument(
        self, id: str, fields: api.ReplaceAgreementInstrument, options: Options = NONE
    ) -> Answer[api.Agreement]:
        """Charge another payment method from now on, with which the customer has paid `paymentId`."""
        return self._call("POST", "/agreements/{id}/instrument", {"id": id}, options, body=fields)


class Events:
    """The messages of webhooks, read from the API, for a receiver that has missed some (contract §8)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def list(
        self, filter: api.ListEventsFilter | None = None, options: Options = NONE
    ) -> List[api.PaymentMessage | api.AgreementMessage]:
        """Oldest first; after one of them with `after`, an eventId.

        Keep the eventId of the last message that you have read from this list: webhooks arrive in any order.
        """
        return List(
            lambda cursor: self._call("GET", "/events", {}, options, query={**(filter or {}), "cursor": cursor})
        )


class Checkpoints:
    """Signed receipts about the whole log, to keep and to compare it with later (contract §11)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def list(
        self, filter: api.ListCheckpointsFilter | None = None, options: Options = NONE
    ) -> List[api.Checkpoint]:
        """Newest first. Each is a file for `counterfoil-verify`."""
        return List(
            lambda cursor: self._call(
                "GET", "/audit/checkpoints", {}, options, query={**(filter or {}), "cursor": cursor}
            )
        )


class Connections:
    """The connections of the account to processors: what each can do, and whether it responds (contract §4)."""

    def __init__(self, caller: _Caller) -> None:
        self._call = caller.call

    def list(self, options: Options = NONE) -> List[api.Connection]:
        """Oldest first, the built-in sandbox before them. Circuits are those of the node that responds."""
        return List(lambda _: self._call("GET", "/connections", {}, options))


def _kind(value: object) -> str:
    """What an argument is, without its content, which could be a secret."""
    return "None" if value is None else "an empty text" if value == "" else f"a value of the type {type(value).__name__}"


class Counterfoil:
    """The API of Counterfoil.

    Every call returns the resource with the facts of its response. It raises CounterfoilError for a refusal and
    CounterfoilNoAnswer when no response arrived. Each POST, PATCH and DELETE has one idempotency key for all its
    attempts, so that a repeated call has one effect. An object may be used by several threads.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 120,
        attempt_timeout: float = 40,
        retries: int = 5,
        outside: Outside | None = None,
    ) -> None:
        """Raise TypeError for an argument that is missing or of another type, ValueError for one that cannot work.

        `timeout`: for a call with all its retries, in seconds. `attempt_timeout`: for one attempt; the service itself
        waits 30 s for a processor. `retries`: attempts after the first. `outside` is for tests.
        """
        if not isinstance(api_key, str) or api_key == "":
            raise TypeError(f"api_key is missing: pass the text cf_test_… or cf_live_…, not {_kind(api_key)}")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key contains characters that no API key has")
        if not isinstance(base_url, str) or base_url == "":
            raise TypeError(f"base_url is missing: pass the URL of the service as text, not {_kind(base_url)}")
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc or url.query or url.fragment:
            raise ValueError("base_url must be the http or https URL of the service, without credentials and query")
        for name, value, least in (("timeout", timeout, 0.001), ("attempt_timeout", attempt_timeout, 0.001), ("retries", retries, 0)):
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise TypeError(f"{name} is {_kind(value)}: allowed is a number of at least {least}")
            if not (math.isfinite(value) and value >= least):
                raise ValueError(f"{name} is {value}: allowed is a number of at least {least}")
        caller = _Caller(api_key, base_url, Limits(attempt_timeout, timeout, retries), outside or Outside())
        self.client_sessions = ClientSessions(caller)
        self.payments = Payments(caller)
        self.instruments = Instruments(caller)
        self.payment_links = PaymentLinks(caller)
        self.agreements = Agreements(caller)
        self.events = Events(caller)
        self.checkpoints = Checkpoints(caller)
        self.connections = Connections(caller)

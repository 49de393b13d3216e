"""The errors of the client: a refusal of the API, a call without a response, or a webhook that cannot be trusted."""

from __future__ import annotations

from typing import Any, Literal

NoAnswerReason = Literal["network", "timeout", "unreadable"]
WebhookFault = Literal["missing_header", "bad_signature", "bad_timestamp", "too_old", "too_new", "not_a_message"]


class CounterfoilError(Exception):
    """A refusal of the API (contract §7): nothing happened. A declined payment is not an error.

    `error_id` is stable, and open: a later service may answer an id that this version does not know. `description` is
    for people. `diagnostics_id` finds the request in the service's log. `validation_errors` has every violation of the
    request's schema. `retry_after` is in seconds.
    """

    def __init__(
        self,
        status: int,
        fields: dict[str, Any],
        *,
        retry_after: float | None,
        attempts: int,
        idempotency_key: str | None,
    ) -> None:
        self.status = status
        self.error_id: str = fields["errorId"]
        self.description: str = fields["description"]
        self.diagnostics_id: str = fields["diagnosticsId"]
        self.recovery_suggestion: str | None = fields.get("recoverySuggestion")
        self.validation_errors: list[dict[str, Any]] = fields.get("validationErrors") or []
        self.payment_id: str | None = fields.get("paymentId")
        self.payment_status: str | None = fields.get("paymentStatus")
        self.status_reason: dict[str, Any] | None = fields.get("statusReason")
        self.retry_after = retry_after
        self.attempts = attempts
        self.idempotency_key = idempotency_key
        violations = [error for part in self.validation_errors for error in part.get("errors", [])]
        words = "".join(f" {error.get('path')}: {error.get('description')}" for error in violations)
        super().__init__(f"{self.error_id}: {self.description}{words} ({status}, {self.diagnostics_id})")


class CounterfoilNoAnswer(Exception):
    """No response arrived, so the call may have had its effect: the money may have moved.

    Read the payment, or send the same request again with `idempotency_key`; a request with another key could charge
    twice. `reason`: the connection failed (`network`), the time was over (`timeout`), or the response does not come
    from the API (`unreadable`). `may_have_happened` is False if no attempt got as far as a connection, for example
    because the server refused it or its name does not resolve: this call sent nothing, so it had no effect.
    """

    def __init__(
        self,
        reason: NoAnswerReason,
        words: str,
        *,
        attempts: int,
        idempotency_key: str | None,
        may_have_happened: bool = True,
    ) -> None:
        tried = f"{words} after {attempts} {'attempt' if attempts == 1 else 'attempts'}"
        super().__init__(tried if may_have_happened else f"{tried}: this call sent nothing")
        self.reason = reason
        self.attempts = attempts
        self.idempotency_key = idempotency_key
        self.may_have_happened = may_have_happened


class WebhookVerificationError(Exception):
    """A call of your endpoint that is not to be trusted: respond with 400, and do nothing."""

    def __init__(self, reason: WebhookFault, words: str) -> None:
        super().__init__(f"{words} ({reason})")
        self.reason = reason

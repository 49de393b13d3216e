"""Webhooks as they come in: the message, if Counterfoil signed it (contract §8, Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast, overload

from .api_types import AgreementMessage, CheckpointMessage, WebhookMessage
from .errors import WebhookFault, WebhookVerificationError

_NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")
_SECRET = re.compile(r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)")
_LEAST_BYTES = 24
"""Standard Webhooks 1.0 asks for 24 to 64."""


@overload
def verify_webhook(
    raw_body: str | bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    checkpoints: Literal[False] = False,
    now: Callable[[], float] = time.time,
) -> WebhookMessage | AgreementMessage: ...


@overload
def verify_webhook(
    raw_body: str | bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    checkpoints: Literal[True],
    now: Callable[[], float] = time.time,
) -> WebhookMessage | AgreementMessage | CheckpointMessage: ...


def verify_webhook(
    raw_body: str | bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    checkpoints: bool = False,
    now: Callable[[], float] = time.time,
) -> WebhookMessage | AgreementMessage | CheckpointMessage:
    """Return the message that Counterfoil signed.

    `raw_body`: the unparsed body; a body that was parsed and written again has another signature. `headers`: any case.
    `secrets`: the `whsec_…` of the endpoint; several while you change it. `tolerance_seconds`: how far the timestamp
    may be from this machine's clock. `checkpoints`: True for an endpoint that asked for AUDIT.CHECKPOINT; messages about
    checkpoints of the log, which have neither `payment` nor `agreement`, are then accepted, too. `now` is for tests.

    Raises WebhookVerificationError for a message that is not to be trusted, TypeError or ValueError for arguments that
    can verify nothing. A repeated message verifies again: `eventId` and `sequence` make that harmless.
    """
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    if not isinstance(body, bytes):
        raise TypeError("raw_body must be the unparsed body as a string or bytes")
    keys = [_key_of(secret) for secret in ([secrets] if secrets is None or isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("a secret is required to verify a webhook")
    if not 0 <= tolerance_seconds < float("inf"):
        raise ValueError("tolerance_seconds must be a number of at least 0")
    found = [_header_of(headers, name) for name in _NAMES]
    if not all(found):
        raise _refused("missing_header", f"A webhook needs the headers {', '.join(_NAMES)}")
    message_id, timestamp, signatures = found
    # The signature first: nothing that somebody else wrote is looked at any closer.
    expected = [_signature(key, message_id, timestamp, body) for key in keys]
    given = [signature.encode() for signature in signatures.split(" ")]
    if not any([hmac.compare_digest(right, one) for right in expected for one in given]):
        raise _refused("bad_signature", "The signature belongs to another secret, or the message was changed in transit")
    _check_age(timestamp, int(now()), tolerance_seconds)
    message = _parsed(body)
    if _is_message(message) and message["eventId"] == message_id:
        return cast(WebhookMessage | AgreementMessage, message)
    if checkpoints and _is_checkpoint(message) and message["eventId"] == message_id:
        return cast(CheckpointMessage, message)
    raise _refused("not_a_message", "The body is signed, but it is not a message")


class SignedWebhook(NamedTuple):
    """A webhook as it arrives: the unparsed body, and the headers that sign it."""

    body: bytes
    headers: dict[str, str]


def sign_test_webhook(
    message: Mapping[str, Any], secret: str, *, now: Callable[[], float] = time.time
) -> SignedWebhook:
    """Return the message as Counterfoil would send it, for tests of your receiver: `verify_webhook` accepts it.

    `message`: a WebhookMessage, such as one of `events.list()`, or the fields that a receiver decides by: `eventId`,
    `eventType`, `sequence`, and the `id` and `status` of its `payment` or `agreement`. `secret`: a `whsec_…` of your test. `now` is
    the time of the signature, in seconds since the epoch.

    Raises ValueError for a message or a secret that `verify_webhook` refuses.
    """
    key = _key_of(secret)
    body = json.dumps(dict(message), allow_nan=False).encode()
    sent = json.loads(body)
    if not (_is_message(sent) or _is_checkpoint(sent)):
        raise ValueError("a message needs eventId, eventType, sequence, and a payment or an agreement with its id and status")
    timestamp = str(int(now()))
    signature = _signature(key, sent["eventId"], timestamp, body).decode()
    return SignedWebhook(body, dict(zip(_NAMES, (sent["eventId"], timestamp, signature))))


def _signature(key: bytes, message_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))


def _refused(reason: WebhookFault, words: str) -> WebhookVerificationError:
    return WebhookVerificationError(reason, words)


def _key_of(secret: object) -> bytes:
    match = _SECRET.fullmatch(secret) if isinstance(secret, str) else None
    key = base64.b64decode(match.group(1)) if match else b""
    if len(key) < _LEAST_BYTES:
        raise ValueError("a secret is missing or invalid: secrets begin with whsec_")
    return key


def _header_of(headers: Mapping[str, str], name: str) -> str:
    """Return '' for a header that is absent, or present several times."""
    found = [value for key, value in headers.items() if key.lower() == name]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else ""


def _check_age(timestamp: str, now: int, tolerance: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise _refused("bad_timestamp", "The timestamp is not a number of seconds")
    age = now - int(timestamp)
    if age > tolerance:
        raise _refused("too_old", f"The message was sent {age} s ago; {tolerance} s are allowed")
    if -age > tolerance:
        raise _refused("too_new", f"The clock of the sender is {-age} s ahead; {tolerance} s are allowed")


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"))
    except ValueError:
        return None  # not a message


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_message(value: Any) -> bool:
    """True if the fields that a receiver decides by are there. A new eventType is a message, too."""
    subject = (value.get("payment") or value.get("agreement")) if isinstance(value, dict) else None
    if not isinstance(subject, dict):
        return False
    texts = [value.get("eventId"), value.get("eventType"), subject.get("id"), subject.get("status")]
    return (
        all(isinstance(text, str) and text != "" for text in texts)
        and _is_whole(value.get("sequence"))
        and ("previousSequence" not in value or _is_whole(value["previousSequence"]))
    )


def _is_checkpoint(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("checkpoint"), dict):
        return False
    checkpoint = value["checkpoint"]
    texts = [value.get("eventId"), value.get("eventType"), checkpoint.get("root"), checkpoint.get("signature")]
    return (
        all(isinstance(text, str) and text != "" for text in texts)
        and _is_whole(value.get("sequence"))
        and _is_whole(checkpoint.get("treeSize"))
    )

"""Sends one call as often as it takes: under one idempotency key, before one deadline."""

from __future__ import annotations

import email.utils
import errno
import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult

from .errors import CounterfoilError, CounterfoilNoAnswer, NoAnswerReason

_PASSING = frozenset((429, 502, 503, 504))
"""Statuses of servers in front of the service, and of a service that asks for another try."""
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 8.0
_MOST_BYTES = 16 * 2**20
"""No response of the API is larger than 1 MiB; another server's may be endless."""


class Outside:
    """Time, chance and waiting; tests replace them."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds of a clock that never jumps."""
        return time.monotonic()

    def chance(self) -> float:
        """0 to 1, without 1."""
        return random.random()

    def new_key(self) -> str:
        return str(uuid.uuid4())

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class Limits:
    """`attempt` and `total` are in seconds; `retries` counts the attempts after the first."""

    attempt: float
    total: float
    retries: int


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None


@dataclass(frozen=True)
class Heard:
    """One attempt as it ended. Without `reason` it is the API's response, with its JSON object in `body`."""

    status: int | None
    headers: Mapping[str, str]
    body: dict[str, Any]
    reason: NoAnswerReason | None = None
    words: str = ""
    cause: BaseException | None = None
    was_sent: bool = True
    """False if the attempt ended before it had a connection, so that no byte of the request left this machine."""

    @property
    def is_success(self) -> bool:
        return self.reason is None and self.status is not None and self.status < 300

    @property
    def may_repeat(self) -> bool:
        """A lost response is asked for again under the same key; a refusal only if it may fare better."""
        if self.reason is None:
            return self.status in _PASSING or self.body["error"]["errorId"] == "IdempotencyKeyInProgress"
        return self.status is None or self.status < 300 or self.status in _PASSING


def send(
    base: SplitResult, request: Request, limits: Limits, outside: Outside, idempotency_key: str | None
) -> tuple[Heard, int]:
    """Return the first success and the number of attempts.

    Raises CounterfoilError for a refusal, and CounterfoilNoAnswer when retries or time ended without a response.
    """
    ends_at = outside.monotonic() + limits.total
    attempts = 0
    may_have_happened = False
    while True:
        heard = _attempt(base, request, min(limits.attempt, ends_at - outside.monotonic()), outside)
        attempts += 1
        may_have_happened = may_have_happened or heard.was_sent
        if heard.is_success:
            return heard, attempts
        asked = retry_after(heard.headers.get("retry-after"), outside.now())
        pause = pause_seconds(attempts, asked, outside.chance())
        in_time = outside.monotonic() + pause < ends_at
        if not heard.may_repeat or attempts > limits.retries or not in_time:
            raise _error_of(heard, asked, attempts, idempotency_key, may_have_happened) from heard.cause
        outside.pause(pause)


def _error_of(
    heard: Heard, asked: float | None, attempts: int, key: str | None, may_have_happened: bool
) -> CounterfoilError | CounterfoilNoAnswer:
    if heard.reason is not None:
        return CounterfoilNoAnswer(
            heard.reason,
            heard.words,
            attempts=attempts,
            idempotency_key=key,
            may_have_happened=may_have_happened,
        )
    fields = heard.body["error"]
    return CounterfoilError(
        heard.status or 0, fields, retry_after=asked, attempts=attempts, idempotency_key=key
    )


def pause_seconds(attempt: int, asked: float | None, chance: float) -> float:
    """Twice as long each time up to 8 s, a random half of it, after the time that the server asked for."""
    backoff = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1))
    return (asked or 0.0) + backoff * (0.5 + chance / 2)


def retry_after(header: str | None, now: float) -> float | None:
    """Seconds from a Retry-After header: a number, or a date (RFC 9110)."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header.strip()):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return None


def _attempt(base: SplitResult, request: Request, seconds: float, outside: Outside) -> Heard:
    """One request on a connection of its own. It follows no redirect, which would carry the key to another server."""
    address = base.geturl()
    host = base.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, base.port, timeout=seconds, context=ssl.create_default_context())
        if base.scheme == "https"
        else http.client.HTTPConnection(host, base.port, timeout=seconds)
    )
    is_over = threading.Event()

    def end() -> None:
        # A timeout of a socket is for one read; a server that sends slowly would outlast it.
        is_over.set()
        if connection.sock is not None:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it was closed already

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    was_sent = False
    try:
        connection.connect()
        if is_over.is_set():
            raise TimeoutError
        was_sent = True
        connection.request(request.method, base.path + request.target, request.body, dict(request.headers))
        response = connection.getresponse()
        text = response.read(_MOST_BYTES)
        if is_over.is_set():
            raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(text, response.length)
        return _read(response.status, {name.lower(): value for name, value in response.getheaders()}, text, address)
    except (OSError, http.client.HTTPException) as cause:
        if is_over.is_set() or isinstance(cause, TimeoutError):
            words = f"No response from {address} within {round(seconds * 1000)} ms"
            return Heard(None, {}, {}, "timeout", words, cause, was_sent)
        words = f"No response from {address}, {_in_words(cause)},"
        return Heard(None, {}, {}, "network", words, cause, was_sent)
    finally:
        timer.cancel()
        connection.close()


def _in_words(cause: BaseException) -> str:
    """The code of an error of the system, such as ECONNREFUSED, or the words of another one."""
    if isinstance(cause, (socket.gaierror, ssl.SSLError)):
        return str(cause.strerror)  # their numbers are not those of the system
    code = getattr(cause, "errno", None)
    return errno.errorcode.get(code, "") if isinstance(code, int) and code in errno.errorcode else repr(cause)


def _read(status: int, headers: Mapping[str, str], text: bytes, address: str) -> Heard:
    """A success is a JSON object, a refusal has the shape of contract §7; anything else is not the API's."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if isinstance(body, dict) and 200 <= status < 300:
        return Heard(status, headers, body)
    error = body.get("error") if isinstance(body, dict) else None
    names = ("errorId", "description", "diagnosticsId")
    if status >= 300 and isinstance(error, dict) and all(isinstance(error.get(name), str) for name in names):
        return Heard(status, headers, {"error": error})
    kind = headers.get("content-type", "without a type")
    words = f"The response from {address} does not come from Counterfoil ({status}, {kind})"
    return Heard(status, headers, {}, "unreadable", words)

"""Runs the calls of test/client/table.test.ts with the Python client: a JSON line in, a JSON line out."""

import json
import sys

from counterfoil import (
    Counterfoil,
    CounterfoilError,
    CounterfoilNoAnswer,
    List,
    Options,
    WebhookVerificationError,
    verify_webhook,
)
from counterfoil.client import Answer
from counterfoil.send import Outside


class QuickOutside(Outside):
    """Pauses pass at once, and are written down in milliseconds."""

    def __init__(self):
        self.pauses = []

    def pause(self, seconds):
        self.pauses.append(seconds * 1000)


def shown(answer):
    facts = answer.response
    result = {
        "kind": "answer",
        "resource": answer.resource,
        "response": {
            "status": facts.status,
            "requestId": facts.request_id,
            "etag": facts.etag,
            "replayed": facts.replayed,
            "idempotencyKey": facts.idempotency_key,
            "attempts": facts.attempts,
        },
    }
    if hasattr(answer, "outcome_known"):
        result["outcomeKnown"] = answer.outcome_known
    return result


SUBJECTS = {"clientSessions": "client_sessions", "paymentLinks": "payment_links"}
METHODS = {
    "renewToken": "renew_token",
    "setDefault": "set_default",
    "adjustAuthorization": "adjust_authorization",
    "dryRun": "dry_run",
    "recordNotice": "record_notice",
    "replaceInstrument": "replace_instrument",
}


def call(asked):
    outside = QuickOutside()
    options = asked["options"]
    try:
        client = Counterfoil(
            asked["apiKey"],
            asked["baseUrl"],
            timeout=asked["limits"].get("timeoutMs", 120_000) / 1000,
            attempt_timeout=asked["limits"].get("attemptTimeoutMs", 40_000) / 1000,
            retries=asked["limits"].get("retries", 5),
            outside=outside if asked["quick"] else None,
        )
        subject = getattr(client, SUBJECTS.get(asked["subject"], asked["subject"]))
        method = subject
        for name in asked["method"].split("."):
            method = getattr(method, METHODS.get(name, name))
        arguments = {"options": Options(
            idempotency_key=options.get("idempotencyKey"),
            request_id=options.get("requestId"),
            timeout=options["timeoutMs"] / 1000 if "timeoutMs" in options else None,
        )}
        if "ifMatch" in options:
            arguments["if_match"] = options["ifMatch"]
        if "expand" in options:
            arguments["expand"] = options["expand"]
        answer = method(*asked["args"], **arguments)
        if isinstance(answer, List):
            result = {"kind": "list", "items": answer.first(asked["first"])}
        else:
            assert isinstance(answer, Answer)
            result = shown(answer)
    except CounterfoilError as error:
        result = {
            "kind": "refused",
            "errorId": error.error_id,
            "status": error.status,
            "diagnosticsId": error.diagnostics_id,
            "paymentId": error.payment_id,
            "retryAfterMs": None if error.retry_after is None else error.retry_after * 1000,
            "paths": [one["path"] for part in error.validation_errors for one in part["errors"]],
            "attempts": error.attempts,
            "idempotencyKey": error.idempotency_key,
            "message": str(error),
        }
    except CounterfoilNoAnswer as error:
        result = {
            "kind": "no answer",
            "reason": error.reason,
            "attempts": error.attempts,
            "mayHaveHappened": error.may_have_happened,
            "idempotencyKey": error.idempotency_key,
            "message": str(error),
        }
    except (TypeError, ValueError) as error:
        result = {"kind": "wrong argument", "message": str(error)}
    return {**result, "pauses": outside.pauses}


def verify(asked):
    try:
        message = verify_webhook(
            bytes.fromhex(asked["body"]),
            asked["headers"],
            asked["secrets"],
            tolerance_seconds=asked["tolerance"],
            checkpoints=asked.get("checkpoints", False),
            now=lambda: asked["now"],
        )
        return {"kind": "message", "message": message}
    except WebhookVerificationError as error:
        return {"kind": "untrusted", "reason": error.reason, "message": str(error)}
    except ValueError as error:
        return {"kind": "wrong argument", "message": str(error)}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(verify(asked) if "secrets" in asked else call(asked)), flush=True)

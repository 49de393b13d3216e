"""The client of Counterfoil, a payments service, for a merchant's backend in Python."""

from .client import Answer, Counterfoil, List, Options, PaymentOutcome, ResponseFacts
from .errors import CounterfoilError, CounterfoilNoAnswer, WebhookVerificationError
from .webhooks import SignedWebhook, sign_test_webhook, verify_webhook

__all__ = [
    "Answer",
    "Counterfoil",
    "CounterfoilError",
    "CounterfoilNoAnswer",
    "List",
    "Options",
    "PaymentOutcome",
    "ResponseFacts",
    "SignedWebhook",
    "WebhookVerificationError",
    "sign_test_webhook",
    "verify_webhook",
]

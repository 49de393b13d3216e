"""Tests of the Python client alone: what the table of cases over both clients (table.test.ts) does not prove."""

import json
import socket
import ssl
import threading
import unittest
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest.mock import patch

from counterfoil import (
    Counterfoil,
    CounterfoilNoAnswer,
    WebhookVerificationError,
    sign_test_webhook,
    verify_webhook,
)
from counterfoil.send import Outside

URL = "http://127.0.0.1:4000"


class QuickOutside(Outside):
    """Pauses pass at once."""

    def pause(self, seconds):
        pass


def client(base_url, **options):
    return Counterfoil("cf_test_key", base_url, outside=QuickOutside(), **options)


def no_answer_of(test, base_url, **options):
    """The error of a capture that gets no response."""
    with test.assertRaises(CounterfoilNoAnswer) as caught:
        client(base_url, **options).payments.capture("pay_1")
    return caught.exception


def free_port():
    """A port at which no server listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Arguments(unittest.TestCase):
    def test_a_missing_api_key_is_a_type_error_that_names_it(self):
        for key, said in ((None, "None"), ("", "an empty text"), (7, "int"), (b"cf_test_key", "bytes")):
            with self.assertRaisesRegex(TypeError, f"^api_key is missing: .*{said}$") as caught:
                Counterfoil(key, URL)
            self.assertNotIn("cf_test_key", str(caught.exception))

    def test_a_url_of_another_type_is_a_type_error_that_names_it(self):
        for url, said in ((None, "None"), ("", "an empty text"), (4000, "int"), (b"http://a", "bytes")):
            with self.assertRaisesRegex(TypeError, f"^base_url is missing: .*{said}$"):
                Counterfoil("cf_test_key", url)

    def test_a_number_of_another_type_is_a_type_error_that_names_it(self):
        for name in ("timeout", "attempt_timeout", "retries"):
            for value in (None, "5", True):
                with self.assertRaisesRegex(TypeError, f"^{name} is "):
                    Counterfoil("cf_test_key", URL, **{name: value})


class NoAnswer(unittest.TestCase):
    def test_a_refused_connection_had_no_effect(self):
        error = no_answer_of(self, f"http://127.0.0.1:{free_port()}", retries=2)
        self.assertEqual((error.reason, error.attempts, error.may_have_happened), ("network", 3, False))
        self.assertRegex(str(error), "ECONNREFUSED, after 3 attempts: this call sent nothing$")

    def test_a_name_that_does_not_resolve_had_no_effect(self):
        unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        with patch("socket.getaddrinfo", side_effect=unknown):
            error = no_answer_of(self, "http://payments.example", retries=0)
        self.assertEqual((error.reason, error.may_have_happened), ("network", False))
        self.assertIn("Name or service not known", str(error))

    def test_a_time_that_ends_before_there_is_a_connection_had_no_effect(self):
        with patch("socket.create_connection", side_effect=TimeoutError):
            error = no_answer_of(self, URL, retries=0)
        self.assertEqual((error.reason, error.may_have_happened), ("timeout", False))

    def test_a_server_without_tls_had_no_effect_and_is_named_in_words(self):
        with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
            error = no_answer_of(self, f"https://127.0.0.1:{port}", retries=0)
        self.assertFalse(error.may_have_happened)
        self.assertIsInstance(error.__cause__, ssl.SSLError)
        self.assertIn("SSL", str(error))

    def test_a_refused_connection_after_a_lost_attempt_may_have_had_its_effect(self):
        with answering(b"") as port:
            error = no_answer_of(self, f"http://127.0.0.1:{port}", retries=1)
        self.assertEqual((error.attempts, error.may_have_happened), (2, True))
        self.assertIsInstance(error.__cause__, ConnectionRefusedError)
        self.assertRegex(str(error), "after 2 attempts$")


@contextmanager
def answering(response):
    """A server that reads from one connection, sends these bytes, and listens to no other connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def serve():
        connection, _ = listener.accept()
        connection.recv(65_536)
        listener.close()
        connection.sendall(response)
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    yield port
    thread.join()


class Responses(unittest.TestCase):
    PAYMENT = {"id": "pay_1", "status": "SETTLED", "transactions": [{"transactionType": "SALE"}], "processor": {"a": 1}}

    def setUp(self):
        body = json.dumps({**self.PAYMENT, "outcomeKnown": True}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,)).start()
        self.payment = client(f"http://127.0.0.1:{self.server.server_port}").payments.get("pay_1")

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def test_a_response_is_read_by_the_names_of_its_fields_at_each_depth(self):
        self.assertEqual(self.payment["status"], "SETTLED")
        self.assertEqual(self.payment["processor"]["a"], 1)
        self.assertEqual(self.payment["transactions"][0]["transactionType"], "SALE")
        self.assertEqual(self.payment.get("cardholder", "unnamed"), "unnamed")
        self.assertIn("id", self.payment)
        self.assertEqual({**self.payment}, self.payment.resource)
        with self.assertRaises(KeyError):
            self.payment["cardholder"]

    def test_its_resource_and_the_facts_of_the_response_stay_as_they_were(self):
        self.assertEqual(self.payment.resource["status"], "SETTLED")
        self.assertEqual((self.payment.response.status, self.payment.response.attempts), (200, 1))
        self.assertTrue(self.payment.outcome_known)


class SignedWebhooks(unittest.TestCase):
    SECRET = "whsec_" + "dGVz" * 8
    MESSAGE = {"eventId": "evt_1", "eventType": "X", "sequence": 1, "payment": {"id": "pay_1", "status": "SETTLED"}}

    def test_a_signed_message_is_the_one_that_the_verification_returns(self):
        message = {**self.MESSAGE, "payment": {**self.MESSAGE["payment"], "metadata": {"note": "naïve ☂"}}}
        body, headers = sign_test_webhook(message, self.SECRET)
        self.assertEqual(verify_webhook(body, headers, self.SECRET), message)

    def test_a_signed_message_about_a_checkpoint_verifies_where_those_are_accepted(self):
        message = {**self.MESSAGE, "checkpoint": {"root": "a", "treeSize": 3, "signature": "b"}}
        del message["payment"]
        signed = sign_test_webhook(message, self.SECRET)
        self.assertEqual(verify_webhook(*signed, self.SECRET, checkpoints=True), message)

    def test_a_message_that_was_changed_or_is_old_is_refused(self):
        body, headers = sign_test_webhook(self.MESSAGE, self.SECRET, now=lambda: 1_000)
        for reason, changed, now in (("bad_signature", body + b" ", 1_000), ("too_old", body, 1_301)):
            with self.assertRaises(WebhookVerificationError) as caught:
                verify_webhook(changed, headers, self.SECRET, now=lambda: now)
            self.assertEqual(caught.exception.reason, reason)

    def test_it_signs_nothing_that_the_verification_would_refuse(self):
        for name in self.MESSAGE:
            with self.assertRaises(ValueError):
                sign_test_webhook({key: value for key, value in self.MESSAGE.items() if key != name}, self.SECRET)
        for secret in (None, "", "whsec_YQ=="):
            with self.assertRaisesRegex(ValueError, "a secret is missing or invalid"):
                sign_test_webhook(self.MESSAGE, secret)
            with self.assertRaisesRegex(ValueError, "a secret is missing or invalid"):
                verify_webhook(b"{}", {}, secret)


if __name__ == "__main__":
    unittest.main()

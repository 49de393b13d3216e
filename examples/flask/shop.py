"""A shop on Flask: it opens a session, shows the checkout, receives the webhook and refunds."""

import os
import secrets
import threading

from counterfoil import Counterfoil, CounterfoilError, Options, WebhookVerificationError, verify_webhook
from flask import Flask, abort, redirect, request

COUNTERFOIL_URL = os.environ.get("COUNTERFOIL_URL", "http://127.0.0.1:4000")
WEBHOOK_SECRET = os.environ["COUNTERFOIL_WEBHOOK_SECRET"]
STAFF = f"Bearer {os.environ['SHOP_STAFF_TOKEN']}"
counterfoil = Counterfoil(os.environ["COUNTERFOIL_API_KEY"], COUNTERFOIL_URL)

CURRENCY = "EUR"  # amounts are in cents
CATALOGUE = {"shirt": {"name": "Linen shirt", "amount": 2500}, "mug": {"name": "Enamel mug", "amount": 1200}}
orders = {}  # a database, in your shop
lock = threading.Lock()  # requests run in threads
app = Flask(__name__)


@app.get("/")
def shop():
    button = '<p>%s <button name="product" value="%s">Buy for €%.2f</button></p>'
    buttons = [button % (one["name"], id, one["amount"] / 100) for id, one in CATALOGUE.items()]
    return page("Shop", f'<form method="post" action="/orders">{"".join(buttons)}</form>')


@app.post("/orders")
def buy():
    product = CATALOGUE.get(request.form.get("product")) or abort(404)  # the browser never names a price
    id = secrets.token_hex(16)
    session = counterfoil.client_sessions.create({
        "orderId": id,
        "currencyCode": CURRENCY,
        "order": {"lineItems": [{**product, "quantity": 1}]},
        "paymentMethod": {"captureMode": "AUTOMATIC"},  # takes the money with the payment
    })
    orders[id] = {"amount": product["amount"], "client_token": session.resource["clientToken"], "payments": {}}
    return redirect(f"/orders/{id}", 303)


@app.get("/orders/<id>")
def show(id):
    order = orders.get(id) or abort(404)
    if paid_by(order) is None:  # The webhook may be late. The shop asks Counterfoil: a page can be manipulated.
        for payment in counterfoil.payments.list({"order_id": [id]}):
            record(payment)
    payment = paid_by(order)
    if payment is None:
        return page("Pay", CHECKOUT % (COUNTERFOIL_URL, order["client_token"]))
    refunded = payment["processor"]["amountRefunded"] / 100
    return page(f"Paid, and €{refunded:.2f} refunded" if refunded else "Paid", f"<p>Order {id}</p>")


CHECKOUT = """<div id="pay"></div><script type="module">
  const sdk = await import('%s/checkout/sdk/v1/counterfoil.mjs').catch(() => undefined);
  if (!sdk) document.querySelector('#pay').append('The payment cannot be loaded. Please try again in a minute.');
  sdk?.Counterfoil.checkout({
    clientToken: '%s', element: '#pay',
    onComplete: ({ resumed }) => resumed || location.reload(), // the server finds out whether the order is paid
    onError: ({ code, message }) => console.error(code, message),
  });
</script>"""


def record(payment):
    """Keep the newest version of each payment: messages arrive twice, late and out of order."""
    order = orders.get(payment["orderId"])
    if order is None:
        return
    with lock:
        if payment["version"] > order["payments"].get(payment["id"], {"version": 0})["version"]:
            order["payments"][payment["id"]] = payment
            print(f"{payment['orderId']}: {payment['status']}{', paid' if paid_by(order) else ''}", flush=True)


def paid_by(order):
    """Return the payment that took the amount of the order, or None if none did."""
    right = {"status": "SETTLED", "amount": order["amount"], "currencyCode": CURRENCY}
    return next((one for one in list(order["payments"].values()) if right.items() <= one.items()), None)


# docs: webhook
@app.post("/webhooks")
def webhook():
    try:
        message = verify_webhook(request.get_data(), request.headers, WEBHOOK_SECRET)  # the body as it came
    except WebhookVerificationError as error:
        return str(error), 400
    if "payment" in message: record(message["payment"])  # other messages are about agreements
    return "", 204  # at once: slow work belongs in a queue
# docs: end


@app.post("/orders/<id>/refund")
def refund(id):
    if not secrets.compare_digest(request.headers.get("Authorization", "").encode(), STAFF.encode()):
        return "Only staff can refund.\n", 401
    payment = paid_by(orders[id]) if id in orders else None
    if payment is None:
        return "The order is not paid.\n", 409
    once = Options(idempotency_key=f"refund-{id}")  # sent twice, it is one refund
    try:
        after = counterfoil.payments.refund(payment["id"], {"amount": payment["amount"]}, once)
    except CounterfoilError as error:
        return f"{error.description}\n", 409
    record(after.resource)
    return {"outcomeKnown": after.outcome_known, "refunded": after.resource["processor"]["amountRefunded"]}


def page(title, body=""):
    html = f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>:root {{ color-scheme: light dark; font: 18px/1.6 system-ui }} button {{ font: inherit }}
body {{ max-width: 30rem; margin: 2rem auto; padding: 0 1rem }}</style><h1>{title}</h1>{body}</html>"""
    return html, {"Cache-Control": "no-store"}


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))

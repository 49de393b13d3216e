// A shop's server. The API key and the prices stay here; a browser is given a client token and nothing else.

import { Counterfoil, CounterfoilError, verifyWebhook, WebhookVerificationError } from '@counterfoil/client';
import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { z } from 'zod';
import { saveCart } from './cart-session.ts';
import { CURRENCY, MOST_OF_ONE, productOf, totalsOf } from './catalogue.ts';
import { cartPage, checkoutPage, errorPage, isUnfinished, orderPage, productsPage, TEST_CARDS } from './pages.ts';
import { newCart, Shoppers } from './shoppers.ts';
import { ToldPayments } from './told-payments.ts';

export interface ShopOptions {
  /** Needs client_tokens:write, transactions:capture and transactions:retrieve. */
  readonly apiKey: string;
  /** Where this server calls the API, and browsers load the checkout from. */
  readonly counterfoilUrl: string;
  /** The secret of the endpoint that points to /webhooks/counterfoil of this server. */
  readonly webhookSecret: string;
  /** The eventId up to which events are known. A shop stores it with its orders. Without it all events are read. */
  readonly after?: string | undefined;
  /** How often the server reads events that no webhook delivered, in ms. */
  readonly catchUpEveryMs?: number | undefined;
  /** The cards that the payment page lists: the sandbox's, or none where a processor's own fields take them. */
  readonly testCards?: 'sandbox' | 'processor' | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
  /** The texts of /assets, by name. */
  readonly assets: ReadonlyMap<string, string>;
}

const Change = z.object({ quantity: z.coerce.number().int().min(0).max(MOST_OF_ONE) });
/** A payment that ended so took no money, and the session can be paid again. */
const NOT_PAID: ReadonlySet<string> = new Set(['DECLINED', 'FAILED', 'CANCELLED']);

export function shop(options: ShopOptions): Koa {
  const { apiKey, counterfoilUrl, webhookSecret, after, catchUpEveryMs = 60_000, testCards, signal, assets } = options;
  const client = new Counterfoil({ apiKey, baseUrl: counterfoilUrl });
  const shoppers = new Shoppers();
  const payments = new ToldPayments(after);

  const catchUp = (): Promise<void> =>
    payments.catchUp(client.events, signal).catch((fault: unknown) => void (signal?.aborted || console.error(fault)));
  // At the start, for messages that came while the shop was down; then by the clock: the last message may be lost.
  void catchUp();
  const clock = setInterval(catchUp, catchUpEveryMs).unref();
  signal?.addEventListener('abort', () => clearInterval(clock), { once: true });

  const router = new Router();

  router.get('/', (ctx) => {
    ctx.body = productsPage(shoppers.of(ctx).cart);
  });

  router.get('/cart', (ctx) => {
    ctx.body = cartPage(shoppers.of(ctx).cart);
  });

  router.post('/cart/:product', async (ctx) => {
    const product = productOf(ctx.params['product'] ?? '');
    const change = Change.safeParse(ctx.request.body);
    if (product === undefined) return ctx.throw(404);
    if (!change.success) return ctx.throw(400, `A quantity is 0 to ${MOST_OF_ONE}.`);
    const shopper = shoppers.of(ctx);
    await shopper.inTurn(async () => {
      const lines = new Map(shopper.cart.lines).set(product.id, change.data.quantity);
      if (change.data.quantity === 0) lines.delete(product.id);
      await saveCart(client, shopper, { ...shopper.cart, lines });
    });
    return ctx.redirect('/cart');
  });

  router.get('/checkout', (ctx) => {
    const { cart } = shoppers.of(ctx);
    if (cart.lines.size === 0) return ctx.redirect('/cart');
    ctx.body = checkoutPage(cart, counterfoilUrl, testCards === 'processor' ? [] : TEST_CARDS);
  });

  /** The page's script asks for the token, so that no page in a cache or a history contains it. */
  router.post('/checkout', async (ctx) => {
    const shopper = shoppers.of(ctx);
    await shopper.inTurn(() => saveCart(client, shopper, shopper.cart, isUnfinished));
    const { clientToken, orderId } = shopper.cart;
    ctx.body = { clientToken, orderUrl: `/orders/${orderId}` };
  });

  /** The response comes before any slow work. Without a 2xx the message is sent again. */
  router.post('/webhooks/counterfoil', async (ctx) => {
    const message = await verifyWebhook(String(ctx.request.rawBody ?? ''), ctx.headers, webhookSecret);
    if (payments.take(message)) void catchUp();
    ctx.status = 204;
  });

  router.get('/orders/:id', (ctx) => {
    const id = ctx.params['id'] ?? '';
    const shopper = shoppers.of(ctx);
    const cart = shopper.orders.get(id);
    if (cart === undefined) return ctx.throw(404);
    // Counterfoil's response counts, not the browser's: a page can be manipulated.
    const payment = payments.of(id);
    const isTaken = payment !== undefined && !NOT_PAID.has(payment.status) && !isUnfinished(payment);
    if (isTaken && shopper.cart.orderId === id) shopper.cart = newCart();
    // A browser keeps its token, so the shop compares the amount before it ships anything.
    const isExact = payment?.amount === totalsOf(cart.lines).total && payment.currencyCode === CURRENCY;
    if (isTaken && !isExact) console.error(`${payment.id} does not have the amount of ${id}`);
    const wasPaid = payment !== undefined && payments.wasPaid(payment);
    ctx.body = orderPage(shopper.cart, cart, payment, { isExact, wasPaid });
  });

  router.get('/assets/:name', (ctx) => {
    const name = ctx.params['name'] ?? '';
    ctx.type = name.slice(name.lastIndexOf('.'));
    ctx.body = assets.get(name) ?? ctx.throw(404);
  });

  const app = new Koa();
  app.use(async (ctx, next) => {
    const origin = new URL(counterfoilUrl).origin;
    ctx.set({
      'Content-Security-Policy': `default-src 'none'; script-src 'self' ${origin}; frame-src ${origin}; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    });
    try {
      await next();
    } catch (fault) {
      // Paid in another tab, or just now: the order page shows it.
      if (CounterfoilError.is(fault, 'ClientSessionCompleted'))
        return ctx.redirect(`/orders/${shoppers.of(ctx).cart.orderId}`);
      if (fault instanceof WebhookVerificationError) {
        ctx.status = 400;
        ctx.body = fault.message;
        return;
      }
      const isOurs = fault instanceof Koa.HttpError;
      if (!isOurs) console.error(fault);
      ctx.status = isOurs ? fault.status : 502;
      ctx.body = errorPage(ctx.status, isOurs ? fault.message : undefined);
    }
  });
  // JSON as text: a webhook is signed character by character.
  app.use(bodyParser({ enableTypes: ['form', 'text'], extendTypes: { text: ['application/json'] } }));
  app.use(router.routes());
  return app;
}

// A shop's server. The API key and the prices stay here; a browser is given a client token and nothing else.
import Router from '@koa/router';
import { Counterfoil, CounterfoilError } from 'counterfoil/client';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { z } from 'zod';
import { type Cart, CURRENCY, MOST_OF_ONE, type Order, orderOf, productOf, totalsOf } from './catalogue.ts';
import { cartPage, checkoutPage, errorPage, orderPage, productsPage } from './pages.ts';
import { newCart, type Shopper, Shoppers } from './shoppers.ts';

export interface ShopOptions {
  /** Needs client_tokens:write, transactions:capture and transactions:retrieve. */
  readonly apiKey: string;
  /** Where this server calls the API, and browsers load the checkout from. */
  readonly counterfoilUrl: string;
  /** The texts of /assets, by name. */
  readonly assets: ReadonlyMap<string, string>;
}

const Change = z.object({ quantity: z.coerce.number().int().min(0).max(MOST_OF_ONE) });
const hasExpired = (fault: unknown): boolean => CounterfoilError.is(fault, 'ClientSessionValidationError');
/** A payment that ended so took no money, and the session can be paid again. */
const NOT_PAID: ReadonlySet<string> = new Set(['DECLINED', 'FAILED', 'CANCELLED']);

export function shop({ apiKey, counterfoilUrl, assets }: ShopOptions): Koa {
  const client = new Counterfoil({ apiKey, baseUrl: counterfoilUrl });
  const shoppers = new Shoppers();

  /** Brings the cart's client session to what the cart is now, and its order with it. Names and prices are the catalogue's. */
  async function save(shopper: Shopper, { orderId, lines, clientToken }: Cart): Promise<void> {
    const order = orderOf(lines);
    const token = clientToken === undefined ? undefined : await update(clientToken, order);
    shopper.cart = { orderId, lines, clientToken: token ?? (await create(shopper, orderId, order)) };
    shopper.orders.set(orderId, shopper.cart);
  }

  async function create({ customerId }: Shopper, orderId: string, order: Order): Promise<string> {
    const paymentMethod = { captureMode: 'AUTOMATIC' } as const;
    return (await client.clientSessions.create({ orderId, customerId, currencyCode: CURRENCY, order, paymentMethod })).clientToken;
  }

  /** The session's token, a fresh one where 24 hours have ended the old. Undefined: the session has ended too, 30 days later. */
  async function update(clientToken: string, order: Order): Promise<string | undefined> {
    try {
      await client.clientSessions.update(clientToken, { order });
      return clientToken;
    } catch (fault) {
      if (!hasExpired(fault)) throw fault;
    }
    try {
      const { clientToken: fresh } = await client.clientSessions.renewToken(clientToken);
      await client.clientSessions.update(fresh, { order });
      return fresh;
    } catch (fault) {
      if (!hasExpired(fault)) throw fault;
      return undefined;
    }
  }

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
      await save(shopper, { ...shopper.cart, lines });
    });
    return ctx.redirect('/cart');
  });

  router.get('/checkout', (ctx) => {
    const { cart } = shoppers.of(ctx);
    if (cart.lines.size === 0) return ctx.redirect('/cart');
    ctx.body = checkoutPage(cart, counterfoilUrl);
  });

  /** The page's script asks for the token, so that it stands in no page that a cache or a history keeps. */
  router.post('/checkout', async (ctx) => {
    const shopper = shoppers.of(ctx);
    await shopper.inTurn(() => save(shopper, shopper.cart));
    const { clientToken, orderId } = shopper.cart;
    ctx.body = { clientToken, orderUrl: `/orders/${orderId}` };
  });

  router.get('/orders/:id', async (ctx) => {
    const id = ctx.params['id'] ?? '';
    const shopper = shoppers.of(ctx);
    const cart = shopper.orders.get(id);
    if (cart === undefined) return ctx.throw(404);
    // Not the browser's word, but the API's: a page can be made to say anything.
    const [payment] = await client.payments.list({ order_id: [id], limit: 1 }).first(1);
    const isTaken = payment !== undefined && !NOT_PAID.has(payment.status);
    if (isTaken && shopper.cart.orderId === id) shopper.cart = newCart();
    // A browser keeps a token that it was given, so the amount is compared before anything is sent to the shopper.
    const isExact = payment?.amount === totalsOf(cart.lines).total && payment.currencyCode === CURRENCY;
    if (isTaken && !isExact) console.error(`${payment.id} is not of the amount of ${id}`);
    ctx.body = orderPage(shopper.cart, cart, payment, isExact);
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
      // Paid in another tab, or just now: the order tells.
      if (CounterfoilError.is(fault, 'ClientSessionCompleted')) return ctx.redirect(`/orders/${shoppers.of(ctx).cart.orderId}`);
      const isOurs = fault instanceof Koa.HttpError;
      if (!isOurs) console.error(fault);
      ctx.status = isOurs ? fault.status : 502;
      ctx.body = errorPage(ctx.status, isOurs ? fault.message : undefined);
    }
  });
  app.use(bodyParser({ enableTypes: ['form'] }));
  app.use(router.routes());
  return app;
}

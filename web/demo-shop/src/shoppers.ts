// The shop's memory of its shoppers, by cookie. A real shop keeps it in its database.
import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { Cart } from './catalogue.ts';

/** 48 random bits: short enough to be read to somebody. */
export const newCart = (): Cart => ({ orderId: `order-${randomUUID().slice(-12)}`, lines: new Map() });

/** One browser. */
export class Shopper {
  /** The API saves cards for it. */
  readonly customerId = `customer-${randomUUID()}`;
  cart = newCart();
  /** The carts by order id. No other shopper may see them. */
  readonly orders = new Map<string, Cart>();
  #turn: Promise<void> = Promise.resolve();

  /** Changes of one cart run in turn, so that its client session ends up with the newest. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work, work);
    return this.#turn;
  }
}

const COOKIE = 'shopper';
const MOST = 10_000;

export class Shoppers {
  readonly #byCookie = new Map<string, Shopper>();

  /** The shopper of this browser; a new one if the cookie is unknown. */
  of(ctx: Context): Shopper {
    const known = this.#byCookie.get(ctx.cookies.get(COOKIE) ?? '');
    if (known !== undefined) return known;
    const made = new Shopper();
    const cookie = randomUUID();
    ctx.cookies.set(COOKIE, cookie, { httpOnly: true, sameSite: 'lax', secure: ctx.secure, overwrite: true });
    const [oldest] = this.#byCookie.size < MOST ? [] : this.#byCookie.keys();
    if (oldest !== undefined) this.#byCookie.delete(oldest);
    this.#byCookie.set(cookie, made);
    return made;
  }
}

// The acquirer Stub on a real port: tokens, transactions by our reference, orders that are confirmed, and signed
// announcements.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { signatureOf } from './notifications.ts';
import type { Transaction } from './wire.ts';

export const SECRETS = { apiKey: 'stub-key', webhookSecret: 'stub-webhook-secret' };
/** The secrets of a second merchant. */
export const OTHER_SECRETS = { apiKey: 'other-key', webhookSecret: 'other-webhook-secret' };
export const CARD = '4242424242424242';
export const POOR_CARD = '4000000000009995';
/** An authorization of it is decided later, by `decide`. */
export const LATER_CARD = '5555555555554444';

export interface Acquirer {
  readonly url: string;
  /** In the order in which they were asked for. */
  readonly transactions: readonly Transaction[];
  transactionsOf(apiKey: string): readonly Transaction[];
  /** Decides what is open, and answers it. */
  decide(reference: string): Transaction;
  /** Moves its clock forward, ms. */
  advance(ms: number): void;
  close(): Promise<void>;
}

const Named = z.union([z.strictObject({ id: z.string() }), z.strictObject({ reference: z.string() })]);
const reference = z.string().regex(/^[A-Za-z0-9_]{1,40}$/);
const money = { amount: z.int().min(0), currency: z.string() };
const Asked = z.strictObject({
  operation: z.enum(['authorization', 'capture', 'cancellation', 'refund', 'adjustment']),
  reference,
  ...money,
  token: z.string().optional(),
  authorization: Named.optional(),
  captures: z.array(Named).optional(),
  final: z.boolean().optional(),
});
type Asked = z.infer<typeof Asked>;
const Ordering = z.strictObject({ reference, ...money });
const Confirming = z.strictObject({ reference, token: z.string() });
const Tokenize = z.strictObject({ reference, card: z.looseObject({ number: z.string() }) });

interface Reply {
  readonly status: number;
  readonly body: object;
}
const error = (status: number, code: string): Reply => ({ status, body: { error: code } });
const done = (body: object): Reply => ({ status: 200, body });
const UNKNOWN = error(404, 'unknown_reference');
const USED = error(409, 'reference_used');

const DAY_MS = 86_400_000;
const CARDS: { readonly [number: string]: Transaction['state'] } = {
  [CARD]: 'done',
  [POOR_CARD]: 'refused',
  [LATER_CARD]: 'accepted',
};

/** With what it is about. */
type Made = Transaction & { readonly of: string; readonly final: boolean };
interface Order extends z.infer<typeof Ordering> {
  readonly id: string;
  readonly at: number;
  transaction?: Made;
}

/** One account, with its money. */
class Merchant {
  readonly transactions: Made[] = [];
  readonly #name: string;
  readonly #now: () => number;
  readonly #cards = new Map<string, Transaction['state']>();
  readonly #orders: Order[] = [];
  readonly #fenced = new Set<string>();

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
  }

  answer(method: string, path: string, sent: unknown): Reply {
    const [, , kind, id = '', part] = path.split('/');
    switch ([method, kind, id && 'id', part].filter(Boolean).join(' ')) {
      case 'POST tokens':
        return this.#tokenize(Tokenize.parse(sent));
      case 'POST transactions':
        return this.#transact(Asked.parse(sent));
      case 'GET transactions id':
        return this.#found(id) ?? UNKNOWN;
      case 'POST fences id':
        return this.#fence(id);
      case 'POST orders':
        return this.#order(Ordering.parse(sent));
      case 'POST orders id confirm':
        return this.#confirm(
          this.#orders.find((one) => one.id === id),
          Confirming.parse(sent),
        );
      case 'GET orders id':
        return shown(this.#orders.find((one) => one.id === id));
      case 'GET orders':
        return done({ orders: this.#orders.slice(-100).reverse() });
      default:
        return error(404, 'bad_request');
    }
  }

  decide(of: string): Transaction | undefined {
    const place = this.transactions.findIndex((one) => one.reference === of && one.state === 'accepted');
    const open = this.transactions[place];
    if (open !== undefined) this.transactions[place] = { ...open, state: 'done' };
    return this.transactions[place];
  }

  #tokenize({ reference: of, card }: z.infer<typeof Tokenize>): Reply {
    const state = CARDS[card.number];
    if (state === undefined) return error(422, 'card_not_taken');
    this.#cards.set(`card-${of}`, state);
    return done({ token: `card-${of}` });
  }

  /** One thing for one reference, for ever; the reference of something else is refused. */
  #transact(asked: Asked): Reply {
    const { authorization, captures = [], final = false, token = '', ...about } = asked;
    const known = this.transactions.find((one) => one.reference === asked.reference);
    if (known !== undefined || this.#fenced.has(asked.reference))
      return known && isSame(known, asked) ? done(known) : USED;
    if (authorization === undefined) return done(this.#authorized(about, token));
    const [of, ...others] = [authorization, ...captures].map((named) =>
      this.transactions.find((one) => ('id' in named ? one.id === named.id : one.reference === named.reference)),
    );
    const code = of === undefined || others.includes(undefined) ? 'no_such_transaction' : this.#broken(of, asked);
    const outcome = code === undefined ? { state: 'done' as const } : { state: 'refused' as const, code };
    return done(this.#made({ ...about, of: of?.id ?? '', final, ...outcome }));
  }

  #authorized(
    about: Pick<Made, 'operation' | 'reference' | 'amount' | 'currency'> & { id?: string },
    token: string,
  ): Made {
    const state = this.#cards.get(token) ?? 'refused';
    return this.#made({ ...about, of: '', final: false, state, ...(state === 'refused' && { code: 'no_funds' }) });
  }

  #made(made: Omit<Made, 'id'> & { readonly id?: string }): Made {
    const transaction = { id: `${this.#name}-${this.transactions.length + 1}`, ...made };
    this.transactions.push(transaction);
    return transaction;
  }

  /** Why an authorization no longer allows it: what is final, or canceled, is over. */
  #broken(of: Made, { operation, amount }: Asked): string | undefined {
    const all = this.transactions.filter((one) => one.of === of.id && one.state === 'done');
    const sum = (kind: Transaction['operation']): number =>
      all.reduce((total, one) => (one.operation === kind ? total + one.amount : total), 0);
    const isOver = operation !== 'refund' && all.some((one) => one.operation === 'cancellation' || one.final);
    const rest = operation === 'refund' ? sum('capture') - sum('refund') : of.amount - sum('capture');
    return of.state !== 'done' || isOver || amount > rest ? 'nothing_left' : undefined;
  }

  #found(of: string): Reply | undefined {
    const found = this.transactions.find((one) => one.reference === of);
    return found && done(found);
  }

  /** A request of this reference that arrives later is refused. */
  #fence(of: string): Reply {
    const found = this.#found(of);
    if (found === undefined) this.#fenced.add(of);
    return found ?? UNKNOWN;
  }

  /** One order for one reference, for a day. */
  #order(asked: z.infer<typeof Ordering>): Reply {
    const known = this.#orders.find((one) => one.reference === asked.reference && one.at > this.#now() - DAY_MS);
    if (known !== undefined) return isSame(known, asked) ? done(known) : USED;
    const order = { id: `order-${this.#name}-${this.#orders.length + 1}`, ...asked, at: this.#now() };
    this.#orders.push(order);
    return done(order);
  }

  /** An order is confirmed once. */
  #confirm(order: Order | undefined, { reference: of, token }: z.infer<typeof Confirming>): Reply {
    if (order === undefined) return UNKNOWN;
    if (this.#fenced.has(of)) return USED;
    const { id, amount, currency } = order;
    order.transaction ??= this.#authorized({ id, operation: 'authorization', reference: of, amount, currency }, token);
    return done(order.transaction);
  }
}

const shown = (order: Order | undefined): Reply => (order === undefined ? UNKNOWN : done(order));

interface Comparable {
  readonly operation?: string;
  readonly amount: number;
  readonly currency: string;
}
const isSame = (known: Comparable, asked: Comparable): boolean =>
  known.operation === asked.operation && known.amount === asked.amount && known.currency === asked.currency;

export async function openAcquirer(): Promise<Acquirer> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const merchants = new Map([
    [SECRETS.apiKey, new Merchant('st', now)],
    [OTHER_SECRETS.apiKey, new Merchant('other', now)],
  ]);
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const { method = '', url = '', headers } = request;
    const body = await bodyOf(request);
    const merchant = merchants.get(headers.authorization?.replace('Bearer ', '') ?? '');
    if (merchant === undefined) return error(401, 'bad_key');
    return merchant.answer(method, url, body === '' ? undefined : JSON.parse(body));
  };
  const server = createServer((request, response) => {
    void answer(request)
      .catch(() => error(400, 'bad_request'))
      .then(({ status, body }) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the acquirer does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get transactions() {
      return [...merchants.values()].flatMap(({ transactions }) => transactions);
    },
    transactionsOf: (apiKey) => merchants.get(apiKey)?.transactions ?? [],
    decide(of) {
      for (const merchant of merchants.values()) {
        const decided = merchant.decide(of);
        if (decided !== undefined) return decided;
      }
      throw new Error(`${of} is not open`);
    },
    advance(ms) {
      ahead += ms;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

export interface Announced {
  readonly raw: string;
  readonly headers: { readonly 'x-stub-signature': string };
}

/** As the acquirer sends it. `now` in ms. */
export function announcementOf(
  events: readonly object[],
  now: number,
  secret: string = SECRETS.webhookSecret,
): Announced {
  const raw = JSON.stringify({ events });
  return { raw, headers: { 'x-stub-signature': signatureOf(secret, raw, now) } };
}

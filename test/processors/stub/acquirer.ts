// An acquirer of the tests on a real port: tokens, transactions by our reference, and signed announcements.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { signatureOf } from './notifications.ts';
import type { Transaction } from './wire.ts';

export const SECRETS = { apiKey: 'stub-key', webhookSecret: 'stub-webhook-secret' };
export const CARD = '4242424242424242';
/** An authorization of it is decided later, by `decide`. */
export const LATER_CARD = '5555555555554444';

export interface Acquirer {
  readonly url: string;
  /** In the order in which they were asked for. */
  readonly transactions: readonly Transaction[];
  /** Decides what is open, and answers it. */
  decide(reference: string): Transaction;
  close(): Promise<void>;
}

const Named = z.union([z.strictObject({ id: z.string() }), z.strictObject({ reference: z.string() })]);
const Asked = z.strictObject({
  operation: z.enum(['authorization', 'capture', 'cancellation', 'refund', 'adjustment']),
  reference: z.string().regex(/^[A-Za-z0-9_]{1,40}$/),
  amount: z.int().min(0),
  currency: z.string(),
  token: z.string().optional(),
  authorization: Named.optional(),
  captures: z.array(Named).optional(),
  final: z.boolean().optional(),
});
const Tokenize = z.strictObject({ reference: z.string(), card: z.looseObject({ number: z.string() }) });

interface Reply {
  readonly status: number;
  readonly body: object;
}

export async function openAcquirer(): Promise<Acquirer> {
  const transactions = new Map<string, Transaction>();
  const tokens = new Map<string, string>();
  const isThere = (named: z.infer<typeof Named>): boolean =>
    [...transactions.values()].some((one) => ('id' in named ? one.id === named.id : one.reference === named.reference));

  function tokenize(sent: unknown): Reply {
    const { reference, card } = Tokenize.parse(sent);
    if (card.number !== CARD && card.number !== LATER_CARD) return { status: 422, body: { error: 'card_not_taken' } };
    const token = `card-${reference}`;
    tokens.set(token, card.number);
    return { status: 200, body: { token } };
  }
  function transact(sent: unknown): Reply {
    const { operation, reference, amount, currency, token = '', authorization, captures = [] } = Asked.parse(sent);
    const known = transactions.get(reference);
    if (known !== undefined) return { status: 200, body: known };
    const isKnown =
      operation === 'authorization' ? tokens.has(token) : [...captures, authorization ?? { id: '' }].every(isThere);
    const state = !isKnown ? 'refused' : tokens.get(token) === LATER_CARD ? 'accepted' : 'done';
    const made = { id: `st-${transactions.size + 1}`, reference, operation, state, amount, currency } as const;
    const transaction: Transaction = isKnown ? made : { ...made, code: 'no_such_transaction' };
    transactions.set(reference, transaction);
    return { status: 200, body: transaction };
  }
  async function answer(request: IncomingMessage): Promise<Reply> {
    const { method = '', url = '', headers } = request;
    const body = await bodyOf(request);
    if (headers.authorization !== `Bearer ${SECRETS.apiKey}`) return { status: 401, body: { error: 'bad_key' } };
    if (method === 'POST' && url === '/v1/tokens') return tokenize(JSON.parse(body));
    if (method === 'POST' && url === '/v1/transactions') return transact(JSON.parse(body));
    const found = transactions.get(url.slice('/v1/transactions/'.length));
    return found === undefined ? { status: 404, body: { error: 'unknown_reference' } } : { status: 200, body: found };
  }
  const server = createServer((request, response) => {
    const failed = (): Reply => ({ status: 400, body: { error: 'bad_request' } });
    void answer(request)
      .catch(failed)
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
      return [...transactions.values()];
    },
    decide(reference) {
      const open = transactions.get(reference);
      if (open?.state !== 'accepted') throw new Error(`${reference} is not open`);
      const decided: Transaction = { ...open, state: 'done' };
      transactions.set(reference, decided);
      return decided;
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
export function announcementOf(events: readonly object[], now: number): Announced {
  const raw = JSON.stringify({ events });
  return { raw, headers: { 'x-stub-signature': signatureOf(SECRETS.webhookSecret, raw, now) } };
}

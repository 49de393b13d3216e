// The disk space of a payment: a node makes payments and rests until its WALs are truncated; then its directory is
// measured.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { liveWorld } from '../src/world.ts';
import type { Answer, Client } from '../test/support/load-client.ts';
import { card } from '../test/support/node.ts';
import { DataDirectory } from '../test/support/service-process.ts';
import { type Bench, rowOf } from './row.ts';

/** Enough payments that the files' own pages hardly count; set PAYMENTS for another number. */
const PAYMENTS = Number(process.env['PAYMENTS'] ?? 2_000);
const AT_ONCE = 8;
/** The files of log, read models and ledger, with their WALs. */
const MOST_BYTES = 24 * 1024;
/** The largest WAL of a node at rest, which only holds signs of life. */
const RESTING_WAL_BYTES = 128 * 1024;
const REST_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 250;

const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({ id: z.string(), status: z.literal('SETTLED') });

export const bench: Bench = async () => {
  const directory = new DataDirectory();
  try {
    const { client } = await directory.serve();
    let begun = 0;
    const shop = async (): Promise<void> => {
      while (begun < PAYMENTS) await payOnce(client, begun++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, shop));
    await rest(directory.dir);
    const sizes = await sizesIn(directory.dir);
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    return [rowOf('disk for a captured payment, all files, at rest', total / PAYMENTS, MOST_BYTES, { atMost: 1 }, 'B')];
  } finally {
    await directory.remove();
  }
};

/**
 * Session, card, authorization and capture. Each write but the card's has an idempotency key, as a merchant's should.
 */
async function payOnce(client: Client, number: number): Promise<void> {
  const keyed = (what: string) => ({ 'X-Idempotency-Key': `${what}-${number}` });
  const fields = {
    orderId: `order-${number}`,
    currencyCode: 'EUR',
    customerId: `customer-${number}`,
    customer: { emailAddress: 'ada@example.org', firstName: 'Ada' },
    order: { lineItems: [{ itemId: 'shirt', amount: 2_500, quantity: 2 }] },
  };
  const { clientToken } = Session.parse(
    answered(await client.call('POST', '/client-session', fields, keyed('session'))),
  );
  const { token } = Token.parse(
    answered(await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card())),
  );
  const paid = await client.call('POST', '/payments', { clientToken, paymentMethodToken: token }, keyed('payment'));
  const { id } = z.looseObject({ id: z.string() }).parse(answered(paid));
  Payment.parse(answered(await client.call('POST', `/payments/${id}/capture`, {}, keyed('capture'))));
}

function answered({ status, text, body }: Answer): unknown {
  if (status !== 200) throw new Error(`unexpected answer: ${status} ${text}`);
  return body;
}

/** Resolves when every WAL is truncated. */
async function rest(dir: string): Promise<void> {
  const deadline = liveWorld.monotonic() + REST_WITHIN_MS;
  for (;;) {
    const wals = [...(await sizesIn(dir))].filter(([name]) => name.endsWith('-wal'));
    if (wals.every(([, size]) => size <= RESTING_WAL_BYTES)) return;
    if (liveWorld.monotonic() > deadline)
      throw new Error(`WALs are not truncated after ${REST_WITHIN_MS} ms: ${JSON.stringify(wals)}`);
    await liveWorld.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
}

async function sizesIn(dir: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(dir);
  return new Map(await Promise.all(names.map(async (name) => [name, (await stat(join(dir, name))).size] as const)));
}

// An account of many payments, made in the read model alone: copies of one payment, a second apart, back in time.
import { isKnown } from '../../src/domain/payment/queries.ts';
import { payments } from '../../src/projections/models/payments.ts';
import type { Service } from '../../src/service.ts';

const AT_ONCE = 1_000;
const APART_MS = 1_000;

/** `like`: the id of the payment that is copied; the copies are older than it. */
export async function manyPayments({ readModels }: Service, like: string, count: number): Promise<void> {
  const [row] = await readModels.get(payments, [like]);
  if (row === undefined || !isKnown(row.doc)) throw new Error(`there is no payment ${like}`);
  const { doc, revision } = row;
  const copies = Array.from({ length: count }, (_, at) => ({
    id: `pay_copy${String(at).padStart(8, '0')}`,
    revision,
    doc: {
      ...doc,
      date: doc.date - (at + 1) * APART_MS,
      orderId: `order-${at}`,
      amount: 100 + ((at * 7_919) % 90_000),
    },
  }));
  for (let at = 0; at < count; at += AT_ONCE) await readModels.write(payments, copies.slice(at, at + AT_ONCE));
}

// The lines of the processor's ledger about the demo's payment, compared with the payment.
import { z } from 'zod';
import { paymentIdOfReference } from '../../domain/payment/reference.ts';
import { Refused } from '../exit.ts';
import type { Ended } from './checkout.ts';
import type { Client } from './exchange.ts';

const Page = z.object({
  data: z.array(z.object({ reference: z.string(), operation: z.string(), amount: z.number(), outcome: z.string() })),
  nextCursor: z.string().optional(),
});
type EntryLine = z.infer<typeof Page>['data'][number];

/** Minor units, as the ledger has them: equal to the payment's. */
export interface Compared {
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

const PAGE_LINES = 100;

/** Throws Refused if the two differ by any amount. Only the pages with lines of the payment are shown. */
export async function compareWithLedger(client: Client, apiKey: string, payment: Ended): Promise<Compared> {
  const lines: EntryLine[] = [];
  const isOfPayment = ({ reference }: EntryLine): boolean => paymentIdOfReference(reference) === payment.paymentId;
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path: string = `/sandbox/ledger?limit=${PAGE_LINES}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await client.look({ method: 'GET', path, credential: ['X-Api-Key', apiKey] }, (answer) => {
      const page = Page.safeParse(answer);
      return !page.success || page.data.data.some(isOfPayment);
    });
    const page = Page.parse(body);
    lines.push(...page.data.filter(isOfPayment));
    cursor = page.nextCursor;
  }
  const sum = (operation: string): number =>
    lines
      .filter((line) => line.operation === operation && line.outcome === 'succeeded')
      .reduce((total, { amount }) => total + amount, 0);
  const ledger = { authorized: sum('authorization'), captured: sum('capture'), refunded: sum('refund') };
  const { authorized, captured, refunded } = payment;
  if (ledger.authorized !== authorized || ledger.captured !== captured || ledger.refunded !== refunded) {
    const books = JSON.stringify({ ledger, payment: { authorized, captured, refunded } });
    throw new Refused(`The ledger and the payment ${payment.paymentId} differ: ${books}`);
  }
  return ledger;
}

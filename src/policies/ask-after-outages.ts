// Asks a processor that answers again about all that it left open: by the schedule of the look-ups that would take up to a day (contract §4).
import { Limited } from '../commands/attempts/limited.ts';
import { LOOK_UPS_AT_ONCE, lookUpAttempts } from '../commands/attempts/look-up-attempts.ts';
import type { House } from '../commands/house.ts';
import { concludePayment } from '../commands/payments/conclude-payment.ts';
import { isKnown, type Payment } from '../domain/payment/state.ts';
import { policyContext } from '../journal/contexts.ts';
import { type PaymentKey, payments } from '../projections/payments.ts';
import { allOf } from '../queries/pages.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';
import { type DueParts, inRounds } from './policy.ts';

const NAME = 'ask-after-outages';
/** Payments asked about after one outage; what is left waits for its time. */
const MOST = 5_000;
const PAGE = 100;
/** A closing circuit wakes it; it looks by itself only for what its read model was not built for. */
const EVERY_MS = 60_000;

/** On every node for the circuits that it saw closing, until the signal aborts. */
export const askAfterOutages = (house: House, parts: DueParts, signal: AbortSignal): Promise<void> =>
  inRounds(
    { of: payments, everyMs: EVERY_MS, elsewhereMs: 0 },
    () => askAboutOpen(house, parts.readModels, signal),
    { ...parts, alarm: house.circuits.closing },
    house,
    signal,
  );

/** Once for each circuit that has closed since the last time, while it stays closed. Faults are reported, none holds up the others. */
export async function askAboutOpen(house: House, readModels: ReadModels, signal: AbortSignal): Promise<void> {
  for (const processor of house.circuits.takeClosed()) {
    const limited = new Limited(LOOK_UPS_AT_ONCE);
    const where: Query<PaymentKey>['where'] = { processor: [processor], dueAt: { from: house.world.now() } };
    let page: Promise<void>[] = [];
    let asked = 0;
    const order: Query<PaymentKey>['order'] = { by: 'dueAt', descending: false };
    for await (const row of allOf(readModels, payments, { where, order }, PAGE)) {
      page.push(limited.run(() => ask(house, row)).catch(house.report));
      asked += 1;
      if (page.length < PAGE && asked < MOST) continue;
      await Promise.all(page);
      page = [];
      if (asked >= MOST || signal.aborted || house.circuits.isOpen(processor)) break;
    }
    await Promise.all(page);
  }
}

/** A look-up that settles nothing leaves no trace: it was nobody's turn. */
async function ask(house: House, { id, doc }: Stored<Payment>): Promise<void> {
  if (!isKnown(doc)) return;
  const context = policyContext(house.world, NAME, doc.accountId);
  await concludePayment(house, id, await lookUpAttempts(house, id, 'all', context), context);
}

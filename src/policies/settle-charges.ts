// Ends tries of agreements that a crash left open: claims whose payment was never made, and payments whose end did not
// reach the stream of their agreement.
import type { Payments } from '../commands/payments/payments.ts';
import { type Agreement, openCharges } from '../domain/agreement/state.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { type AgreementKey, agreements } from '../projections/models/agreements.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import type { World } from '../world.ts';
import { each, graceOf, type ReleaseNeeds } from './release-claims.ts';
import type { Sweep } from './sweep.ts';

export interface ChargeSweepNeeds
  extends Pick<Payments, 'settleOpenCharges' | 'settleEndedCharge'>,
    Pick<ReleaseNeeds, 'timings' | 'report'> {
  readonly world: World;
}

/** The actor in the events that these cause. */
const NAME = 'settle-charges';
const EVERY_MS = 60_000;

export const settleClaimedCharges = (needs: ChargeSweepNeeds): Sweep<Agreement, AgreementKey> => ({
  name: `${NAME}-that-were-claimed`,
  of: agreements,
  needs: [],
  by: 'claimedAt',
  graceMs: graceOf(needs),
  everyMs: EVERY_MS,
  look: async (rows) => {
    const before = needs.world.now() - graceOf(needs);
    await each(
      needs,
      rows.flatMap(({ id, revision, doc }) =>
        doc.status === 'absent' ? [] : [{ id, revision, accountId: doc.accountId, open: openCharges(doc) }],
      ),
      // a payment that exists is not abandoned: it ends by its own look-ups
      (due) => needs.settleOpenCharges(due, due.open, before, NAME),
    );
  },
});

export const settleEndedCharges = (needs: ChargeSweepNeeds): Sweep<Payment, PaymentKey> => ({
  name: `${NAME}-that-ended`,
  of: payments,
  needs: [agreements],
  by: 'chargeEndedAt',
  graceMs: graceOf(needs),
  everyMs: EVERY_MS,
  look: (rows) =>
    each(
      needs,
      rows.flatMap(({ id, revision, doc }) => (isKnown(doc) ? [{ id, revision, accountId: doc.accountId, doc }] : [])),
      (due) => needs.settleEndedCharge(due, due.doc, NAME),
    ),
});

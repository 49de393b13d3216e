// The payments whose streams are known to be unreadable: broken ones, and those whose read model waits before an event.
import { paymentCategory } from '../../domain/payment/events.ts';
import type { Projections } from '../../projections/engine/engine.ts';
import { LOG } from '../../projections/engine/parked/parked-records.ts';
import { payments } from '../../projections/models/payments.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';

/** By payment id, each with the reason. Rejects with StoreUnavailable. */
export async function unreadablePayments(
  projections: Pick<Projections, 'parked'>,
): Promise<ReadonlyMap<string, string>> {
  const parked = await projections.parked(undefined, { withReleased: true }); // a release makes nothing readable
  return new Map(
    parked
      .filter(
        ({ projection, stream }) =>
          [payments.name, LOG.name].includes(projection) && categoryOf(stream) === paymentCategory.name,
      )
      .map(({ stream, fault }) => [idOf(stream), fault.replace(/^\w*: /, '')]),
  );
}

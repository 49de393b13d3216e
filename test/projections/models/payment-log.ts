// A log of payments' facts for tests of read models: written as a service writes it, at a time of its own.
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { paymentCategory } from '../../../src/domain/payment/events.ts';
import { beforeFirst, type Head, headOf, seal } from '../../../src/journal/envelope.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../src/stores/memory/event-store.ts';
import { calmWorld } from '../../support/calm-world.ts';

export const DAY_MS = 86_400_000;
/** Midnight, UTC. */
export const DAY_ONE = Date.UTC(2026, 10, 21);

export class PaymentLog {
  readonly events: EventStore = openMemoryEventStore();
  readonly #heads = new Map<string, Head>();

  /** Appends facts of a payment, one by one, as of `at`, ms. */
  async add(paymentId: string, facts: readonly PaymentEvent[], at = DAY_ONE): Promise<void> {
    const actor = { kind: 'operator', id: 'test' } as const;
    for (const fact of facts) {
      const head = this.#heads.get(paymentId) ?? beforeFirst;
      const sealed = seal(
        paymentCategory,
        [fact],
        { accountId: 'acc_1', actor, at, correlationId: 'req', operationId: 'op' },
        head,
        {
          ...calmWorld,
          now: () => at,
        },
      );
      const stored = sealed.map((one) => one.stored);
      const done = await this.events.append(`payment-${paymentId}`, head.revision, stored);
      if (done === 'conflict') throw new Error(`conflict on ${paymentId}`);
      this.#heads.set(paymentId, headOf(sealed, head));
    }
  }
}

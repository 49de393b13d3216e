// A service that is broken on purpose in one way: what the simulator must catch, or it proves nothing.
import type { PaymentParts } from '../../src/commands/payments/needs.ts';
import type { Payments } from '../../src/commands/payments/payments.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { EventStore } from '../../src/stores/event-store.ts';

export interface Variant {
  readonly name: string;
  /** Around the event store, as one incarnation of a node has it. */
  readonly events?: (events: EventStore) => EventStore;
  /** Around the processor. */
  readonly processor?: (processor: Processor) => Processor;
  /** In place of the payments. */
  readonly payments?: (parts: PaymentParts) => Payments;
}

/** The service as it is. */
export const SOUND: Variant = { name: 'sound' };

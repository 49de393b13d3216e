// A variant: the service broken on purpose in one way. A simulator that does not catch it proves nothing.
import type { PaymentParts } from '../../src/commands/payments/needs.ts';
import type { Payments } from '../../src/commands/payments/payments.ts';
import type { WebhookNeeds } from '../../src/commands/webhooks/needs.ts';
import type { Webhooks } from '../../src/commands/webhooks/webhooks.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { Api } from '../../src/processors/stripe/api.ts';
import type { Stripe } from '../../src/processors/stripe/stripe.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import type { World } from '../../src/world.ts';
import type { WorldKind } from './routes.ts';

export interface Variant {
  readonly name: string;
  /** Wraps the event store of one incarnation of a node. */
  readonly events?: (events: EventStore) => EventStore;
  /** Wraps the world of one incarnation of a node. */
  readonly world?: (world: World) => World;
  /** Wraps the processor. */
  readonly processor?: (processor: Processor) => Processor;
  /** Wraps the adapter of Stripe, over what it asks Stripe by: its worlds have twins. */
  readonly stripe?: (stripe: Stripe, api: Api) => Processor;
  /** Its worlds have two sandboxes and rules of routing. */
  readonly routed?: true;
  /** Its worlds have billing jobs. */
  readonly billing?: true;
  /** Replaces the payments subject. */
  readonly payments?: (parts: PaymentParts) => Payments;
  /** Replaces the webhooks subject. */
  readonly webhooks?: (needs: WebhookNeeds) => Webhooks;
}

export interface BrokenVariant extends Variant {
  /** The violation that the variant must cause. Other violations, a broken chain for example, do not count. */
  readonly breaks: RegExp;
}

/** The service as it is, unbroken. */
export const SOUND: Variant = { name: 'sound' };

/** The worlds in which a variant shows; undefined: the seed decides. */
export const kindFor = ({ stripe, routed, billing }: Variant): WorldKind | undefined => {
  if (stripe !== undefined) return 'twins';
  if (billing) return 'billing';
  return routed === true ? 'routed' : undefined;
};

/** The store without appends to several streams, so that each append of a payment meets the variant. */
export const oneByOne = ({ appendAll: _, ...events }: EventStore): EventStore => events;

/** Appends at whatever revision the stream has. */
export async function appendAnywhere(
  events: EventStore,
  stream: string,
  list: readonly NewEvent[],
): Promise<'written' | 'conflict'> {
  for (;;) {
    let last = -1;
    for await (const { revision } of events.read(stream, -1)) last = revision;
    if ((await events.append(stream, last, list)) === 'written') return 'written';
  }
}

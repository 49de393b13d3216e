// A service in memory that calls receivers in this process, and payments to tell them of.
import type { Post } from '../../src/commands/webhooks/post.ts';
import { webhookQueues } from '../../src/projections/models/webhook-queues.ts';
import { allOf } from '../../src/queries/pages.ts';
import type { Service, ServiceOptions } from '../../src/service.ts';
import { card, checkout, merchant, nodeOn, type Stores } from '../support/node.ts';
import type { Told } from './chain.ts';

export const ACCOUNT_NAME = 'Shop';

/** A running service. `end`: like a dying process, it stops following and calling. */
export interface RunningNode {
  readonly service: Service;
  readonly reported: readonly unknown[];
  readonly end: () => Promise<void>;
}

export async function runNode(
  stores: Stores,
  options: Partial<ServiceOptions> & { readonly post: Post },
): Promise<RunningNode> {
  const { service, reported } = await nodeOn(stores, { cardTestingLimits: false, ...options });
  const over = new AbortController();
  const work = service.run(over.signal);
  return {
    service,
    reported,
    async end() {
      over.abort();
      await work;
    },
  };
}

/** The account's id. */
export async function newAccount({ access }: Service): Promise<string> {
  const made = await access.createAccount(ACCOUNT_NAME);
  if (made.kind === 'rejected') throw new Error(made.description);
  return made.id;
}

/** The endpoint's id. */
export async function addEndpoint({ webhooks }: Service, accountId: string, url: string): Promise<string> {
  const added = await webhooks.addWebhookEndpoint({ accountId, url });
  if (added.kind === 'rejected') throw new Error(added.description);
  return added.id;
}

/** The id of a payment of 10.00 EUR; `captured`: with two messages, otherwise one. */
export async function pay(service: Service, accountId: string, { captured = false } = {}): Promise<string> {
  const { world } = service;
  const session = await service.sessions.createClientSession(
    { orderId: 'order-1', currencyCode: 'EUR', amount: 1_000 },
    merchant(accountId, world),
  );
  if (session.kind === 'rejected') throw new Error(session.description);
  const token = await service.instruments.tokenizeCard(card(), checkout(accountId, session.id, world));
  if (token.kind === 'rejected') throw new Error(token.description);
  const asked = { clientToken: session.clientToken, paymentMethodToken: token.id };
  const paid = await service.payments.authorizePayment(asked, merchant(accountId, world));
  if (paid.kind === 'rejected') throw new Error(paid.description);
  if (captured) await service.payments.capturePayment(paid.id, {}, merchant(accountId, world));
  return paid.id;
}

/** A message as its receiver reads it. */
export function toldIn(text: string): Told {
  const { eventId, sequence, previousSequence, payment, agreement } = JSON.parse(text);
  return {
    text,
    eventId,
    subjectId: (payment ?? agreement).id,
    sequence,
    ...(previousSequence !== undefined && { previousSequence }),
  };
}

/** How many messages are in each state, over all queues. */
export async function queued({ readModels }: Pick<Service, 'readModels'>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for await (const { doc } of allOf(readModels, webhookQueues, { where: {} })) {
    if (doc.status === 'absent') continue;
    for (const { status } of doc.messages) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

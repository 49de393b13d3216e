// A small category for the engine's tests: accounts that money comes to, with an event that can be made to fail and one
// of a newer node.
import { z } from 'zod';
import { category, event } from '../../../src/domain/category.ts';
import type { Decider } from '../../../src/domain/decider.ts';
import { hashOf } from '../../../src/journal/envelope.ts';
import { foldOf, projection, type StreamProjection } from '../../../src/projections/projection.ts';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { newUuid } from '../../../src/world.ts';
import { eventsIn } from '../../contract/store-under-test.ts';
import { calmWorld } from '../../support/calm-world.ts';

const ledgerCategory = category(
  'ledger',
  z.discriminatedUnion('type', [
    event('Opened', z.strictObject({ owner: z.string() })),
    event('Paid', z.strictObject({ amount: z.number() })),
  ]),
);
export type LedgerEvent = z.infer<typeof ledgerCategory.event>;
export interface Ledger {
  readonly owner: string;
  readonly balance: number;
  readonly payments: number;
  readonly note?: string | undefined;
}

/** Amounts that the fold refuses, until the code is "mended". */
export const refused = { amounts: new Set<number>() };

export const ledger: Decider<Ledger, LedgerEvent> = {
  category: ledgerCategory,
  initial: { owner: '', balance: 0, payments: 0, note: undefined },
  evolve(state, { type, data }, recorded) {
    switch (type) {
      case 'Opened':
        return { ...state, owner: data.owner };
      case 'Paid':
        if (refused.amounts.has(data.amount)) throw new Error(`cannot fold ${data.amount}`);
        return {
          ...state,
          balance: state.balance + data.amount,
          payments: state.payments + 1,
          note: `at ${recorded.revision}`,
        };
      default:
        return type satisfies never;
    }
  },
};

export type LedgerKey = 'owner' | 'balance';
export const ledgersOf = (version: number): StreamProjection<Ledger, LedgerKey> =>
  projection(foldOf(ledger), {
    name: 'ledgers',
    version,
    keys: { owner: ({ owner }) => owner, balance: ({ balance }) => balance },
    indexes: [['owner', 'balance']],
  });
export const ledgers = ledgersOf(1);

const metadata = (previousHash: string): string =>
  JSON.stringify({
    accountId: 'acc_1',
    actor: { kind: 'operator', id: 'test' },
    recordedAt: calmWorld.now(),
    $correlationId: 'req_1',
    $causationId: 'req_1',
    operationId: 'op_1',
    schemaVersion: 1,
    previousHash,
  });

export const append = (
  events: EventStore,
  id: string,
  after: number,
  ...written: readonly { type: string; data: object }[]
): Promise<readonly StoredEvent[]> => appendTo(events, `ledger-${id}`, after, ...written);

/** To a stream of any category, as a service would: chained. */
export async function appendTo(
  events: EventStore,
  stream: string,
  after: number,
  ...written: readonly { type: string; data: object }[]
): Promise<readonly StoredEvent[]> {
  const [last] = after < 0 ? [] : await eventsIn(events, stream, after - 1);
  let previousHash = last === undefined ? '' : hashOf(last);
  const sealed = written.map(({ type, data }) => {
    const made = { id: newUuid(calmWorld), type, data: JSON.stringify(data), metadata: metadata(previousHash) };
    previousHash = hashOf(made);
    return made;
  });
  if ((await events.append(stream, after, sealed)) === 'conflict') throw new Error(`conflict on ${stream}@${after}`);
  return eventsIn(events, stream, after);
}
export const opened = (owner: string): LedgerEvent => ({ type: 'Opened', data: { owner } });
export const paid = (amount: number): LedgerEvent => ({ type: 'Paid', data: { amount } });

/** The projection as a newer node knows it, with one more type of event. */
export const upgraded: StreamProjection<Ledger, LedgerKey> = projection(
  {
    category: 'ledger',
    project: (doc, stored) => {
      if (stored.type !== 'Donated') return ledgers.project(doc, stored);
      const before = doc ?? ledger.initial;
      return {
        ...before,
        balance: before.balance + z.object({ amount: z.number() }).parse(JSON.parse(stored.data)).amount,
      };
    },
  },
  ledgers,
);

// Work on payments that one process begins and dies in, and another one on the same stores takes over.
import { expect } from 'chai';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import type { Service } from '../../src/service.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { differencesOf, hangingSessions, hangingWork, unlikeRebuilt, untilCaughtUp, verifyChains } from './books.ts';
import { type Dies, inTwoSteps, Mortal, type MortalKind } from './mortal.ts';

export const ACCOUNT = 'acc_1';
const timings = { ...defaultTimings, answerWithinMs: 40 };

/** A process, its stores and its clock. */
export interface Place {
  readonly service: Service;
  readonly stores: Stores;
  readonly world: MovableWorld;
}

interface Work<Act> {
  /** Prepares the work on a process that does not die, and answers it. */
  readonly prepare: (first: Place) => Promise<Act>;
  readonly begin: (first: Place, act: Act) => Promise<unknown>;
  /** The other process, when it has caught up. */
  readonly finish: (second: Place, act: Act) => Promise<void>;
}

/**
 * False if the work had fewer appends, so that the process did not die. The second process reports no fault.
 * `together`: as of Mortal.
 */
export async function takenOver<Act>(
  { prepare, begin, finish }: Work<Act>,
  dies: Dies,
  kind: MortalKind = {},
): Promise<boolean> {
  const world = movableWorld();
  const stores = await memoryStores(world);
  const mortal = new Mortal(stores, kind);
  const first = { service: await mortal.open(timings), stores, world };
  const act = await prepare(first);
  if (!(await mortal.diesOf(() => begin(first, act), dies))) return false;
  const processor = kind.prepares === true ? scripted(stores.sandbox, inTwoSteps()) : undefined;
  const { service, reported } = await nodeOn(stores, { timings, leaps: true, ...(processor && { processor }) });
  const over = new AbortController();
  try {
    await untilCaughtUp(service, over.signal);
    await finish({ service, stores, world }, act);
    expect(reported).to.deep.equal([]);
  } finally {
    over.abort();
  }
  return true;
}

/** No work, claim or difference is left, and the read models and chains are those of the log. */
export async function expectNothingLeft({ service, stores }: Place): Promise<void> {
  expect(await hangingWork(service.readModels)).to.deep.equal([]);
  expect(await hangingSessions(service)).to.deep.equal([]);
  expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);
  expect(await unlikeRebuilt(service)).to.deep.equal([]);
  expect((await verifyChains(stores.events)).broken).to.deep.equal([]);
}

/** The answer of a command that was not refused. */
export const done = <A extends { readonly kind: string }>(answer: A): Exclude<A, { readonly kind: 'rejected' }> => {
  if (isDone(answer)) return answer;
  throw new Error(JSON.stringify(answer));
};
const isDone = <A extends { readonly kind: string }>(answer: A): answer is Exclude<A, { readonly kind: 'rejected' }> =>
  answer.kind !== 'rejected';

export const session = async (service: Service, world: MovableWorld, fields: object = {}) =>
  done(
    await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      merchant(ACCOUNT, world),
    ),
  );
export const token = async (service: Service, world: MovableWorld, sessionId: string, number?: string) =>
  done(await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, sessionId, world))).id;

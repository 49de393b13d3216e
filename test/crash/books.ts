// The rules after any crash: no acknowledged write is lost, chains verify, ledger and payments agree, no claim is left
// without a payment.

import { openCharges } from '../../src/domain/agreement/state.ts';
import { isOpen } from '../../src/domain/payment/attempt.ts';
import { isFinal, isOpenAnswer } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { EventMetadata, hashOf } from '../../src/journal/envelope.ts';
import {
  attendDisputes,
  finishVaulting,
  handleNotifications,
  resolveUnknownOutcomes,
} from '../../src/policies/due-work.ts';
import { type Policy, runDue } from '../../src/policies/policy.ts';
import { settleClaimedCharges, settleEndedCharges } from '../../src/policies/settle-charges.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import { agreements } from '../../src/projections/models/agreements.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import { clientSessions } from '../../src/projections/models/client-sessions.ts';
import { paymentInstruments } from '../../src/projections/models/payment-instruments.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { compareLedger } from '../../src/queries/ledger/compare-ledger.ts';
import { type Difference, inWords } from '../../src/queries/ledger/payment-ledger.ts';
import type { Service } from '../../src/service.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { Collection, ReadModels, Stored } from '../../src/stores/read-models.ts';
import type { Acknowledged } from '../support/load.ts';
import type { Client } from '../support/load-client.ts';
import type { MovableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';

/** The order of a payment's statuses; it never goes back. */
const RANK: Readonly<Record<string, number>> = {
  PENDING: 0,
  AUTHORIZED: 1,
  SETTLING: 2,
  PARTIALLY_SETTLED: 2,
  SETTLED: 2,
  DECLINED: 3,
  FAILED: 3,
  CANCELLED: 3,
};
/** Sums that only grow. */
const SUMS = ['amountAuthorized', 'amountCaptured', 'amountRefunded'];

/** Acknowledged writes that a read no longer shows. At the same revision it must be equal, at a later one not older. */
export async function lostOf(client: Client, acknowledged: Iterable<Acknowledged>): Promise<readonly string[]> {
  const lost: string[] = [];
  const check = async ({ path, revision, body }: Acknowledged): Promise<void> => {
    const found = await client.call('GET', path);
    const complain = (what: string): void =>
      void lost.push(`${path}: ${what}; was ${revision} ${JSON.stringify(body)}, is ${found.text}`);
    if (found.status !== 200) complain(`status ${found.status}`);
    else if (found.revision < revision) complain(`revision ${found.revision}`);
    else if (found.revision === revision && !holds(found.body, body)) complain('another body at the same revision');
    else if (wentBack(body, found.body)) complain('the payment went back');
  };
  const waiting = [...acknowledged];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await check(next);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return lost;
}

const member = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Object.entries(of).find(([key]) => key === name)?.[1] : undefined;
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** A read may show more than the answer to the write (a tokenized card), but nothing different. */
const holds = (read: unknown, written: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(written).every(([name, value]) => JSON.stringify(member(read, name)) === JSON.stringify(value));

function wentBack(before: unknown, now: unknown): boolean {
  const rank = (of: unknown): number => RANK[String(member(of, 'status'))] ?? 0;
  const sum = (of: unknown, name: string): number => number(member(member(of, 'processor'), name));
  return rank(now) < rank(before) || SUMS.some((name) => sum(now, name) < sum(before, name));
}

/** Streams with a broken chain, and the numbers of events and streams. */
export async function verifyChains(
  events: EventStore,
): Promise<{ readonly broken: readonly string[]; readonly events: number; readonly streams: number }> {
  const heads = new Map<string, { readonly revision: number; readonly hash: string }>();
  const broken: string[] = [];
  let count = 0;
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, [], enough.signal)) {
    for (const stored of batch.events) {
      const head = heads.get(stored.stream) ?? { revision: -1, hash: '' };
      const { previousHash } = EventMetadata.parse(JSON.parse(stored.metadata));
      if (stored.revision !== head.revision + 1 || previousHash !== head.hash)
        broken.push(`${stored.stream}@${stored.revision}`);
      heads.set(stored.stream, { revision: stored.revision, hash: hashOf(stored) });
      count += 1;
    }
    if (batch.caughtUp) enough.abort();
  }
  return { broken, events: count, streams: heads.size };
}

async function* everyRow<Doc extends object, K extends string>(
  models: ReadModels,
  of: Collection<Doc, K>,
): AsyncIterable<Stored<Doc>> {
  let after: { readonly key: string; readonly id: string } | undefined;
  for (;;) {
    const page = await models.find(of, { where: {}, limit: 1_000, ...(after !== undefined && { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < 1_000) return;
    after = { key: last.id, id: last.id };
  }
}

/** The differences between the sandbox's ledger and the payments, attempt by attempt and in the sums. */
export async function differencesOf(
  { streams, readModels, world }: Service,
  ledger: Sandbox,
): Promise<readonly string[]> {
  const differences: string[] = [];
  const found = (difference: Difference): void => void differences.push(inWords(difference));
  await compareLedger({ ledger, readModels, world, current: (id) => streams.payments.current(id), found });
  return differences;
}

/**
 * Follows the log until the signal aborts. Resolves when the read models have all documents, those that a dead process
 * did not write too; `ended` does when it no longer follows.
 */
export async function untilCaughtUp(service: Service, signal: AbortSignal): Promise<{ readonly ended: Promise<void> }> {
  const ended = service.projections.run(signal).catch(() => undefined); // its fault shows as not ready
  await until(() => service.readiness().ready || signal.aborted);
  return { ended };
}

/** The times from one look-up of an attempt to the next, ms. */
export const LOOK_UPS_MS: readonly number[] = [31_000, 300_000, 3_600_000];

/**
 * Moves the clock by each step and does the work that is then due: look-ups, including those of disputes, unfinished
 * vaulting, open notifications, charges of agreements without an end.
 */
export async function letFallDue(service: Service, world: MovableWorld, stepsMs: readonly number[]): Promise<void> {
  const { work } = service;
  for (const aheadMs of stepsMs) {
    world.advance(aheadMs);
    await untilDone(resolveUnknownOutcomes(work), service);
    await untilDone(attendDisputes(work), service);
    await untilDone(finishVaulting(work), service);
    await untilDone(handleNotifications(work), service);
    await settleCharges(service);
  }
}

/** What the sweeps over agreements and their payments do. */
async function settleCharges({ work, readModels }: Service): Promise<void> {
  await settleClaimedCharges(work).look(await rowsOf(readModels, agreements));
  await settleEndedCharges(work).look(await rowsOf(readModels, payments));
}

async function rowsOf<Doc extends object, K extends string>(
  models: ReadModels,
  of: Collection<Doc, K>,
): Promise<readonly Stored<Doc>[]> {
  const rows: Stored<Doc>[] = [];
  for await (const row of everyRow(models, of)) rows.push(row);
  return rows;
}

/** More rounds than due work needs that makes further work due. */
const ROUNDS = 50;

/** Does the due work of a policy. Throws when work stays due after many rounds. */
async function untilDone<Doc extends object, K extends string>(
  policy: Policy<Doc, K>,
  { work, readModels }: Service,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) if ((await runDue(policy, readModels, work)) === 0) return;
  const stuck: string[] = [];
  const remember: Policy<Doc, K> = {
    ...policy,
    act: async ({ id, revision, doc }) => void stuck.push(`${id}@${revision} ${JSON.stringify(doc)}`),
  };
  await runDue(remember, readModels, work);
  throw new Error(`${policy.name} still has due work: ${stuck.join('\n')}`);
}

/** Attempts and answers to disputes that are unknown after all look-ups, and unfinished vaulting. */
export async function hangingWork(models: ReadModels): Promise<readonly string[]> {
  const hanging: string[] = [];
  for await (const { doc } of everyRow(models, payments)) {
    if (!isKnown(doc)) continue;
    hanging.push(...doc.attempts.filter(isOpen).map(({ attemptId, state }) => `${attemptId} is ${state}`));
    for (const { answer } of doc.disputes)
      if (isOpenAnswer(answer)) hanging.push(`the answer ${answer.answerId} is ${answer.state}`);
  }
  for await (const { id, doc } of everyRow(models, agreements))
    if (doc.status !== 'absent')
      hanging.push(...openCharges(doc).map(({ periodKey }) => `${periodKey} of ${id} has no outcome`));
  for await (const { id, doc } of everyRow(models, paymentInstruments))
    if (doc.status === 'vaulting') hanging.push(`${id} is vaulting`);
  return hanging;
}

/** Sessions that a payment which is over still holds, so that no new payment can have them. */
export async function hangingSessions(service: Service): Promise<readonly string[]> {
  const { streams, readModels, world } = service;
  const hanging: string[] = [];
  for await (const { id, doc } of everyRow(readModels, clientSessions)) {
    if (doc.status === 'absent' || doc.payment === undefined) continue;
    const { state } = await streams.payments.current(doc.payment.paymentId);
    if (isKnown(state) && !isFinal(state.status)) continue;
    if (!(await service.payments.displaceSessionClaim(id, operatorContext(world, doc.accountId))))
      hanging.push(`${id} is held by ${doc.payment.paymentId}`);
  }
  return hanging;
}

/** Single-use tokens that a payment claimed and no processor ever saw: they must be able to pay. */
export async function claimedInVain(
  service: Service,
): Promise<readonly { readonly token: string; readonly accountId: string }[]> {
  const found: { token: string; accountId: string }[] = [];
  for await (const { id, doc } of everyRow(service.readModels, paymentInstruments)) {
    if (doc.status !== 'tokenized' || doc.claim === undefined) continue;
    const { state } = await service.streams.payments.current(doc.claim.paymentId);
    if (!isKnown(state) || state.attempts.every((attempt) => attempt.state === 'not_sent'))
      found.push({ token: id, accountId: doc.accountId });
  }
  return found;
}

/** Read models that differ from their rebuild from the first event on. */
export async function unlikeRebuilt(service: Service): Promise<readonly string[]> {
  const different: string[] = [];
  for (const { name } of allProjections) {
    const {
      equal,
      different: count,
      digestBefore,
      digestAfter,
      examples,
    } = await service.projections.rebuild(name, { dryRun: true });
    if (!equal || digestBefore !== digestAfter)
      different.push(`${name}: ${count} documents, such as ${examples.join(', ')}`);
  }
  return different;
}

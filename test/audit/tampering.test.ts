// Each tampering of a log, and who finds it. The table stands in docs/guides/proofs.md; it is read from there.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { signedCheckpoint } from '../../src/audit/checkpoint.ts';
import { heldAgainst, readOwnCheckpoints } from '../../src/audit/own-checkpoints.ts';
import { type LogWalk, walkLog } from '../../src/audit/verify-log.ts';
import { breakIn } from '../../src/journal/chain.ts';
import { hashOf } from '../../src/journal/envelope.ts';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { Secrets } from '../../src/secrets.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import type { Checkpoint } from '../../src/verify/format.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { newUuid } from '../../src/world.ts';
import { eventStoreDbUnderTest } from '../stores/eventstoredb-under-test.ts';
import { PATIENT } from '../stores/patient-timings.ts';
import { calmWorld } from '../support/calm-world.ts';
import { forged, type Log, logOf, writeLog } from '../support/forged-log.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { newAccount, pay } from '../webhooks/told-node.ts';
import { proofOf } from './proven-payment.ts';

const FINDERS = [
  'a reader',
  'the chains',
  "the log's own checkpoints",
  'verify with a kept checkpoint',
  'an outsider',
] as const;

async function written(store: EventStore, log: Log): Promise<EventStore> {
  await writeLog(store, log);
  return store;
}

const nowhere = new AbortController().signal;

const walked = async (store: EventStore, walk: Pick<LogWalk, 'sizes' | 'since'> = {}) =>
  walkLog(store, { to: await store.head(), ...walk }, nowhere);

describe('a log that was tampered with', () => {
  const paid: string[] = [];
  let original: Log;
  let kept: Checkpoint;
  let stores: Awaited<ReturnType<typeof memoryStores>>;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-tampering-'));
    stores = await memoryStores();
    const { service } = await nodeOn(stores, { cardTestingLimits: false });
    const account = await newAccount(service);
    for (let n = 0; n < 3; n += 1) paid.push(await pay(service, account, { captured: true }));
    original = await logOf(stores.events);
    kept = signedCheckpoint(await walked(stores.events), stores.secrets, 1_800_000_000_000);
    expect(await service.work.makeCheckpoint(0, 'test', nowhere)).to.equal(true);
    // what comes after the checkpoint hides nothing
    await pay(service, account);
    original = await logOf(stores.events);
  });
  after(() => rm(directory, { recursive: true }));

  const nth = (log: Log, place: number, revision: number): number => {
    const stream = `payment-${paid[place]}`;
    const found = log.flatMap((one, index) => (one.stream === stream ? [index] : []));
    return found.at(revision) ?? expect.fail(`${stream} has no event ${revision}`);
  };
  const altered = (log: Log, index: number, alter: (event: NewEvent) => NewEvent): Log =>
    log.map((one, n) => (n === index ? { ...one, event: alter(one.event) } : one));
  const otherAmount = (event: NewEvent): NewEvent => ({
    ...event,
    data: event.data.replace('"amount":1000', '"amount":9'),
  });
  const withoutStream = (log: Log, place: number): Log =>
    log.filter(({ stream }) => stream !== `payment-${paid[place]}`);
  const TAMPERINGS: Readonly<Record<string, (log: Log) => Log>> = {
    'nothing was changed': (log) => log,
    'data of an event changed': (log) => altered(log, nth(log, 1, 2), otherAmount),
    'metadata of an event changed': (log) =>
      altered(log, nth(log, 1, 2), (event) => ({ ...event, metadata: event.metadata.replace('"actor"', '"Actor"') })),
    'time of an event changed': (log) =>
      altered(log, nth(log, 1, 2), (event) => ({
        ...event,
        metadata: event.metadata.replace('"recordedAt":1', '"recordedAt":2'),
      })),
    'data of the last event of a stream changed': (log) =>
      altered(log, nth(log, 1, -1), (event) => ({ ...event, data: event.data.replace('{', '{"x":1,') })),
    'an event in the middle of a stream deleted': (log) => log.toSpliced(nth(log, 1, 2), 1),
    'the last event of a stream deleted': (log) => log.toSpliced(nth(log, 1, -1), 1),
    'a whole stream deleted': (log) => withoutStream(log, 1),
    'an event with a right hash inserted at the end of a stream': (log) => {
      const index = nth(log, 1, -1);
      const last = log[index] ?? expect.fail();
      const metadata = last.event.metadata.replace(
        /"previousHash":"[0-9a-f]*"/,
        `"previousHash":"${hashOf(last.event)}"`,
      );
      return log.toSpliced(index + 1, 0, { ...last, event: { ...last.event, id: newUuid(calmWorld), metadata } });
    },
    'a forged stream inserted': (log) => {
      const copied = log.filter(({ stream }) => stream === `payment-${paid[0]}`);
      const other = copied.map(({ event }) => ({
        stream: 'payment-pay_forged',
        event: { ...event, id: newUuid(calmWorld) },
      }));
      return log.toSpliced(nth(log, 1, 0), 0, ...forged(other));
    },
    'the names of two streams exchanged': (log) => {
      const [one, other] = [`payment-${paid[0]}`, `payment-${paid[1]}`];
      return log.map((entry) =>
        entry.stream === one ? { ...entry, stream: other } : entry.stream === other ? { ...entry, stream: one } : entry,
      );
    },
    'the order of two events of different streams exchanged': (log) => {
      const [a, b] = [nth(log, 0, -1), nth(log, 1, 0)];
      return log.map((entry, n) => (n === a ? log[b] : n === b ? log[a] : entry)).filter((one) => one !== undefined);
    },
    'an old file put back': (log) => log.slice(0, nth(log, 1, 0)),
    "a whole stream deleted, and the log's own checkpoints": (log) =>
      withoutStream(log, 1).filter(({ stream }) => stream !== 'checkpoint-0'),
    'the whole chain forged again': (log) => forged(altered(log, nth(log, 1, 2), otherAmount)),
    'the whole chain forged again, and signed by another key': (log) =>
      forged(altered(log, nth(log, 1, 2), otherAmount), new Secrets([Buffer.alloc(32, 66)])),
    'an event after the checkpoint changed, with a right hash': (log) =>
      altered(log, log.length - 1, (event) => ({ ...event, data: event.data.replace('{', '{"x":1,') })),
  };

  /** The finders of the tampering, on a store that holds this log. */
  async function findersOn(store: EventStore): Promise<Readonly<Record<(typeof FINDERS)[number], boolean>>> {
    const streams = [...new Set((await logOf(store)).map(({ stream }) => stream))];
    const read = await Promise.all(streams.map((stream) => breakIn(store, stream)));
    const own = await readOwnCheckpoints(store);
    const walk = await walked(store, { sizes: own.map(({ treeSize }) => treeSize), since: kept.treeSize });
    const keys = publicKeysOf(stores.secrets);
    // The tamperer has the secret, and signs whatever the outsider asks for.
    const signed = signedCheckpoint(walk, stores.secrets, 1_800_000_100_000, walk.extended);
    const { findings } = await reportOn({ file: signed, keys, kept });
    return {
      'a reader': read.some((found) => found !== undefined),
      'the chains': walk.broken > 0,
      "the log's own checkpoints": walk.broken > 0 || heldAgainst(own, walk, keys).failed > 0,
      'verify with a kept checkpoint': walk.broken > 0 || walk.extended?.root !== kept.root,
      'an outsider': findings.some(({ isGood }) => !isGood),
    };
  }

  const table = new Map(
    [
      ...readFileSync('docs/guides/proofs.md', 'utf8').matchAll(
        /^\| ([^|]+) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$/gm,
      ),
    ].map(([, what = '', ...found]) => [
      what,
      Object.fromEntries(FINDERS.map((finder, n) => [finder, found[n] === 'yes'])),
    ]),
  );

  it('is in the table of the guide, with every tampering', () => {
    expect([...table.keys()]).to.deep.equal(Object.keys(TAMPERINGS));
  });

  const open: Readonly<
    Record<string, () => Promise<{ readonly store: EventStore; readonly end: () => Promise<void> }>>
  > = {
    memory: async () => ({ store: openMemoryEventStore(), end: async () => undefined }),
    SQLite: async () => {
      const file = join(directory, `${newUuid(calmWorld)}.db`);
      const store = await openSqliteEventStore({
        file,
        world: calmWorld,
        report: (fault) => expect.fail(String(fault)),
      });
      return { store, end: () => store.close() };
    },
    EventStoreDB: async () => {
      const under = await eventStoreDbUnderTest();
      under.needs('an empty log');
      return { store: await under.open({ timings: PATIENT }), end: () => under.dispose() };
    },
  };
  for (const [name, opened] of Object.entries(open))
    for (const [title, tamper] of Object.entries(TAMPERINGS))
      it(`is found as the guide says, on ${name}: ${title}`, async () => {
        const { store, end } = await opened();
        try {
          expect(await findersOn(await written(store, tamper(original)))).to.deep.equal(table.get(title));
        } finally {
          await end();
        }
      });

  it('no longer proves a payment whose events were changed, whatever is signed afterwards', async () => {
    const keys = publicKeysOf(stores.secrets);
    const [, paymentId = ''] = paid;
    const honest = await written(openMemoryEventStore(), original);
    const proof = await proofOf(paymentId, honest, stores.secrets, kept);
    expect(proof.streams.map(({ stream }) => stream.slice(0, stream.indexOf('-')))).to.deep.equal([
      'payment',
      'clientSession',
      'paymentInstrument',
    ]);
    const { findings } = await reportOn({ file: proof, keys, kept });
    expect(findings.map(({ isGood }) => isGood)).to.deep.equal([true, true, true, true]);

    const lying = await written(openMemoryEventStore(), TAMPERINGS['the whole chain forged again']?.(original) ?? []);
    const forgedProof = await proofOf(paymentId, lying, stores.secrets, kept);
    const said = await reportOn({ file: forgedProof, keys, kept });
    expect(said.findings.filter(({ isGood }) => !isGood).map(({ text }) => text)).to.deep.equal([
      'The log of the checkpoint does not begin with that of the kept one: events were changed or removed.',
    ]);
    const borrowed = await reportOn({ file: { ...forgedProof, checkpoint: proof.checkpoint }, keys, kept });
    expect(borrowed.findings.some(({ isGood }) => !isGood)).to.equal(true);
  });
});

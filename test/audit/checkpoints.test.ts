// The checkpoints that the service records: one for each hour, whatever stops it, and each reads new events alone.
import { expect } from 'chai';
import { receiptOf } from '../../src/audit/checkpoint.ts';
import { nextCheckpoint } from '../../src/audit/next-checkpoint.ts';
import { heldAgainst, readOwnCheckpoints } from '../../src/audit/own-checkpoints.ts';
import { walkLog } from '../../src/audit/verify-log.ts';
import type { CheckpointMade } from '../../src/domain/checkpoint.ts';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { makeCheckpoints } from '../../src/policies/checkpoints.ts';
import { Secrets } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { Alarm } from '../../src/world.ts';
import { memoryStores, nodeOn, type Stores } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { newAccount, pay } from '../webhooks/told-node.ts';

const HOUR = 3_600_000;
const nowhere = new AbortController().signal;

describe('the checkpoints that the service records', () => {
  let world: MovableWorld;
  let stores: Stores;
  let service: Awaited<ReturnType<typeof nodeOn>>['service'];
  let account: string;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    ({ service } = await nodeOn(stores, { cardTestingLimits: false }));
    account = await newAccount(service);
  });

  const anotherHour = async (by = service): Promise<boolean> => {
    await pay(by, account);
    world.advance(HOUR);
    return by.work.makeCheckpoint(HOUR, 'test', nowhere);
  };
  const recorded = (events: Pick<EventStore, 'read'> = stores.events) => readOwnCheckpoints(events);
  const newest = async (): Promise<CheckpointMade> => {
    const { state } = await service.streams.checkpoints.current('0');
    return state.status === 'made' ? state.newest : expect.fail('there is no checkpoint');
  };
  const verified = async (events: EventStore = stores.events) => {
    const own = await recorded(events);
    const to = await events.head();
    const walked = await walkLog(events, { to, sizes: own.map(({ treeSize }) => treeSize) }, nowhere);
    return { own, walked, found: heldAgainst(own, walked, publicKeysOf(stores.secrets)) };
  };

  it('are an hour apart, hold against the whole log, and each proves that it extends the previous one', async () => {
    expect(await service.work.makeCheckpoint(HOUR, 'test', nowhere)).to.equal(false);
    for (let hour = 0; hour < 5; hour += 1) {
      expect(await anotherHour()).to.equal(true);
      expect(await service.work.makeCheckpoint(HOUR, 'test', nowhere)).to.equal(false);
      world.advance(HOUR - 60_000);
      expect(await service.work.makeCheckpoint(HOUR, 'test', nowhere)).to.equal(false);
    }
    const { own, walked, found } = await verified();
    expect(walked.broken).to.equal(0);
    expect(found).to.deep.include({ held: 5, failed: 0, ofOtherKeys: 0, newest: own[4] });
    // the newest covers all but itself
    expect(own[4]?.treeSize).to.equal(walked.events - 1);
    const keys = publicKeysOf(stores.secrets);
    for (const [n, file] of own.entries()) {
      const kept = own[n - 1];
      const { findings } = await reportOn({ file, keys, ...(kept && { kept }) });
      expect(findings.filter(({ isGood }) => !isGood)).to.deep.equal([]);
      expect(findings.some(({ text }) => text.includes('of the kept one, unchanged'))).to.equal(kept !== undefined);
    }
  });

  it('cost what the new events cost: the log before the newest one is not read again', async () => {
    await anotherHour();
    const before = await newest();
    await anotherHour();
    let first: bigint | undefined;
    const watched: EventStore = {
      ...bound(stores.events),
      follow: (after, categories, signal) => {
        first = after;
        return stores.events.follow(after, categories, signal);
      },
    };
    await nextCheckpoint(watched, await newest(), { secrets: stores.secrets, world }, nowhere);
    expect(first)
      .to.equal(BigInt((await newest()).position))
      .and.to.be.above(Number(before.position));
  });

  it('need no key of a person: the log is signed, and compared, as it is stored', async () => {
    const keys = openMemoryKeyStore();
    const apart = { ...(await memoryStores(world)), keys };
    const { service: recording } = await nodeOn(apart, { cardTestingLimits: false });
    const paid = await pay(recording, await newAccount(recording));
    expect(await keys.list('', 10)).to.have.length.above(1);
    let isAway = false;
    const get: typeof keys.get = async (ids) => (isAway ? expect.fail('a key was read') : keys.get(ids));
    const { service: signing } = await nodeOn({ ...apart, keys: { ...keys, get } }, { cardTestingLimits: false });
    isAway = true;
    world.advance(HOUR);
    expect(await signing.work.makeCheckpoint(HOUR, 'test', nowhere)).to.equal(true);
    const ignored = (): void => undefined;
    expect(await signing.audit.compare(ignored, nowhere)).to.deep.include({ held: 1, failed: 0 });
    expect(await signing.audit.prove({ paymentId: paid }, ignored, nowhere)).to.deep.include({ paymentId: paid });
  });

  it('are one where two nodes record at the same moment', async () => {
    const other = (await nodeOn(stores, { cardTestingLimits: false })).service;
    for (let hour = 1; hour <= 3; hour += 1) {
      await pay(service, account);
      world.advance(HOUR);
      const made = await Promise.all([service, other].map((node) => node.work.makeCheckpoint(HOUR, 'test', nowhere)));
      expect(made.filter(Boolean)).to.have.length(1);
      expect(await recorded()).to.have.length(hour);
    }
  });

  for (const [when, isWritten] of [
    ['before', false],
    ['after', true],
  ] as const)
    it(`are finished, and never doubled, by the next process if the last one ended right ${when} the append`, async () => {
      let crashes = 1;
      const dying: EventStore = {
        ...bound(stores.events),
        async append(stream, after, events) {
          if (stream !== 'checkpoint-0' || crashes === 0) return stores.events.append(stream, after, events);
          crashes -= 1;
          if (isWritten) await stores.events.append(stream, after, events);
          throw new StoreUnavailable('the process ended', { outcomeUnknown: true });
        },
      };
      const { service: dead } = await nodeOn({ ...stores, events: dying }, { cardTestingLimits: false });
      await pay(service, account);
      world.advance(HOUR);
      expect(await dead.work.makeCheckpoint(HOUR, 'test', nowhere).catch(() => 'crashed')).to.equal('crashed');
      expect(await service.work.makeCheckpoint(HOUR, 'test', nowhere)).to.equal(!isWritten);
      expect((await verified()).found).to.deep.include({ held: 1, failed: 0 });
    });

  it('continue in a copy of the log, where positions are others', async () => {
    await anotherHour();
    const spaced = (position: bigint): bigint => position * 7n + 3n;
    const copy: EventStore = {
      ...bound(stores.events),
      head: async () => spaced(await stores.events.head()),
      async *read(...of) {
        for await (const stored of stores.events.read(...of)) yield { ...stored, position: spaced(stored.position) };
      },
      async *follow(after, ...of) {
        if (after >= 0n && (after - 3n) % 7n !== 0n) expect.fail(`no event is at ${after}`);
        for await (const batch of stores.events.follow(after < 0n ? after : (after - 3n) / 7n, ...of))
          yield {
            ...batch,
            position: spaced(batch.position),
            events: batch.events.map((stored) => ({ ...stored, position: spaced(stored.position) })),
          };
      },
    };
    const { service: there } = await nodeOn(
      { ...stores, events: copy, readModels: memoryReadModels() },
      { cardTestingLimits: false },
    );
    expect(await anotherHour(there)).to.equal(true);
    expect((await verified(copy)).found).to.deep.include({ held: 2, failed: 0 });
  });

  it('are not continued from one that was forged, has other subtrees, or ends at an event that is gone', async () => {
    await anotherHour();
    await anotherHour();
    const honest = await newest();
    const signer = { secrets: stores.secrets, world };
    const next = (from: CheckpointMade, secrets = stores.secrets): Promise<unknown> =>
      nextCheckpoint(stores.events, from, { ...signer, secrets }, nowhere).then(
        () => 'created',
        (fault: Error) => fault.message,
      );
    expect(await next(honest)).to.equal('created');
    const other = { ...honest, root: honest.root.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
    expect(await next(other)).to.contain('its subtrees do not have its root');
    expect(await next({ ...honest, edge: honest.edge.slice(1) })).to.contain('its subtrees do not have its root');
    expect(await next({ ...honest, treeSize: honest.treeSize + 1 })).to.contain('cannot be continued');
    expect(await next({ ...honest, madeAt: '2020-01-01T00:00:00.000Z' })).to.contain('no known key');
    expect(await next({ ...honest, last: { stream: 'payment-gone', revision: 3 } })).to.contain(
      'its last event, payment-gone@3, is not in the log',
    );
    const rotated = new Secrets([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    expect(await next(honest, rotated)).to.equal('created');
    expect(await next(honest, new Secrets([Buffer.alloc(32, 8)]))).to.contain('no known key');
  });

  it('do not hold if their key is not known, or did not sign them', async () => {
    await anotherHour();
    const { own, walked } = await verified();
    const [made] = own;
    if (made === undefined) return expect.fail();
    expect(heldAgainst(own, walked, [])).to.deep.equal({
      held: 0,
      failed: 1,
      ofOtherKeys: 1,
      firstFailed: { checkpoint: made, fault: `it is signed by a key that is not known, ${made.publicKey}` },
    });
    const keys = publicKeysOf(stores.secrets);
    expect(heldAgainst([{ ...made, madeAt: '2020-01-01T00:00:00.000Z' }], walked, keys)).to.deep.include({
      failed: 1,
      ofOtherKeys: 0,
    });
    return expect(receiptOf(await newest())).to.deep.equal(made);
  });

  it('come from the policy, and none without the setting', async () => {
    const parts = { readModels: service.readModels, isBuilt: () => false, isWorkElsewhere: () => false };
    const over = new AbortController();
    const alarm = new Alarm();
    await makeCheckpoints({ ...service.work, checkpointEveryMs: undefined }, { ...parts, alarm }, over.signal);
    const work = makeCheckpoints({ ...service.work, checkpointEveryMs: HOUR }, { ...parts, alarm }, over.signal);
    for (let hour = 1; hour <= 2; hour += 1) {
      await pay(service, account);
      world.advance(HOUR);
      alarm.ring();
      await until(async () => (await recorded()).length === hour);
    }
    over.abort();
    await work;
  });
});

/** The methods of a store, which may be those of a class. */
const bound = (events: EventStore): EventStore => ({
  append: (...of) => events.append(...of),
  read: (...of) => events.read(...of),
  follow: (...of) => events.follow(...of),
  head: () => events.head(),
  close: () => events.close(),
});

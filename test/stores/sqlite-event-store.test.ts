// The embedded event store: the contract of every event store, and the cases that only a file and several processes can
// show.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore } from '../../src/stores/event-store.ts';
import { digitsIn, STREAM_NAMED } from '../../src/stores/sqlite/event-schema.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { type Database, openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { newId } from '../../src/world.ts';
import { eventStoreContract } from '../contract/event-store.suite.ts';
import { followUntil } from '../contract/event-store-follow.suite.ts';
import { appended, eventOf, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';

const open = (file: string): Promise<EventStore> =>
  openSqliteEventStore({
    file,
    world: calmWorld,
    report: (fault) => {
      throw fault;
    },
  });

/** As the first version made it. */
const FIRST_SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, category TEXT NOT NULL) STRICT;
  CREATE TABLE events (position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL,
    type TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  PRAGMA application_id = 0x43466576;
  PRAGMA user_version = 1;
`;

/** How SQLite finds a stream by its name. */
const plansIn = (database: Database): string =>
  JSON.stringify(
    database.prepare(`EXPLAIN QUERY PLAN SELECT id FROM streams WHERE ${STREAM_NAMED}`).all('payment-pay_1'),
  );

const temporary = (): Promise<string> => mkdtemp(join(tmpdir(), 'counterfoil-events-'));

const childOf = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, nodeArguments(scriptBeside('./event-child', import.meta.url), ...args), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });

eventStoreContract('the sqlite event store', async () => {
  const directory = await temporary();
  const file = join(directory, 'not', 'there', 'yet', 'events.db');
  const store = await open(file);
  const others: EventStore[] = [];
  return {
    store,
    another: async () => {
      const other = await open(file);
      others.push(other);
      return other;
    },
    appendElsewhere: async (stream, count) => {
      const child = childOf('append', file, String(count), stream);
      child.stdout?.resume();
      const [code] = await once(child, 'exit');
      expect(code).to.equal(0);
    },
    dispose: async () => {
      for (const opened of [store, ...others]) await opened.close();
      await rm(directory, { recursive: true });
    },
  };
});

describe('the sqlite event store', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await temporary();
    file = join(directory, 'events.db');
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is empty at first, with a head of -1, and has everything again when it is reopened', async () => {
    const store = await open(file);
    expect(await store.head()).to.equal(-1n);
    const stream = streamOf();
    const stored = await appended(store, stream, -1, eventsOf(3));
    await store.close();
    const again = await open(file);
    expect(await eventsIn(again, stream)).to.deep.equal(stored);
    expect(await again.append(stream, -1, eventsOf(1))).to.equal('conflict');
    const [next] = await appended(again, stream, 2, eventsOf(1));
    expect(next?.position).to.equal(3n);
    expect(await again.head()).to.equal(3n);
    await again.close();
  });

  it('opens a log of the first schema, and finds its streams along the index that this has', async () => {
    const old = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    old.exec(FIRST_SCHEMA);
    const { id, type, data, metadata } = eventOf();
    old.prepare("INSERT INTO streams VALUES (1, 'payment-pay_old', 'payment')").run();
    old.prepare('INSERT INTO events VALUES (0, 1, 0, ?, ?, ?, ?)').run(id, type, data, metadata);
    const store = await open(file);
    await appended(store, 'payment-pay_old', 0, eventsOf(1));
    await appended(store, 'payment-pay_new', -1, eventsOf(1));
    expect(await store.append('payment-pay_old', -1, eventsOf(1))).to.equal('conflict');
    await store.close();
    const again = await open(file);
    expect((await eventsIn(again, 'payment-pay_old')).map(({ position }) => position)).to.deep.equal([0n, 1n]);
    expect((await eventsIn(again, 'payment-pay_new')).map(({ position }) => position)).to.deep.equal([2n]);
    await again.close();
    expect(plansIn(old)).to.contain('sqlite_autoindex_streams_1').and.not.to.contain('SCAN');
    old.close();
  });

  it('finds a stream by the digits of its name, and takes none for another that has the same', async () => {
    const store = await open(file);
    const streams = [
      'payment-pay_0123456789abcdef',
      'webhookQueue-we_1.pay_0123456789abcdef',
      'store-0',
      'account-0',
      'payment-',
    ];
    for (const stream of streams) await appended(store, stream, -1, eventsOf(1));
    for (const stream of streams) await appended(store, stream, 0, eventsOf(1));
    await store.close();
    const again = await open(file);
    for (const stream of streams) expect(await again.append(stream, -1, eventsOf(1)), stream).to.equal('conflict');
    for (const stream of streams)
      expect((await eventsIn(again, stream)).map((event) => event.stream)).to.deep.equal([stream, stream]);
    await again.close();
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    expect(plansIn(database)).to.contain('streams_by_digits').and.not.to.contain('SCAN');
    database.close();
  });

  it('tells the queues of a payment at a hundred endpoints apart by their digits alone', async () => {
    const store = await open(file);
    const paymentId = newId(calmWorld, 'pay');
    const endpoints = Array.from({ length: 100 }, () => newId(calmWorld, 'we'));
    for (const endpointId of endpoints)
      await appended(store, `webhookQueue-${endpointId}.${paymentId}`, -1, eventsOf(1));
    await appended(store, `payment-${paymentId}`, -1, eventsOf(1));
    await store.close();
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    const alike = database.prepare(
      `SELECT count(*) AS streams FROM streams GROUP BY ${digitsIn('name')} HAVING streams > 1`,
    );
    expect(alike.all()).to.deep.equal([]);
    database.close();
  });

  it('can be closed while appends are under way: each is answered, and every acknowledged event is there', async () => {
    const store = await open(file);
    const streams = Array.from({ length: 20 }, () => streamOf());
    const appends = streams.map((stream) => appended(store, stream, -1, eventsOf(1)));
    await store.close();
    await Promise.all(appends);
    const again = await open(file);
    expect(await again.head()).to.equal(19n);
    await again.close();
  });

  it('is opened by several at once when there is no file yet', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(file)));
    await Promise.all(stores.map((store) => appended(store, streamOf(), -1, eventsOf(1))));
    expect(await stores[0]?.head()).to.equal(5n);
    for (const store of stores) await store.close();
  });

  it('lets a follower know of events of its own process and of other stores on the file', async () => {
    const [store, other] = [await open(file), await open(file)];
    const streams = [streamOf(), streamOf(), streamOf()];
    const following = followUntil(store, -1n, [], (_, events) => events.length === 3);
    await appended(store, streams[0] ?? '', -1, eventsOf(1));
    await appended(other, streams[1] ?? '', -1, eventsOf(1));
    await appended(store, streams[2] ?? '', -1, eventsOf(1));
    const { events } = await following;
    expect(events.map(({ stream }) => stream)).to.deep.equal(streams);
    await store.close();
    await other.close();
  });

  it('does not call a follower caught up with this process’s events when another has appended after them', async () => {
    const store = await open(file);
    const beside = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 1_000, cacheKiB: 64 });
    // After the append is durable and before the follower has its turn: synchronous, as no other process could be
    // timed.
    const again = beside.prepare(
      `INSERT INTO events SELECT max(position) + 1, stream, revision + 1, 'other', type, data, metadata FROM events`,
    );
    await appended(store, streamOf(), -1, eventsOf(1));
    let appending: Promise<unknown> | undefined;
    const { batches } = await followUntil(store, -1n, [], ({ caughtUp }, events) => {
      if (caughtUp) appending ??= store.append(streamOf(), -1, eventsOf(1)).then(() => again.run());
      return events.length === 3;
    });
    await appending;
    beside.close();
    await store.close();
    expect(batches.map(({ position, caughtUp }) => [position, caughtUp])).to.deep.equal([
      [0n, true],
      [1n, false],
      [2n, true],
    ]);
  });

  it('refuses a log of a newer schema, another database, and a file that is none, in words that say so', async () => {
    await (await open(file)).close();
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    database.exec('PRAGMA user_version = 3');
    database.close();
    expect(await faultOf(open(file))).to.include({ code: 'StoreTooNew' });

    const other = join(directory, 'other.db');
    const notOurs = await openDatabase({ file: other, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    notOurs.exec('CREATE TABLE things (id INTEGER)');
    notOurs.close();
    expect(await faultOf(open(other))).to.include({ code: 'NotAnEventStore' });

    const text = join(directory, 'text.db');
    await writeFile(text, 'this is not a database, and longer than a header of one hundred bytes '.repeat(9));
    expect(await faultOf(open(text))).to.be.instanceOf(StoreUnavailable);
  });

  it('keeps every acknowledged event of a process that is killed with -9, round after round', async () => {
    for (const acknowledgements of [1, 40, 300, 1_000, 2_500]) {
      const streams = Array.from({ length: 16 }, () => streamOf());
      const child = childOf('append', file, '100000', ...streams);
      const acknowledged: string[] = [];
      const lines = createInterface({ input: child.stdout ?? process.stdin });
      lines.on('line', (line) => {
        acknowledged.push(line);
        if (acknowledged.length === acknowledgements) child.kill('SIGKILL');
      });
      const [[, signal]] = await Promise.all([once(child, 'exit'), once(lines, 'close')]);
      expect(signal, 'it ended before it was killed').to.equal('SIGKILL');
      const store = await open(file);
      const found = new Set<string>();
      for (const stream of streams) {
        const events = await eventsIn(store, stream);
        expect(events.map(({ revision }) => revision)).to.deep.equal(events.map((_, n) => n));
        for (const { revision, id } of events) found.add(`${stream} ${revision} ${id}`);
      }
      expect(acknowledged.filter((line) => !found.has(line))).to.deep.equal([]);
      expect(acknowledged.length).to.be.at.least(acknowledgements);
      const { events } = await followUntil(store, -1n, [], (batch) => batch.caughtUp);
      expect(events.every(({ position }, n) => position === BigInt(n))).to.equal(true);
      await store.close();
    }
  });

  it('is unavailable when its file was deleted, to a check as to an append', async () => {
    const store = await open(file);
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1));
    await rm(file);
    const faults = [await faultOf(store.head()), await faultOf(store.append(stream, 0, eventsOf(1)))];
    await store.close();
    for (const fault of faults) expect(fault).to.be.instanceOf(StoreUnavailable);
  });

  it('says that it is unavailable, with nothing written, while a stopped process holds the lock, and reads on meanwhile', async () => {
    const store = await open(file);
    const stream = streamOf();
    await appended(store, stream, -1, eventsOf(1));
    const head = await store.head();
    const child = childOf('lock', file);
    await once(createInterface({ input: child.stdout ?? process.stdin }), 'line');
    child.kill('SIGSTOP');
    const event = eventOf();
    let waiting = true;
    const refused = faultOf(store.append(stream, 0, [event])).finally(() => {
      waiting = false;
    });
    let reads = 0;
    for (; waiting; reads += 1) {
      expect(await eventsIn(store, stream)).to.have.length(1);
      await nextTurn();
    }
    const fault = await refused;
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.include({ outcomeUnknown: false });
    expect(reads).to.be.greaterThan(100);
    // a check of the store sees what callers meet, and sees that it is over when nobody appends
    expect(await faultOf(store.head())).to.be.instanceOf(StoreUnavailable);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await store.head()).to.equal(head);
    expect(await appended(store, stream, 0, [event])).to.have.length(1);
    await store.close();
  });
});

// The cost of the chain check: of one event to a PATCH, and to a cold fold; and a command and a replayed answer on a
// stream of 10,000 events whose fold is not cached.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clientSession } from '../src/domain/client-session/state.ts';
import { anchorAt, type Link, linkOf } from '../src/journal/chain.ts';
import { beforeFirst, type Head, headOf, seal, unsealEvent } from '../src/journal/envelope.ts';
import { foldSnapshotsOf, SNAPSHOT_EVERY } from '../src/journal/fold-snapshots.ts';
import { Streams } from '../src/journal/streams.ts';
import { transact } from '../src/journal/transact.ts';
import { clientSessions } from '../src/projections/models/client-sessions.ts';
import { StoreKey } from '../src/secrets.ts';
import type { EventStore, StoredEvent } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../src/world.ts';
import { type Bench, type Row, rowOf } from './row.ts';
import { madeIn, served } from './support/data-directory.ts';
import { measured, sessionPatches } from './support/patches.ts';
import { end, LOAD_CORE, pinned } from './support/pinned.ts';
import { rounds } from './support/rounds.ts';
import { temporary } from './support/temporary.ts';

const EVENTS = 10_000;
const ROUNDS = 7;
const CONNECTIONS = 64;
const PATCH_MS = 4_000;
const PATCH_ROUNDS = 3;
/** The newest events of a log of PATCHes, each of them verified so many times. */
const VERIFIED = 1_000;
const TIMES = 200;
const WANTED_MS = 50;
const ID = 'cs_long';
const STREAM = `clientSession-${ID}`;
const context = {
  accountId: 'acc_1',
  actor: { kind: 'apiKey' as const, id: 'key_1' },
  at: 1,
  correlationId: 'req_1',
  operationId: 'op_1',
};

export const bench: Bench = async () => {
  const directory = await temporary();
  const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault) };
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  const readModels = await openSqliteReadModels({ ...parts, file: join(directory, 'read-models.db') });
  const snapshots = foldSnapshotsOf(
    { ...parts, readModels, storeKey: new StoreKey(Buffer.alloc(32, 1)) },
    clientSessions.version,
  );
  const coldNode = () => new Streams(clientSession, { ...parts, events, snapshots }, async () => undefined);
  try {
    await writeSession(events);
    await coldNode().load(ID); // makes the snapshots
    await liveWorld.sleep(500, new AbortController().signal);
    const change = () => ({
      kind: 'accepted' as const,
      events: [{ type: 'ClientSessionUpdated' as const, data: { set: { amount: 1 }, cleared: [] } }],
    });
    const [bare, checked, command, replay]: readonly number[][] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare?.push(await took(() => fold(events, (_, stored) => ({ revision: stored.revision, hash: '' }))));
      checked?.push(await took(() => fold(events, linkOf)));
      command?.push(await took(async () => void (await transact(coldNode(), ID, context, change))));
      replay?.push(await took(async () => void (await coldNode().at(ID, EVENTS / 2 + SNAPSHOT_EVERY / 2))));
    }
    return [
      await shareOfPatch(directory),
      rowOf(
        'a cold fold with its chain checked, against one without',
        EVENTS / best(checked),
        EVENTS / best(bare),
        0.6,
        'events/ms',
      ),
      rowOf(`a command on a cold session of ${EVENTS} events`, best(command), WANTED_MS, { atMost: 1 }, 'ms'),
      rowOf('the state in the middle of it, for an answer given again', best(replay), WANTED_MS, { atMost: 1 }, 'ms'),
    ];
  } finally {
    await readModels.close();
    await events.close();
    await rm(directory, { recursive: true });
  }
};

/**
 * A reader verifies each event that it reads once, with one hash. A PATCH of a cached session reads no event, and a
 * PATCH of an uncached one those of its stream; so this is the share for each event that is read. Both figures are CPU
 * time, on this machine in this run.
 */
async function shareOfPatch(directory: string): Promise<Row> {
  const made = await madeIn(directory, 'patched');
  const { child, url } = await served(made.dataDir);
  const load = { ...(await sessionPatches(url, made.key, CONNECTIONS)), ms: PATCH_MS };
  const one = () => measured(directory, load, (args) => pinned(LOAD_CORE, args));
  await one();
  const patched = rounds(child, PATCH_MS);
  for (let round = 0; round < PATCH_ROUNDS; round += 1) await patched.one(one);
  await end(child);
  const events = await openSqliteEventStore({
    file: join(made.dataDir, 'events.db'),
    world: liveWorld,
    report: console.error,
  });
  const streams = streamsIn((await events.newest?.(undefined, VERIFIED)) ?? []);
  await events.close();
  verify(streams); // compiles
  const before = process.cpuUsage();
  const verified = verify(streams);
  const { user, system } = process.cpuUsage(before);
  const what = `verifying one event on read, against a PATCH from ${CONNECTIONS} connections`;
  return rowOf(what, (user + system) / verified, patched.cpuMicros(), { atMost: 0.05 }, 'µs of CPU');
}

/** Each stream's events, oldest first. */
function streamsIn(newestFirst: readonly StoredEvent[]): readonly (readonly StoredEvent[])[] {
  const streams = new Map<string, StoredEvent[]>();
  for (const stored of newestFirst.toReversed())
    streams.set(stored.stream, [...(streams.get(stored.stream) ?? []), stored]);
  return [...streams.values()];
}

/** Answers how many events were verified. */
function verify(streams: readonly (readonly StoredEvent[])[]): number {
  let verified = 0;
  for (let time = 0; time < TIMES; time += 1)
    for (const [first, ...rest] of streams) {
      if (first === undefined) continue;
      let link = anchorAt(first.revision, first);
      for (const stored of rest) link = linkOf(link, stored);
      verified += rest.length + 1;
    }
  return verified;
}

const best = (times: readonly number[] = []): number => Math.min(...times);

async function took(work: () => Promise<void>): Promise<number> {
  const startedAt = liveWorld.monotonic();
  await work();
  return liveWorld.monotonic() - startedAt;
}

/** Folds as `Streams` does: parses each event, evolves the state, and keeps each event's hash. */
async function fold(events: EventStore, follow: typeof linkOf): Promise<void> {
  let state = clientSession.initial;
  let link: Link = beforeFirst;
  for await (const stored of events.read(STREAM, -1)) {
    link = follow(link, stored);
    const { event, recorded } = unsealEvent(clientSession.category, stored);
    state = clientSession.evolve(state, event, recorded);
  }
}

async function writeSession(events: EventStore): Promise<void> {
  const created = {
    type: 'ClientSessionCreated' as const,
    data: {
      accountId: 'acc_1',
      createdAt: 1,
      tokenExpiresAt: 2,
      sessionExpiresAt: 3,
      fields: { orderId: 'order', currencyCode: 'EUR' },
    },
  };
  let head: Head = beforeFirst;
  for (let made = 0; made < EVENTS; made += 100) {
    const changes = Array.from({ length: 100 }, (_, n) => ({
      type: 'ClientSessionUpdated' as const,
      data: { set: { amount: made + n, metadata: { basket: made + n, note: 'x'.repeat(120) } }, cleared: [] },
    }));
    const wanted = made === 0 ? [created, ...changes.slice(1)] : changes;
    const sealed = seal(clientSession.category, wanted, context, head, liveWorld);
    await events.append(
      STREAM,
      head.revision,
      sealed.map(({ stored }) => stored),
    );
    head = headOf(sealed, head);
  }
}

// The cost of the chain check to a cold fold; and a command and a replayed answer on a stream of 10,000 events whose fold is not cached.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientSession } from '../src/domain/client-session/state.ts';
import { type Link, linkOf } from '../src/journal/chain.ts';
import { beforeFirst, type Head, headOf, seal, unsealEvent } from '../src/journal/envelope.ts';
import { foldSnapshotsOf, SNAPSHOT_EVERY } from '../src/journal/fold-snapshots.ts';
import { Streams } from '../src/journal/streams.ts';
import { transact } from '../src/journal/transact.ts';
import { clientSessions } from '../src/projections/models/client-sessions.ts';
import { StoreKey } from '../src/secrets.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../src/world.ts';
import { type Bench, rowOf } from './row.ts';

const EVENTS = 10_000;
const ROUNDS = 7;
const WANTED_MS = 50;
const ID = 'cs_long';
const STREAM = `clientSession-${ID}`;
const context = { accountId: 'acc_1', actor: { kind: 'apiKey' as const, id: 'key_1' }, at: 1, correlationId: 'req_1', operationId: 'op_1' };

export const bench: Bench = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-bench-'));
  const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault) };
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  const readModels = await openSqliteReadModels({ ...parts, file: join(directory, 'read-models.db') });
  const snapshots = foldSnapshotsOf({ ...parts, readModels, storeKey: new StoreKey(Buffer.alloc(32, 1)) }, clientSessions.version);
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
      rowOf('a cold fold with its chain checked, against one without', EVENTS / best(checked), EVENTS / best(bare), 0.6, 'events/ms'),
      rowOf(`a command on a cold session of ${EVENTS} events`, best(command), WANTED_MS, { atMost: 1 }, 'ms'),
      rowOf('the state in the middle of it, for an answer given again', best(replay), WANTED_MS, { atMost: 1 }, 'ms'),
    ];
  } finally {
    await readModels.close();
    await events.close();
    await rm(directory, { recursive: true });
  }
};

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
    data: { accountId: 'acc_1', createdAt: 1, tokenExpiresAt: 2, sessionExpiresAt: 3, fields: { orderId: 'order', currencyCode: 'EUR' } },
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

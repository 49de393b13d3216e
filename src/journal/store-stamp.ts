// The first event of a store: the mode for which it was created, and its own key, wrapped by the master secret.
import { AppError } from '../app-error.ts';
import { accept } from '../domain/decider.ts';
import { type StoreEvent, type StoreRecord, store } from '../domain/store.ts';
import { type Secrets, StoreKey } from '../secrets.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';
import { newId, type World } from '../world.ts';
import { readUntilBreak } from './chain.ts';
import type { Context } from './context.ts';
import { actsIn, recordDestruction, tombstonesOf } from './destroyed-keys.ts';
import { unsealEvent } from './envelope.ts';
import { checkEventSchema, EVENT_SCHEMA } from './event-schema.ts';
import { type PersonalKeys, WrongKeyStore } from './personal-keys.ts';
import { olderKeysOf } from './signing-keys.ts';
import { Streams } from './streams.ts';
import { transact } from './transact.ts';

/** The id of the one stream that a store has of itself. */
export const STORE_ID = '0';

/**
 * The record as the stream has it before its break: a store's mode and key have to be known even where the rest is
 * broken.
 */
export async function recordBeforeBreak(events: Pick<EventStore, 'read'>): Promise<StoreRecord> {
  let record = store.initial;
  await readUntilBreak(events, streamOf(store.category.name, STORE_ID), (stored) => {
    const { event, recorded } = unsealEvent(store.category, stored);
    record = store.evolve(record, event, recorded);
    return true;
  });
  return record;
}

const stampsIn = (events: EventStore, world: World): Streams<StoreRecord, StoreEvent> =>
  new Streams<StoreRecord, StoreEvent>(store, { events, world, report: () => undefined }, async () => undefined);

function startContext(world: World): Context {
  const id = newId(world, 'run');
  return {
    accountId: '',
    actor: { kind: 'operator', id: 'start' },
    at: world.now(),
    correlationId: id,
    operationId: id,
  };
}

/**
 * Checks that the key store belongs to the log, and has a log that knows none name it. A log that names no destroyed
 * keys yet gets the names of those that are there. From then on the keys refuse what the log says that they have not.
 * Throws WrongKeyStore, StoreUnavailable. A broken stamp is checked as it was before its break, and names nothing.
 */
export async function checkKeyStore(events: EventStore, world: World, keys: PersonalKeys | undefined): Promise<void> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent') return;
  if (keys === undefined && record.keyStore === undefined) return;
  if (record.bindsKeys === true) keys?.refuseUnbound();
  const keyStore = await keys?.keyStoreName(record.keyStore !== undefined);
  if (keys === undefined || keyStore === undefined || (record.keyStore ?? keyStore) !== keyStore)
    throw new WrongKeyStore();
  if (record.namesErasures === true) return;
  const { unrecorded } = await tombstonesOf(events, keys.kept, new AbortController().signal);
  await recordDestruction(actsIn(events, world), world, startContext(world), unrecorded, 'earlier');
  const bindsKeys = record.keyStore === undefined && (await keys.areNew());
  if (bindsKeys) keys.refuseUnbound();
  await nameKeyStore(events, world, { keyStore, namesErasures: true, bindsKeys });
}

/** Puts on record that every key of the store is bound to its id. Throws StoreUnavailable. */
export async function recordBoundKeys(events: EventStore, world: World): Promise<void> {
  const record = await recordBeforeBreak(events);
  if (record.status === 'absent' || record.keyStore === undefined) return;
  await nameKeyStore(events, world, { keyStore: record.keyStore, namesErasures: true, bindsKeys: true });
}

/** What the record has already is not put on it again, and a promise of an earlier event stays. */
async function nameKeyStore(
  events: EventStore,
  world: World,
  named: Extract<StoreEvent, { readonly type: 'KeyStoreNamed' }>['data'],
): Promise<void> {
  await transact(stampsIn(events, world), STORE_ID, startContext(world), (current) => {
    if (current.status === 'absent') return accept<StoreEvent>();
    const { namesErasures = false, bindsKeys = false } = current;
    const data = {
      keyStore: current.keyStore ?? named.keyStore,
      namesErasures: namesErasures || named.namesErasures,
      bindsKeys: bindsKeys || named.bindsKeys,
    };
    return data.namesErasures === namesErasures && data.bindsKeys === bindsKeys
      ? accept<StoreEvent>()
      : accept<StoreEvent>({ type: 'KeyStoreNamed', data });
  }).catch((fault: unknown) => {
    if (!(fault instanceof BrokenStream)) throw fault; // openStoreStamp has reported it
  });
}

/**
 * Opens the stamp, and creates it in an empty store. Throws OtherEventSchema; AppError WrongMode if the store was
 * created for the other mode, WrongSecret if no master secret unwraps its key. A key that an older master wraps is
 * wrapped again by the first (rotation). A stamp that is broken after its first event is reported to `onBroken` and
 * opened as it was before the break; a stamp without its first event throws BrokenStream.
 */
export async function openStoreStamp(
  events: EventStore,
  world: World,
  secrets: Secrets,
  mode: 'test' | 'live',
  onBroken: (broken: BrokenStream) => void = () => undefined,
): Promise<StoreKey> {
  const stamps = stampsIn(events, world);
  const context = (): Context => startContext(world);
  const fresh = Buffer.from(world.randomBytes(32));
  const wrapped = secrets.wrap(fresh, world);
  let isBroken = false;
  const make = async (): Promise<StoreRecord> => {
    const made = await transact(stamps, STORE_ID, context(), (record) =>
      record.status === 'absent'
        ? accept<StoreEvent>({
            type: 'StoreCreated',
            data: { mode, wrappedStoreKey: wrapped, createdAt: world.now(), eventSchema: EVENT_SCHEMA },
          })
        : accept<StoreEvent>(),
    );
    if (made.kind === 'rejected') throw new AppError('StoreBusy', made.description);
    return made.folded.state;
  };
  const record = await make().catch(async (fault: unknown) => {
    const before = fault instanceof BrokenStream ? await recordBeforeBreak(events) : store.initial;
    if (!(fault instanceof BrokenStream) || before.status === 'absent') throw fault;
    isBroken = true;
    onBroken(fault);
    return before;
  });
  if (record.status === 'absent') throw new TypeError('a store that was just stamped has no stamp');
  checkEventSchema(record);
  if (record.mode !== mode) {
    throw new AppError(
      'WrongMode',
      `The event store was created in ${record.mode} mode, but this service runs in ${mode} mode (COUNTERFOIL_MODE).`,
    );
  }
  const opened = secrets.unwrap(record.wrappedStoreKey);
  if (opened === undefined) {
    throw new AppError(
      'WrongSecret',
      'No secret in COUNTERFOIL_SECRET opens this store. Set the secret with which it was created (several: comma-separated).',
    );
  }
  if (!opened.byFirst && !isBroken) {
    const data = { wrappedStoreKey: secrets.wrap(opened.storeKey, world), olderKeys: olderKeysOf(secrets, record) };
    await transact(stamps, STORE_ID, context(), (current) =>
      current.status !== 'absent' && current.wrappedStoreKey === record.wrappedStoreKey
        ? accept<StoreEvent>({ type: 'StoreKeyRewrapped', data })
        : accept<StoreEvent>(),
    );
  }
  return new StoreKey(opened.storeKey);
}

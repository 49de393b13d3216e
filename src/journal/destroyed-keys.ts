// The names of destroyed keys: on record in the log before a key is destroyed, and compared with the key store's
// tombstones.
import { type Act, type ActEvent, act, actCategory, requestAct } from '../domain/act.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { KeyStore } from '../stores/key-store.ts';
import { newId, type World } from '../world.ts';
import type { Context } from './context.ts';
import { unsealEvent } from './envelope.ts';
import { readLog } from './read-log.ts';
import { Streams } from './streams.ts';
import { transact } from './transact.ts';

type DestructionRequest = Extract<ActEvent, { readonly type: 'KeyDestructionRequested' }>;

/** Names in one event. */
const NAMES_AN_EVENT = 500;

/** Streams of acts in a log that no service has open. */
export const actsIn = (
  events: EventStore,
  world: World,
  report: (fault: unknown) => void = () => undefined,
): Streams<Act, ActEvent> => new Streams<Act, ActEvent>(act, { events, world, report }, async () => undefined);

/** Resolves when the names of the keys are durable: then they may be destroyed. Throws StoreUnavailable. */
export async function recordDestruction(
  acts: Streams<Act, ActEvent>,
  world: World,
  context: Context,
  keyIds: readonly string[],
  because: DestructionRequest['data']['because'],
): Promise<void> {
  for (let at = 0; at < keyIds.length; at += NAMES_AN_EVENT) {
    const data = { keyIds: keyIds.slice(at, at + NAMES_AN_EVENT), because };
    await transact(acts, newId(world, 'act'), context, requestAct({ type: 'KeyDestructionRequested', data }), {
      start: 'empty',
    });
  }
}

/** The destroyed keys of a key store, by what the log says of them. */
export interface Tombstones {
  /** Destroyed by an erasure whose event names the key. */
  readonly recorded: number;
  /** Found when a version that records names first opened the store. */
  readonly earlier: number;
  /** Ids of keys that no event names. */
  readonly unrecorded: readonly string[];
}

/**
 * Compares the tombstones of a key store with the log. Tombstones are read first, because a key is destroyed only after
 * its name is in the log. Throws StoreUnavailable, and the signal's reason.
 */
export async function tombstonesOf(
  events: Pick<EventStore, 'follow'>,
  keys: Pick<KeyStore, 'list'>,
  signal: AbortSignal,
): Promise<Tombstones> {
  const left = new Set<string>();
  for await (const { id, wrapped } of keysIn(keys)) if (wrapped === undefined) left.add(id);
  let [recorded, earlier] = [0, 0];
  if (left.size > 0)
    for await (const { keyIds, because } of destructionsIn(events, signal)) {
      const found = keyIds.filter((id) => left.delete(id)).length;
      if (because === 'earlier') earlier += found;
      else recorded += found;
    }
  return { recorded, earlier, unrecorded: [...left] };
}

/** Every key of a store by id, tombstones included. Throws StoreUnavailable. */
export async function* keysIn(store: Pick<KeyStore, 'list'>) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<KeyStore['list']>> = await store.list(after, KEYS_A_PAGE);
    yield* page;
    after = page.at(KEYS_A_PAGE - 1)?.id;
  }
}

const KEYS_A_PAGE = 500;

/** An event that cannot be read names nothing; a check of the chains reports it. */
async function* destructionsIn(events: Pick<EventStore, 'follow'>, signal: AbortSignal) {
  for await (const batch of readLog(events, { after: -1n, to: 'end', categories: [actCategory.name] }, signal))
    for (const stored of batch.events) {
      if (stored.type !== 'KeyDestructionRequested') continue;
      try {
        const { event } = unsealEvent(actCategory, stored);
        if (event.type === 'KeyDestructionRequested') yield event.data;
      } catch (fault) {
        if (!(fault instanceof BrokenStream)) throw fault;
      }
    }
}

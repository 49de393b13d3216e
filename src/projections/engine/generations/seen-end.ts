// The furthest end of the log that the stores beside it have seen: a log that ends before has lost events. Nothing may
// be appended to it then, because positions that were taken would be taken again.
import { AppError } from '../../../app-error.ts';
import { foldSnapshots } from '../../../journal/fold-snapshots.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { KeyStore, SeenEnd } from '../../../stores/key-store.ts';
import type { Collection, ReadModelStore, StoredText } from '../../../stores/read-models.ts';
import { catalogEntries } from './catalog-entry.ts';
import { checkpoints, nameOf } from './checkpoints.ts';
import { copyId } from './copy.ts';

export interface SeenEndParts {
  readonly events: EventStore;
  /** Left out by a command that opens no read models. */
  readonly store?: ReadModelStore | undefined;
  readonly keys?: KeyStore | undefined;
}

/** An end of the log that something has seen. */
interface Witness {
  readonly position: bigint;
  /** Undefined in a checkpoint of an older version. */
  readonly log: string | undefined;
  /** For people, with its verb. */
  readonly words: string;
}

/** The log ends before what has been seen of it; `end` is -1n for a log in which no store was created. */
export interface LostEnd {
  readonly end: bigint;
  readonly seen: bigint;
  readonly words: string;
}

/** Beside the checkpoints of generations, for commands, which follow nothing. */
const OWN_ID = 'log';
const ENTRIES = 1_000;
const TOGETHER = 1_000;

/** Undefined while the log has everything. Of another log nothing is compared. Rejects with StoreUnavailable. */
export async function lostEnd({ events, store, keys }: SeenEndParts): Promise<LostEnd | undefined> {
  const inReadModels = store === undefined ? [] : await witnessesIn(store);
  const inKeys = await keys?.seenEnd();
  const witnesses = [
    ...inReadModels,
    ...(inKeys === undefined ? [] : [{ ...inKeys, words: 'the key store has' } as const]),
  ];
  if (witnesses.length === 0) return undefined;
  const log = await nameOf(events);
  const end = await events.head(); // read last: others append meanwhile
  const [furthest] = witnesses
    .filter((one) => log === undefined || one.log === undefined || one.log === log)
    .toSorted((a, b) => Number(b.position - a.position));
  if (furthest === undefined || (log !== undefined && furthest.position <= end)) return undefined;
  return { end: log === undefined ? -1n : end, seen: furthest.position, words: furthest.words };
}

async function witnessesIn(store: ReadModelStore): Promise<readonly Witness[]> {
  const entries = await store.find(catalogEntries, { where: {}, limit: ENTRIES });
  const copies = new Map(
    entries.flatMap(({ id: name, doc }) =>
      doc.generations.map(({ generation }) => [copyId({ name, generation }), `the read model ${name} has`] as const),
    ),
  );
  const rows = await store.get(checkpoints, [OWN_ID, ...copies.keys()]);
  return rows.map(({ id, doc }) => ({
    position: BigInt(doc.position),
    log: doc.log,
    words: copies.get(id) ?? 'the read models have',
  }));
}

/**
 * Notes the end of the log in the read models and in the key store. A nearer one than they have is noted only of
 * another log, and with `isLower`. Rejects with StoreUnavailable.
 */
export async function noteEnd({ events, store, keys }: SeenEndParts, { isLower = false } = {}): Promise<void> {
  const log = await nameOf(events);
  if (log === undefined) return;
  await noteIn({ store, keys }, { log, position: await events.head() }, isLower);
}

async function noteIn(
  { store, keys }: Pick<SeenEndParts, 'store' | 'keys'>,
  { log, position }: SeenEnd,
  isLower: boolean,
): Promise<void> {
  const isNews = (known: { readonly log?: string; readonly position: bigint } | undefined): boolean =>
    known === undefined || known.log !== log || (isLower ? position !== known.position : position > known.position);
  const [row] = (await store?.get(checkpoints, [OWN_ID])) ?? [];
  if (store !== undefined && isNews(row && { ...row.doc, position: BigInt(row.doc.position) })) {
    const doc = { position: String(position), log };
    await store.write(checkpoints, [{ id: OWN_ID, revision: (row?.revision ?? -1) + 1, doc }]);
  }
  if (keys !== undefined && isNews(await keys.seenEnd())) await keys.noteEnd({ log, position });
}

/**
 * Lets go of all that the read models have, because any document may be of a lost event: every generation, which is
 * built again from the log, and the snapshots of folds. What was seen is noted first, and stays until `noteEnd` with
 * `isLower`, so a crash before the loss is on record leaves it refused. Rejects with StoreUnavailable, and with
 * AppError CatalogBusy while another process changes the read models.
 */
export async function letGoOfLost({ store, events }: SeenEndParts, { seen }: LostEnd): Promise<void> {
  const log = await nameOf(events);
  if (store === undefined) return;
  if (log !== undefined) await noteIn({ store }, { log, position: seen }, false);
  for (const { id: name, revision, doc } of await store.find(catalogEntries, { where: {}, limit: ENTRIES })) {
    if (doc.generations.length === 0) continue;
    const without = { id: name, revision: revision + 1, doc: { ...doc, generations: [] } };
    if ((await store.write(catalogEntries, [without])).length === 0)
      throw new AppError('CatalogBusy', `Another process changes the read model ${name}. Stop all others first.`);
    for (const { generation } of doc.generations) await store.drop(name, generation);
  }
  await removeAll(store, foldSnapshots);
}

async function removeAll<Doc extends object, K extends string>(
  store: ReadModelStore,
  of: Collection<Doc, K>,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const texts: readonly StoredText[] = await store.texts(of, after, TOGETHER);
    if (texts.length > 0) await store.remove(of, texts);
    after = texts.at(TOGETHER - 1)?.id;
  }
}

/** The log has lost its end, or an older copy was put back. */
export class ShorterLog extends AppError {
  constructor({ end, seen, words }: LostEnd) {
    const now = end < 0n ? 'is empty' : `ends at position ${end}`;
    super(
      'ShorterLog',
      `The event log ${now}, but ${words} seen it up to position ${seen}: the log has lost its end, or an older copy was put back. Put the newer log back. To go on without the lost events, start once with --accept-shorter-log.`,
    );
  }
}

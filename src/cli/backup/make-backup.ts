// The work of counterfoil backup: a whole copy of the log first, and after that the events that are new.
import { createHash } from 'node:crypto';
import { access, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bothOf, linkAfter, walkChains } from '../../audit/verify-log.ts';
import { anchorAt, type Link } from '../../journal/chain.ts';
import { ForeignEvent } from '../../journal/copy-log.ts';
import { beforeFirst, hashOf, metadataOf } from '../../journal/envelope.ts';
import { readLog } from '../../journal/read-log.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import { FOLDS } from '../../queries/replay-stream.ts';
import type { Secrets } from '../../secrets.ts';
import type { EventStoreUrl } from '../../store-urls.ts';
import { checkAppend } from '../../stores/check-append.ts';
import { copyKeys, digestOf } from '../../stores/copy-keys.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { openSqliteEventStore } from '../../stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../stores/sqlite/key-store.ts';
import { logDamage } from '../../stores/sqlite/log-damage.ts';
import { LogFile } from '../../stores/sqlite/log-file.ts';
import { contentOfFile, type DatabaseSnapshot, withSnapshots } from '../../stores/sqlite/snapshots.ts';
import { categoryOf } from '../../stores/stream-name.ts';
import { formatTime, type World } from '../../world.ts';
import { alone } from '../alone.ts';
import { Refused } from '../exit.ts';
import { openPrivate, PARTIAL, syncPath } from '../files.ts';
import { NeededKeys, type OldKeyStore, tombstonesIn } from '../open/keys-of-log.ts';
import {
  BACKUP_LOCK,
  type BackupContent,
  type BackupPart,
  cannotWrite,
  checkParts,
  FILES,
  intoOneFile,
  type Measures,
  measured,
  mustBeUnused,
  REGISTER,
  readManifest,
  removeLeftovers,
  removeSidecars,
  writeManifest,
} from './backup-directory.ts';
import { writeErasures } from './erasures.ts';

interface BackupWork {
  readonly source: EventStoreUrl;
  readonly dataDir: string;
  /** The open store of `source`. */
  readonly events: EventStore;
  /** The keys of the log. */
  readonly keys: { readonly file: string } | { readonly open: () => Promise<KeyStore> };
  /** Told what logDamage finds in what this run has added. */
  readonly onDamage?: (damage: readonly string[]) => void;
  /** The master secrets, the first of which signs the register of erasures. */
  readonly secrets: Secrets;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly signal: AbortSignal;
  /** Reads every part that the directory holds, not only those that are due. */
  readonly readsAll?: boolean | undefined;
  /** A step, how much of it is done in its unit, and the share of it, 0 to 1. */
  readonly onProgress?: (step: string, unit: string, done: number, share: number) => void;
  /** For tests: awaited after each step that changes the directory, by its name. */
  readonly onStep?: (step: string) => Promise<void> | void;
}

export interface MadeBackup extends BackupContent {
  /** The events that this run has added. */
  readonly added: number;
  /** Keys of personal data that the log names are not in the backup, because its key store does not have them. */
  readonly keysFault?: OldKeyStore | undefined;
}

/**
 * Brings the backup in a directory up to the log as it is now, or begins one in a new directory. Until the manifest is
 * replaced, the directory holds the previous backup. Throws Refused for a log without a store, the backup of another
 * log, a manifest or a part that was altered, a part that is missing, a disk that takes no writes, and a second backup
 * at the same time; OldKeyStore for keys that new events name and the key store does not have; ForeignEvent,
 * StoreUnavailable, and the signal's reason.
 */
export async function makeBackup(directory: string, work: BackupWork): Promise<MadeBackup> {
  try {
    return await alone(directory, BACKUP_LOCK, async () => {
      const found = await readManifest(directory);
      if (found === undefined) await mustBeUnused(directory);
      await removeLeftovers(directory, found);
      const storeId = await storeIdOf(work.events);
      if (found !== undefined) await mustContinue(directory, found, storeId, work.events);
      const before = found && { ...found, parts: await checkParts(directory, found, work) };
      const { made, keysFault } = await copyAll(directory, before, storeId, work);
      await writeRegister(directory, made, work);
      await writeManifest(directory, made);
      await work.onStep?.('manifest');
      await removeLeftovers(directory, made);
      return { ...made, added: made.events - (before?.events ?? 0), keysFault };
    });
  } catch (fault) {
    return cannotWrite(directory, 'An earlier backup in it is as it was.', fault);
  }
}

/** Before the manifest, so that no backup with keys is without it; a newer register fits an older backup, too. */
async function writeRegister(directory: string, { parts, storeId }: BackupContent, work: BackupWork): Promise<void> {
  if (!parts.some(({ part }) => part === 'keys')) return;
  const { events, secrets, signal } = work;
  const store = await openSource(work);
  try {
    const { unrecorded } = await tombstonesIn(await recordBeforeBreak(events), events, store, signal);
    await writeErasures(join(directory, REGISTER), store, new Set(unrecorded), { secrets, storeId });
  } finally {
    await store.close();
  }
}

async function storeIdOf(events: EventStore): Promise<string> {
  for await (const { id } of events.read('store-0', -1, 1)) return id;
  throw new Refused('The log has no store yet: there is nothing to back up.');
}

async function mustContinue(
  directory: string,
  before: BackupContent,
  storeId: string,
  events: EventStore,
): Promise<void> {
  if (before.storeId !== storeId)
    throw new Refused(`${directory} is the backup of another store, ${before.storeId}. Use a new directory.`);
  const end = await events.head();
  if (end < BigInt(before.position))
    throw new Refused(
      `The event log ends at position ${end}, but the backup in ${directory} has seen it up to position ${before.position}: the log has lost its end, or an older copy was put back. Put the newer log back. Without it, keep ${directory}, and back up into a new directory.`,
    );
  const { stream, revision, hash } = before.last;
  for await (const stored of events.read(stream, revision - 1, 1))
    if (stored.revision === revision && hashOf(stored) === hash) return;
  throw new Refused(
    `The log does not have the last event of the backup, ${stream}@${revision}, as it was: it was changed, or an older log was put back. Keep ${directory}, and back up into a new directory.`,
  );
}

/** The log of a backup after a run. */
interface BackedUpLog extends Pick<BackupContent, 'events' | 'broken' | 'last' | 'lastRecordedAt'> {
  readonly parts: readonly BackupPart[];
}

async function copyAll(
  directory: string,
  before: BackupContent | undefined,
  storeId: string,
  work: BackupWork,
): Promise<{ readonly made: BackupContent } & Pick<MadeBackup, 'keysFault'>> {
  const { source, dataDir, events, world } = work;
  const run = (before?.run ?? 0) + 1;
  const beside = await presentIn(dataDir, work.keys);
  const embedded = source.kind === 'sqlite' ? [source.file] : [];
  // A log on other machines ends first: what a ledger has beyond it is like the work of a processor before a crash.
  const head = source.kind === 'sqlite' ? undefined : await events.head();
  return withSnapshots([...embedded, ...beside.map(({ path }) => path)], async (snapshots) => {
    const ofLog = head === undefined ? snapshots[0] : undefined;
    const to = head ?? ofLog?.lastPosition() ?? -1n;
    if (before !== undefined) ofLog?.end(); // events up to `to` stay as they are: they are read without it
    const others: BackupPart[] = [];
    // Before the log, which takes long: an erasure and a rewrapping wait until no snapshot of the keys is open.
    for (const [at, { part }] of beside.entries()) {
      const file = `${part}-${run}.db`;
      const snapshot = snapshots[embedded.length + at];
      await snapshot?.copyTo(join(directory, file + PARTIAL), () => work.signal.throwIfAborted());
      const content = snapshot?.content();
      snapshot?.end();
      const isWhole = async (path: string): Promise<boolean> => (await contentOfFile(path)) === content;
      others.push(await finished(directory, { part, file }, work, { isWhole }));
    }
    if ('open' in work.keys) others.push(await keysElsewhere(directory, `keys-${run}.db`, work.keys.open, work));
    return withNeededKeys(others, work, async (needed) => {
      const { parts, ...log } =
        before === undefined
          ? await firstPart(directory, ofLog, to, needed, work)
          : await nextPart(directory, before, run, to, needed, work);
      const made: BackupContent = {
        format: 'counterfoil-backup-1',
        run,
        storeId,
        ...log,
        position: String(to),
        madeAt: formatTime(world.now()),
        parts: [...parts, ...others],
      };
      return { made, keysFault: needed?.fault };
    });
  });
}

/** Every key that the log of the backup needs: a key is written before the first event that needs it. */
async function keysElsewhere(
  directory: string,
  file: string,
  open: () => Promise<KeyStore>,
  work: BackupWork,
): Promise<BackupPart> {
  const path = join(directory, file + PARTIAL);
  const keysIn = (at: string): Promise<KeyStore> => openSqliteKeyStore({ file: at, world: work.world });
  const source = await open();
  try {
    const copy = await keysIn(path);
    const { count, digest } = await copyKeys(source, copy).finally(() => copy.close());
    const isWhole = async (at: string): Promise<boolean> => {
      const keys = await keysIn(at);
      const found = await digestOf(keys).finally(() => keys.close());
      return found.count === count && found.digest === digest;
    };
    return await finished(directory, { part: 'keys', file }, work, { isWhole });
  } finally {
    await source.close();
  }
}

/** Runs the work with a look for needed keys, undefined without keys; the copy has what its source has. */
async function withNeededKeys<T>(
  parts: readonly BackupPart[],
  work: BackupWork,
  run: (needed: NeededKeys | undefined) => Promise<T>,
): Promise<T> {
  if (!parts.some(({ part }) => part === 'keys')) return run(undefined);
  const keys = await openSource(work);
  return run(new NeededKeys(keys)).finally(() => keys.close());
}

const openSource = ({ keys, world }: BackupWork): Promise<KeyStore> =>
  'open' in keys ? keys.open() : openSqliteKeyStore({ file: keys.file, world });

async function presentIn(
  dataDir: string,
  keys: BackupWork['keys'],
): Promise<readonly { readonly part: BackupPart['part']; readonly path: string }[]> {
  const all = FILES.map(({ part, file }) => ({
    part,
    path: part === 'keys' && 'file' in keys ? keys.file : join(dataDir, file),
  })).filter(({ part }) => part !== 'keys' || 'file' in keys);
  const present = await Promise.all(
    all.map(({ path }) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return all.filter((_, at) => present[at]);
}

/** The whole log in one file of the embedded form: the pages of an embedded log, the events of any other one. */
async function firstPart(
  directory: string,
  ofLog: DatabaseSnapshot | undefined,
  to: bigint,
  needed: NeededKeys | undefined,
  work: BackupWork,
): Promise<BackedUpLog> {
  const file = 'log-1.db';
  const path = join(directory, file + PARTIAL);
  let last = to; // positions of the embedded form have no gaps
  if (ofLog === undefined) last = BigInt((await writeLog(path, to, work)) - 1);
  else {
    const { size } = await stat(work.source.kind === 'sqlite' ? work.source.file : path);
    await ofLog.copyTo(path, (share) => {
      work.signal.throwIfAborted();
      work.onProgress?.('Copying the log', 'MB', Math.round((size * share) / 1e6), share);
    });
    ofLog.end(); // the longer the write-ahead log grows, the longer writers wait for the checkpoint that follows
  }
  await work.onStep?.('copied log');
  const { measures, ...log } = await verifiedLog(path, last, needed, work);
  return { ...log, parts: [await finished(directory, { part: 'log', file }, work, { measures })] };
}

/** Answers the number of events. */
async function writeLog(path: string, to: bigint, { events, signal, onProgress }: BackupWork): Promise<number> {
  const log = await LogFile.open(path);
  let count = 0;
  try {
    for await (const batch of readLog(events, { after: -1n, to, categories: [] }, signal)) {
      const part = batch.events.filter(({ position }) => position <= to);
      for (const stored of part) checkOurs(stored);
      log.add(part);
      count += part.length;
      onProgress?.('Copying the log', 'events', count, shareOf(batch.position, to));
    }
  } finally {
    log.close();
  }
  return count;
}

/** Reads what was written: every chain, the last event, the keys it needs, and meanwhile the bytes of the file. */
async function verifiedLog(
  path: string,
  last: bigint,
  needed: NeededKeys | undefined,
  work: BackupWork,
): Promise<Omit<BackedUpLog, 'parts'> & { readonly measures: Measures }> {
  const { world, report, signal, onProgress } = work;
  const copy = await openSqliteEventStore({ file: path, world, report });
  try {
    const to = await copy.head();
    if (to !== last) throw notAsWritten(path);
    const show = (count: number, at: bigint): void => onProgress?.('Verifying', 'events', count, shareOf(at, to));
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const chains = walkChains(copy, { to, onProgress: show }, either);
    const [{ events, broken }, measures] = await bothOf(chains, measured(path, either), over);
    work.onDamage?.(await logDamage(path));
    if (needed !== undefined)
      for await (const batch of readLog(copy, { after: -1n, to, categories: [] }, signal))
        await needed.look(batch.events);
    const [newest] = (await copy.newest?.(undefined, 1)) ?? [];
    if (newest === undefined) throw new Refused('The log has no events: there is nothing to back up.');
    return { events, broken, ...endAt(newest), measures };
  } finally {
    await copy.close();
  }
}

/** One sync of much more than this delays those of a log on the same disk. */
const CHARACTERS_A_SYNC = 4 * 1024 * 1024;

/** The events since the previous run, a line of JSON each, with their chains checked as they are written. */
async function nextPart(
  directory: string,
  before: BackupContent,
  run: number,
  to: bigint,
  needed: NeededKeys | undefined,
  work: BackupWork,
): Promise<BackedUpLog> {
  const { events, signal, onProgress } = work;
  const file = `log-${run}.jsonl`;
  const path = join(directory, file + PARTIAL);
  const heads = new Map<string, Link>();
  let [count, broken, last]: [number, number, StoredEvent | undefined] = [0, before.broken, undefined];
  const noteBreak = (): void => {
    broken += 1;
  };
  const handle = await openPrivate(path);
  const written = createHash('sha256');
  let unsynced = 0;
  try {
    const after = BigInt(before.position);
    for await (const batch of readLog(events, { after, to, categories: [] }, signal)) {
      const part = batch.events.filter(({ position }) => position <= to);
      for (const stored of part) {
        const link = heads.get(stored.stream) ?? (await linkBefore(events, stored));
        if (link !== undefined) heads.set(stored.stream, linkAfter(link, stored, noteBreak));
        last = stored;
      }
      count += part.length;
      await needed?.look(part);
      const lines = part.map(lineOf).join('');
      await handle.appendFile(lines);
      written.update(lines);
      unsynced += lines.length;
      if (unsynced >= CHARACTERS_A_SYNC) {
        await handle.datasync();
        unsynced = 0;
      }
      onProgress?.('Copying new events', 'events', count, shareOf(batch.position - after, to - after));
    }
  } finally {
    await handle.close();
  }
  needed?.check();
  if (work.source.kind === 'sqlite') work.onDamage?.(await logDamage(work.source.file, BigInt(before.position)));
  await work.onStep?.('copied log');
  const parts = before.parts.filter(({ part }) => part === 'log');
  const { last: end, lastRecordedAt } = before;
  if (last === undefined) return { events: before.events, broken, last: end, lastRecordedAt, parts };
  return {
    events: before.events + count,
    broken,
    ...endAt(last),
    parts: [...parts, await finished(directory, { part: 'log', file }, work, { sha256: written.digest('hex') })],
  };
}

/** The link that the event has to follow; undefined for a stream of another program, which has no chain. */
async function linkBefore(events: EventStore, { stream, revision }: StoredEvent): Promise<Link | undefined> {
  if (!FOLDS.has(categoryOf(stream))) return undefined;
  if (revision > 0)
    for await (const stored of events.read(stream, revision - 2, 1)) return anchorAt(revision - 1, stored);
  return beforeFirst;
}

const lineOf = (stored: StoredEvent): string => {
  checkOurs(stored);
  const { stream, revision, id, type, data, metadata } = stored;
  return `${JSON.stringify([stream, revision, id, type, data, metadata])}\n`;
};

function checkOurs(stored: StoredEvent): void {
  try {
    checkAppend(stored.stream, stored.revision - 1, [stored]);
  } catch (fault) {
    throw fault instanceof TypeError ? new ForeignEvent(stored, fault) : fault;
  }
}

const endAt = (last: StoredEvent): Pick<BackupContent, 'last' | 'lastRecordedAt'> => ({
  last: { stream: last.stream, revision: last.revision, hash: hashOf(last) },
  lastRecordedAt: formatTime(metadataOf(last).recordedAt),
});

const shareOf = (done: bigint, all: bigint): number => (all <= 0n ? 1 : Math.min(1, Number(done) / Number(all)));

/** How a part that was written is known to be whole. */
type Whole =
  | { readonly measures: Measures }
  | { readonly sha256: string }
  /** True for the path of a database that was written and closed, if that has everything. */
  | { readonly isWhole: (path: string) => Promise<boolean> };

const notAsWritten = (path: string): Refused =>
  new Refused(`${path} does not have what was written to it: look at the disk, and run the command again.`);

/** Gives a part its name once it is on the disk, and was read back. */
async function finished(
  directory: string,
  of: Pick<BackupPart, 'part' | 'file'>,
  work: BackupWork,
  whole: Whole,
): Promise<BackupPart> {
  const path = join(directory, of.file);
  const draft = path + PARTIAL;
  if ('isWhole' in whole) {
    await intoOneFile(draft);
    if (!(await whole.isWhole(draft))) throw notAsWritten(path);
  }
  await removeSidecars(draft);
  const found = 'measures' in whole ? whole.measures : await measured(draft, work.signal);
  if ('sha256' in whole && whole.sha256 !== found.sha256) throw notAsWritten(path);
  await syncPath(draft);
  await rename(draft, path);
  await work.onStep?.(of.file);
  return { ...of, bytes: found.bytes, sha256: found.sha256 };
}

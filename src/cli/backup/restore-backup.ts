// The work of counterfoil restore: each part of a backup verified and put in its place, the log last.
import { createReadStream } from 'node:fs';
import { access, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { walkChains } from '../../audit/verify-log.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { actsIn, recordDestruction } from '../../journal/destroyed-keys.ts';
import { sameKeyBy, WrongKeyStore } from '../../journal/personal-keys.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import type { Secrets } from '../../secrets.ts';
import type { EventStoreUrl } from '../../store-urls.ts';
import { copyKeys } from '../../stores/copy-keys.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { openSqliteEventStore } from '../../stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../stores/sqlite/key-store.ts';
import { logDamage, mendLog } from '../../stores/sqlite/log-damage.ts';
import { LogFile } from '../../stores/sqlite/log-file.ts';
import type { World } from '../../world.ts';
import { alone } from '../alone.ts';
import { Refused } from '../exit.ts';
import { openPrivate, replaceFile, syncPath } from '../files.ts';
import { checkKeysIn, isFaultOfKeys, tombstonesIn } from '../open/keys-of-log.ts';
import { RESTORE_LOCK, RESTORE_MARK } from '../open/log-end.ts';
import {
  type BackupContent,
  type BackupPart,
  cannotWrite,
  FILES,
  intoOneFile,
  linesOf,
  mustMatch,
  readManifest,
  removeSidecars,
} from './backup-directory.ts';
import { type AppliedErasures, applyErasures, type Erasure } from './erasures.ts';

interface RestoreWork {
  readonly target: EventStoreUrl;
  readonly dataDir: string;
  /** All that the register names. */
  readonly erasures: readonly Erasure[];
  /** The master secrets, by which keys are known. */
  readonly secrets: Secrets;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  readonly signal: AbortSignal;
  /** Copies an embedded log into a target that is not embedded. */
  readonly copyToTarget: (file: string) => Promise<void>;
  /** Opens the key store of the target; left out if that is the file in the data directory. */
  readonly openKeys?: (() => Promise<KeyStore>) | undefined;
  /** A step, how much of it is done in its unit, and the share of it, 0 to 1. */
  readonly onProgress?: (step: string, unit: string, done: number, share: number) => void;
  /** For tests: called after each step that changes the directory, by its name. */
  readonly onStep?: (step: string) => void;
}

const STAGED = '.restoring';
const USE_ANOTHER = 'Use another backup.';

interface RestoredBackup extends BackupContent {
  readonly applied: AppliedErasures;
  /** Why personal data of the restored log cannot be read. */
  readonly keysFault?: Error | undefined;
}

type Staged = Pick<RestoredBackup, 'applied' | 'keysFault'>;

/**
 * Makes a store of a backup. A directory that holds a store is refused, except for what a killed restore has left. The
 * service refuses the directory until the restore has ended. Throws Refused for a backup that was altered or has a part
 * missing, erasures that cannot be applied, and a disk that takes no writes; the signal's reason.
 */
export async function restoreBackup(from: string, work: RestoreWork): Promise<RestoredBackup> {
  const content = await readManifest(from);
  if (content === undefined) throw new Refused(`${from} is not a backup: it has no manifest.json.`);
  const { dataDir } = work;
  const [lock, mark] = [join(dataDir, RESTORE_LOCK), join(dataDir, RESTORE_MARK)];
  try {
    return await alone(dataDir, RESTORE_LOCK, async () => {
      try {
        const wasBegun = await isThere(mark);
        await mustHoldNoStore(work, wasBegun);
        // Only now: a mark in a directory with a store would let the next restore replace the store.
        await replaceFile(mark, '');
        const staged = await stageMarked(from, content, work, wasBegun ? undefined : mark);
        await putAll(content, placesOf(work), work);
        await rm(mark, { force: true });
        await syncPath(dataDir);
        return { ...content, ...staged };
      } finally {
        await rm(lock, { force: true });
      }
    });
  } catch (fault) {
    return cannotWrite(dataDir, 'Run the command again once it can be written.', fault);
  }
}

/** `mark`: that of a restore which began now; it leaves nothing if it fails. */
async function stageMarked(
  from: string,
  content: BackupContent,
  work: RestoreWork,
  mark: string | undefined,
): Promise<Staged> {
  const files = placesOf(work);
  try {
    await removeStaged(files);
    return await stageAll(from, content, files, work);
  } catch (fault) {
    await removeStaged(files);
    if (mark !== undefined) await rm(mark, { force: true });
    throw fault;
  }
}

/** The final place of each part. */
type Places = ReadonlyMap<BackupPart['part'], string>;

const placesOf = ({ target, dataDir }: RestoreWork): Places =>
  new Map<BackupPart['part'], string>([
    ['log', target.kind === 'sqlite' ? target.file : join(dataDir, 'events.db')],
    ...FILES.map(({ part, file }) => [part, join(dataDir, file)] as const),
  ]);

function placeIn(files: Places, part: BackupPart['part']): string {
  const place = files.get(part);
  if (place === undefined) throw new TypeError(`${part} has no place`);
  return place;
}

/** Throws Refused for files of a store, and for the address of a service that runs in the directory. */
async function mustHoldNoStore(work: RestoreWork, wasBegun: boolean): Promise<void> {
  const { dataDir } = work;
  const namesIn = (folder: string): Promise<string[]> => readdir(join(dataDir, folder)).catch(() => []);
  const services = (await namesIn('running')).map((name) => join('running', name));
  const readModels = (await namesIn('.')).filter((name) => /^read-models.*\.db/.test(name));
  const others = [...services, ...readModels].map((name) => join(dataDir, name));
  // A killed restore may have left the parts: they are put in their places again.
  for (const path of [...(wasBegun ? [] : placesOf(work).values()), ...others])
    if (await isThere(path))
      throw new Refused(
        `${dataDir} holds a store already: there is ${path}. Restore into a directory without a store.`,
      );
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function removeStaged(files: Places): Promise<void> {
  for (const place of files.values()) {
    await rm(place + STAGED, { force: true });
    await removeSidecars(place + STAGED);
  }
}

/** Brings every part next to its place, verified. */
async function stageAll(from: string, content: BackupContent, files: Places, work: RestoreWork): Promise<Staged> {
  const log = placeIn(files, 'log') + STAGED;
  const [first, ...next] = content.parts.filter(({ part }) => part === 'log');
  if (first === undefined) throw new Refused(`${from} has no log.`);
  await copyPart(from, first, log, work);
  work.onStep?.('copied log');
  await addEvents(from, next, log, work);
  work.onStep?.('added events');
  await verify(from, content, log, work);
  for (const part of content.parts.filter((one) => one.part !== 'log')) {
    await copyPart(from, part, placeIn(files, part.part) + STAGED, work);
    work.onStep?.(`copied ${part.part}`);
  }
  const hasKeys = content.parts.some(({ part }) => part === 'keys');
  const keys = hasKeys ? placeIn(files, 'keys') + STAGED : undefined;
  const applied = await applyErasures(keys, work.erasures, work.world);
  if (keys !== undefined) await recordErasures(log, keys, work);
  const keysFault = await placeKeys(log, keys, work);
  for (const part of partsToPut(content, work)) await syncPath(placeIn(files, part) + STAGED);
  return { applied, keysFault };
}

/** The log of the backup gets the names of keys that were destroyed after it, as the register has them. */
async function recordErasures(
  log: string,
  file: string,
  { erasures, world, report, signal }: RestoreWork,
): Promise<void> {
  const events = await openSqliteEventStore({ file: log, world, report });
  try {
    const keys = await openSqliteKeyStore({ file, world });
    const { unrecorded } = await recordBeforeBreak(events)
      .then((record) => tombstonesIn(record, events, keys, signal))
      .finally(() => keys.close());
    const named = new Set(erasures.map(({ keyId }) => keyId));
    const newer = unrecorded.filter((id) => named.has(id));
    await recordDestruction(actsIn(events, world), world, operatorContext(world, ''), newer, 'restore');
  } finally {
    await events.close();
  }
  await intoOneFile(log);
}

/** Brings the keys where the restored log has them, and looks there for each one that the log needs. */
async function placeKeys(
  log: string,
  file: string | undefined,
  { secrets, world, report, signal, openKeys }: RestoreWork,
): Promise<RestoredBackup['keysFault']> {
  const openFile = (at: string): Promise<KeyStore> => openSqliteKeyStore({ file: at, world });
  if (file !== undefined && openKeys !== undefined) {
    const source = await openFile(file);
    try {
      const target = await openKeys();
      await copyKeys(source, target, sameKeyBy(secrets)).finally(() => target.close());
    } finally {
      await source.close();
    }
    // a second copy would keep the keys of people who are erased later
    await rm(file);
    await removeSidecars(file);
  }
  const open = openKeys ?? (file === undefined ? undefined : () => openFile(file));
  const events = await openSqliteEventStore({ file: log, world, report });
  try {
    const opening = async (): Promise<KeyStore> => {
      if (open === undefined) throw new WrongKeyStore();
      return open();
    };
    await checkKeysIn(opening, events, secrets, world, { everyKey: true, everyEvent: true, signal });
    return undefined;
  } catch (fault) {
    if (fault instanceof WrongKeyStore || isFaultOfKeys(fault)) return fault;
    throw fault;
  } finally {
    await events.close();
    if (file !== undefined && openKeys === undefined) await intoOneFile(file);
  }
}

/** The parts that are put in the data directory. */
const partsToPut = ({ parts }: BackupContent, { openKeys }: RestoreWork): readonly BackupPart['part'][] =>
  parts.map(({ part }) => part).filter((part) => part !== 'keys' || openKeys === undefined);

/** Copies a part as it is checked. Throws Refused if it is not as the manifest says. */
async function copyPart(
  from: string,
  part: BackupPart,
  to: string,
  { signal, onProgress }: RestoreWork,
): Promise<void> {
  const target = await openPrivate(to);
  let done = 0;
  try {
    await mustMatch(from, part, USE_ANOTHER, signal, async (piece) => {
      await target.appendFile(piece);
      done += piece.length;
      onProgress?.(`Copying ${part.part}`, 'MB', Math.round(done / 1e6), done / part.bytes);
    });
  } finally {
    await target.close();
  }
}

const Line = z.tuple([z.string(), z.int(), z.string(), z.string(), z.string(), z.string()]);
const EVENTS_A_TRANSACTION = 5_000;

/** Adds the events of later runs to the log of the first. */
async function addEvents(from: string, parts: readonly BackupPart[], log: string, work: RestoreWork): Promise<void> {
  if (parts.length === 0) return;
  const file = await LogFile.open(log);
  try {
    for (const part of parts) {
      await mustMatch(from, part, USE_ANOTHER, work.signal);
      let waiting: StoredEvent[] = [];
      for await (const line of linesOf(createReadStream(join(from, part.file)))) {
        waiting.push(eventIn(line));
        if (waiting.length < EVENTS_A_TRANSACTION) continue;
        work.signal.throwIfAborted();
        file.add(waiting);
        waiting = [];
      }
      file.add(waiting);
    }
  } finally {
    file.close();
  }
}

function eventIn(line: string): StoredEvent {
  const [stream, revision, id, type, data, metadata] = Line.parse(JSON.parse(line));
  return { stream, revision, id, type, data, metadata, position: 0n };
}

/** Reads the log as it will be. Throws Refused unless it is whole, as far as it was when it was backed up. */
async function verify(from: string, content: BackupContent, file: string, work: RestoreWork): Promise<void> {
  const { world, report, signal, onProgress } = work;
  // columns and indexes that were altered before the backup hide events
  if ((await logDamage(file)).length > 0) {
    await mendLog(file);
    const [left] = await logDamage(file);
    if (left !== undefined) throw new Refused(`The log of ${from} cannot be used: ${left}. Use another backup.`);
  }
  const log = await openSqliteEventStore({ file, world, report });
  try {
    const show = (count: number): void => onProgress?.('Verifying', 'events', count, count / content.events);
    const { events, broken, storeId } = await walkChains(log, { to: await log.head(), onProgress: show }, signal);
    if (events !== content.events || broken !== content.broken || storeId !== content.storeId)
      throw new Refused(
        `The log of ${from} is not the one that was backed up: it has ${events} events and ${broken} breaks, and the manifest says ${content.events} and ${content.broken}. Use another backup.`,
      );
  } finally {
    await log.close();
  }
}

/** Until the log is in its place there is no store, so that each of these steps may be repeated. */
async function putAll(content: BackupContent, files: Places, work: RestoreWork): Promise<void> {
  const put = async (part: BackupPart['part']): Promise<void> => {
    const place = placeIn(files, part);
    await removeSidecars(place + STAGED);
    await rename(place + STAGED, place);
    await syncPath(join(place, '..'));
    work.onStep?.(`put ${part}`);
  };
  for (const part of partsToPut(content, work)) if (part !== 'log') await put(part);
  if (work.target.kind === 'sqlite') return put('log');
  const staged = placeIn(files, 'log') + STAGED;
  await work.copyToTarget(staged);
  work.onStep?.('put log');
  await removeStaged(files);
}

// The directory of a backup: its parts, and the manifest that names each of them with its hash.
import { createHash, hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { truncateWal } from '../../stores/sqlite/file/busy.ts';
import { openDatabase } from '../../stores/sqlite/file/database.ts';
import { sqliteFault } from '../../stores/sqlite/file/fault.ts';
import { formatTime, parseTime, type World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { PARTIAL, replaceFile } from '../files.ts';

/** The files beside the log that belong to a backup, in the order in which they are copied. A further one is a row. */
export const FILES = [
  { part: 'sandbox', file: 'sandbox.db', words: 'the ledger of the sandbox' },
  { part: 'keys', file: 'keys.db', words: 'the keys of personal data' },
] as const;

const BackupPart = z.strictObject({
  part: z.enum(['log', ...FILES.map(({ part }) => part)]),
  /** In the directory of the backup. Parts of the log: first one file of the embedded form, then lines of JSON. */
  file: z.string().regex(/^[a-z]+-\d+\.(db|jsonl)$/),
  bytes: z.int(),
  /** Hex. */
  sha256: z.string(),
  /** When a later run read the whole part last, RFC 3339; absent: never since it was written. */
  readAt: z.string().optional(),
});
export type BackupPart = z.infer<typeof BackupPart>;

const BackupContent = z.strictObject({
  format: z.literal('counterfoil-backup-1'),
  /** The number of runs so far. */
  run: z.int(),
  /** The id of the store's first event. */
  storeId: z.string(),
  events: z.int(),
  /** The breaks of chains in the log that was backed up. */
  broken: z.int(),
  /** The position of the last event in the log that was backed up, in digits. */
  position: z.string().regex(/^\d+$/),
  last: z.strictObject({ stream: z.string(), revision: z.int(), hash: z.string() }),
  /** Business times, RFC 3339. */
  lastRecordedAt: z.string(),
  madeAt: z.string(),
  parts: z.array(BackupPart),
});
export type BackupContent = z.infer<typeof BackupContent>;

const MANIFEST = 'manifest.json';
export const BACKUP_LOCK = 'lock';
export const REGISTER = 'erasures.jsonl';

/** The manifest of a backup; undefined if the directory has none. Throws Refused for a manifest that was altered. */
export async function readManifest(directory: string): Promise<BackupContent | undefined> {
  const file = join(directory, MANIFEST);
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw new Refused(`${file} cannot be read: ${fault.message}`);
  });
  return text === undefined ? undefined : contentIn(text, file);
}

/** Throws Refused unless the text is a manifest as `textOf` wrote it that names nothing twice; `file`: for messages. */
export function contentIn(text: string, file: string): BackupContent {
  const { sha256, ...rest } = objectIn(text);
  if (sha256 !== hash('sha256', JSON.stringify(rest)))
    throw new Refused(`${file} was altered: its hash is not that of its content. Use another backup.`);
  const content = BackupContent.safeParse(rest);
  if (!content.success)
    throw new Refused(
      `${file} is of another version of Counterfoil. Use the version that wrote the backup, or a newer one.`,
    );
  const twice = secondOf(content.data.parts);
  if (twice !== undefined) throw new Refused(`${file} was altered: it names ${twice} twice. Use another backup.`);
  return content.data;
}

/** What comes a second time: the name of a file, or a part that has one file; undefined if nothing does. */
function secondOf(parts: readonly BackupPart[]): string | undefined {
  const names = parts.flatMap(({ part, file }) => (part === 'log' ? [file] : [file, `the part ${part}`]));
  return names.find((name, at) => names.indexOf(name) < at);
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export const textOf = (content: BackupContent): string =>
  `${JSON.stringify({ ...content, sha256: hash('sha256', JSON.stringify(content)) }, null, 2)}\n`;

/** Replaces the manifest in one step: before it, the directory has the previous backup, and after it the new one. */
export const writeManifest = (directory: string, content: BackupContent): Promise<void> =>
  replaceFile(join(directory, MANIFEST), textOf(content));

/** Removes what a killed run has left, and parts that a newer manifest no longer names. */
export async function removeLeftovers(directory: string, content: BackupContent | undefined): Promise<void> {
  const kept = new Set(content?.parts.map(({ file }) => file));
  for (const name of await readdir(directory))
    if (name.includes(PARTIAL) || (BackupPart.shape.file.safeParse(name).success && !kept.has(name)))
      await rm(join(directory, name), { force: true });
}

/** Throws Refused if the directory, which has no manifest, holds anything that is not a killed run's. */
export async function mustBeUnused(directory: string): Promise<void> {
  const names = await readdir(directory);
  const other = names.find(
    (name) =>
      name !== BACKUP_LOCK &&
      name !== REGISTER &&
      !name.includes(PARTIAL) &&
      !BackupPart.shape.file.safeParse(name).success,
  );
  if (other !== undefined)
    throw new Refused(`${directory} is not a backup, and it is not empty: it has ${other}. Use a new directory.`);
}

/** Leaves all of an embedded database that no process has open in its one file. Throws what SQLite throws. */
export async function intoOneFile(path: string): Promise<void> {
  const options = { file: path, mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 1_024 } as const;
  const database = await openDatabase(options);
  try {
    truncateWal(database);
  } finally {
    database.close();
  }
  await removeSidecars(path);
}

/** Removes what a reader of an embedded database leaves beside it; the reader has written nothing. */
export async function removeSidecars(path: string): Promise<void> {
  for (const end of ['-wal', '-shm', '-journal']) await rm(path + end, { force: true });
}

/** The size and hash of a file. */
export type Measures = Pick<BackupPart, 'bytes' | 'sha256'>;

const PIECE_BYTES = 1024 * 1024;

/**
 * `take` gets each piece as it is read; the memory of a piece is used again for the next one. Throws the signal's
 * reason.
 */
export async function measured(
  file: string,
  signal: AbortSignal,
  take: (piece: Buffer) => Promise<unknown> | undefined = () => undefined,
): Promise<Measures> {
  const digest = createHash('sha256');
  let bytes = 0;
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const handle = await open(file, 'r');
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES);
      if (bytesRead === 0) return { bytes, sha256: digest.digest('hex') };
      const read = piece.subarray(0, bytesRead);
      digest.update(read);
      bytes += bytesRead;
      await take(read);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Throws Refused, which ends with the advice, unless the part is as the manifest says. `take`: as of measured. Throws
 * the signal's reason.
 */
export async function mustMatch(
  directory: string,
  { file, bytes, sha256 }: BackupPart,
  advice: string,
  signal: AbortSignal,
  take?: (piece: Buffer) => Promise<unknown>,
): Promise<void> {
  const path = join(directory, file);
  await sizedPart(path, bytes, advice);
  const found = await measured(path, signal, take);
  if (found.sha256 !== sha256)
    throw new Refused(`${path} was altered: its hash is not that of the manifest. ${advice}`);
}

async function sizedPart(path: string, bytes: number, advice: string): Promise<Stats> {
  const found = await stat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
    throw new Refused(`${path} is missing. ${advice}`);
  });
  if (found.size === bytes) return found;
  throw new Refused(`${path} was altered: it has ${found.size} bytes, and the backup wrote ${bytes}. ${advice}`);
}

/** Within this time every part of a backup that goes on is read. */
const READ_EVERY_MS = 7 * 24 * 3_600_000;
const BEGIN_NEW = 'The backup cannot be restored: back up into a new directory.';

interface PartsCheck {
  readonly world: Pick<World, 'now'>;
  readonly signal: AbortSignal;
  readonly readsAll?: boolean | undefined;
  readonly onProgress?: (step: string, unit: string, done: number, share: number) => void;
}

/**
 * Looks at the size of each part, and reads those that would otherwise be unread for more than seven days at the next
 * run, the longest unread ones first. Answers the parts as the next manifest has them. Throws Refused for a part that
 * is missing or altered, and the signal's reason.
 */
export async function checkParts(
  directory: string,
  { parts, madeAt }: BackupContent,
  { world, signal, readsAll = false, onProgress }: PartsCheck,
): Promise<BackupPart[]> {
  const now = world.now();
  const sinceRun = now - (parseTime(madeAt) ?? now);
  const due: { readonly part: BackupPart; readonly readAt: number }[] = [];
  for (const part of parts) {
    const { mtimeMs } = await sizedPart(join(directory, part.file), part.bytes, BEGIN_NEW);
    const readAt = (part.readAt === undefined ? undefined : parseTime(part.readAt)) ?? mtimeMs;
    if (readsAll || now - readAt + sinceRun >= READ_EVERY_MS) due.push({ part, readAt });
  }
  const all = due.reduce((sum, { part }) => sum + part.bytes, 0);
  const read = new Set<BackupPart>();
  let done = 0;
  for (const { part } of due.sort((one, other) => one.readAt - other.readAt)) {
    await mustMatch(directory, part, BEGIN_NEW, signal, async (piece) => {
      done += piece.length;
      onProgress?.('Reading the backup', 'MB', Math.round(done / 1e6), done / all);
    });
    read.add(part);
  }
  return parts.map((part) => (read.has(part) ? { ...part, readAt: formatTime(now) } : part));
}

const ERRNO = /^E(NOSPC|DQUOT|FBIG|ROFS|ACCES|PERM|IO)$/;

/** Throws Refused, with a sentence, for a disk that is full or takes no writes; any other fault as it is. */
export function cannotWrite(directory: string, rest: string, fault: unknown): never {
  const kind = sqliteFault(fault);
  const isDisk =
    kind === 'full' || kind === 'io' || kind === 'readonly' || kind === 'cannot-open' || ERRNO.test(codeOf(fault));
  if (isDisk && fault instanceof Error) throw new Refused(`${directory} cannot be written: ${fault.message}. ${rest}`);
  throw fault;
}

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : '';

/** Each line without its end, the last one even if it has none. */
export async function* linesOf(bytes: Readable): AsyncGenerator<string, void> {
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

// Copies an event log into another store in the order of the log, so that a copy that was killed is a beginning to go
// on from.
import { createHash } from 'node:crypto';
import { AppError } from '../app-error.ts';
import { MAX_APPEND_BYTES } from '../stores/check-append.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { AppendPipeline, type Group } from './append-pipeline.ts';
import { readLog } from './read-log.ts';

export interface CopyProgress {
  /** comparing: the events that the target holds already. verifying: all of them, read back. */
  readonly step: 'comparing' | 'copying' | 'verifying';
  /** In this step. */
  readonly events: number;
  /** The share of the source's log, between 0 and 1. */
  readonly done: number;
}

interface CopyOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface Copied {
  /** In the target now. */
  readonly events: number;
  /** The events among them that an earlier run had copied. */
  readonly found: number;
  /** SHA-256 over every event of the source in its order: stream, revision, id, type, data, metadata. */
  readonly sourceDigest: string;
  /** The digest of the events that were read back from the target. */
  readonly targetDigest: string;
}

/** The target holds something that the source does not, at this place: it is another log. */
export class TargetDiffers extends AppError {
  constructor(place: number, { stream, revision, type }: StoredEvent) {
    super(
      'TargetDiffers',
      `The target is not a prefix of the source: its event ${place + 1} (${stream}@${revision}, ${type}) differs. ` +
        'A log can be copied only into an empty store, or into the target of an interrupted copy.',
    );
  }
}

/** Another process appended to the target while it was being copied to. */
export class TargetInUse extends AppError {
  constructor(stream: string) {
    super(
      'TargetInUse',
      `Another process writes to the target: ${stream} has changed there. Stop that process and copy into an empty store.`,
    );
  }
}

/** The source is also the log of another program, and no store of ours takes its events. */
export class ForeignEvent extends AppError {
  constructor({ stream, revision }: StoredEvent, refused: TypeError) {
    super(
      'ForeignEvent',
      `The source holds events that are not Counterfoil's: ${JSON.stringify(stream)} from ${revision} on cannot be copied (${refused.message}).`,
      refused,
    );
  }
}

/** Many small appends cost a round trip each; a large one delays all others. */
const MAX_GROUP_EVENTS = 200;
/** Stores count more than the texts towards an append's size. */
const MAX_GROUP_BYTES = MAX_APPEND_BYTES / 2;
/**
 * Copies everything that is in the source's log when its end is reached; ids, texts (and with them the hash chain),
 * revisions and the order of the whole log are kept. The target must take appends that are under way together in the
 * order of their calls (for EventStoreDB see its `inOrder`): the target always holds a beginning of the source, so a
 * copy that ended anywhere goes on, and a copy after the source has grown adds the rest. Throws TargetDiffers,
 * TargetInUse, ForeignEvent, StoreUnavailable, and the signal's reason.
 */
export async function copyLog(source: EventStore, target: EventStore, options: CopyOptions): Promise<Copied> {
  const rest = logOf(source, options.signal);
  try {
    const head = await source.head();
    const { found, first } = await compareBeginning(rest, target, { ...options, head });
    const copied = await copyRest(rest, first, target, { ...options, head, found });
    return { found, ...(await verify(source, target, found + copied, { ...options, head })) };
  } finally {
    await rest.return(undefined);
  }
}

interface Watched extends CopyOptions {
  readonly head: bigint;
}

/** Reads both while the target lasts; `first` is the first event that it has not got. */
async function compareBeginning(
  source: AsyncIterator<StoredEvent>,
  target: EventStore,
  watched: Watched,
): Promise<{ readonly found: number; readonly first: StoredEvent | undefined }> {
  let found = 0;
  for await (const there of logOf(target, watched.signal)) {
    const { value: wanted, done } = await source.next();
    if (done === true || textOf(wanted) !== textOf(there)) throw new TargetDiffers(found, there);
    found += 1;
    tell(watched, 'comparing', found, wanted);
  }
  return { found, first: await following(source) };
}

async function copyRest(
  source: AsyncIterator<StoredEvent>,
  first: StoredEvent | undefined,
  target: EventStore,
  watched: Watched & { readonly found: number },
): Promise<number> {
  const pipeline = new AppendPipeline((events) => appendGroup(target, events));
  let copied = 0;
  const settled = (group: Group): void => {
    copied += group.events.length;
    tell(watched, 'copying', watched.found + copied, group.events.at(-1));
  };
  try {
    for await (const group of groupsOf(source, first)) {
      watched.signal.throwIfAborted();
      while (!pipeline.hasRoomFor(group)) settled(await pipeline.oldest());
      pipeline.send(group);
    }
    while (!pipeline.isEmpty) settled(await pipeline.oldest());
    return copied;
  } finally {
    await pipeline.end();
  }
}

async function* groupsOf(
  source: AsyncIterator<StoredEvent>,
  first: StoredEvent | undefined,
): AsyncGenerator<Group, void> {
  for (let next = first; next !== undefined; ) {
    const events = [next];
    let bytes = sizeOf(next);
    for (
      next = await following(source);
      next !== undefined && belongs(next, events, bytes);
      next = await following(source)
    ) {
      events.push(next);
      bytes += sizeOf(next);
    }
    yield { events, bytes };
  }
}

/** True if it goes into the same append: the same stream's next event, and room for it. */
const belongs = (event: StoredEvent, [first, ...others]: readonly StoredEvent[], bytes: number): boolean =>
  event.stream === first?.stream && others.length + 1 < MAX_GROUP_EVENTS && bytes + sizeOf(event) <= MAX_GROUP_BYTES;

async function appendGroup(target: EventStore, group: readonly StoredEvent[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const events = group.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
  const appended = await target.append(first.stream, first.revision - 1, events).catch((fault: unknown) => {
    // the port's word for events that no caller should append
    throw fault instanceof TypeError ? new ForeignEvent(first, fault) : fault;
  });
  if (appended === 'conflict') throw new TargetInUse(first.stream);
}

/** Reads both from the start, as far as was copied. */
async function verify(
  source: EventStore,
  target: EventStore,
  events: number,
  watched: Watched,
): Promise<Pick<Copied, 'events' | 'sourceDigest' | 'targetDigest'>> {
  const [sourceHash, targetHash] = [createHash('sha256'), createHash('sha256')];
  const copied = logOf(target, watched.signal);
  let place = 0;
  try {
    for await (const original of logOf(source, watched.signal)) {
      if (place === events) break; // the source has grown since
      const there = await following(copied);
      if (there === undefined)
        throw new AppError('CopyIncomplete', `The target ends after ${place} of ${events} events.`);
      const [wanted, found] = [textOf(original), textOf(there)];
      if (wanted !== found) throw new TargetDiffers(place, there);
      sourceHash.update(wanted);
      targetHash.update(found);
      place += 1;
      tell(watched, 'verifying', place, original);
    }
  } finally {
    await copied.return(undefined);
  }
  return { events: place, sourceDigest: sourceHash.digest('hex'), targetDigest: targetHash.digest('hex') };
}

/** Every event of a log from its first to its last at the time that is reached. Throws the signal's reason. */
async function* logOf(store: EventStore, signal: AbortSignal): AsyncGenerator<StoredEvent, undefined> {
  for await (const { events } of readLog(store, { after: -1n, to: 'end', categories: [] }, signal)) yield* events;
}

async function following(events: AsyncIterator<StoredEvent>): Promise<StoredEvent | undefined> {
  const { value, done } = await events.next();
  return done === true ? undefined : value;
}

const textOf = ({ stream, revision, id, type, data, metadata }: StoredEvent): string =>
  `${stream}\n${revision}\n${id}\n${type}\n${data}\n${metadata}\n`;
const sizeOf = ({ type, data, metadata }: StoredEvent): number =>
  Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata);

function tell(
  { onProgress, head }: Watched,
  step: CopyProgress['step'],
  events: number,
  last: StoredEvent | undefined,
): void {
  if (last === undefined) return;
  onProgress?.({ step, events, done: head <= 0n ? 1 : Math.min(1, Number(last.position) / Number(head)) });
}

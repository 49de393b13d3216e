// The one border between domain events and stored ones: version, chain, validation, upcasting.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../app-error.ts';
import type { Category, DomainEvent } from '../domain/category.ts';
import type { Recorded } from '../domain/decider.ts';
import { hasPersonal, type PersonalMember, withPersonal } from '../domain/personal.ts';
import { decrypted, encrypted } from '../secrets.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { NewEvent, StoredEvent } from '../stores/event-store.ts';
import { WrittenEvent } from '../stores/written-event.ts';
import { newUuid, type World } from '../world.ts';
import type { Context } from './context.ts';
import { numberIn, textIn, versionAtEnd } from './metadata-text.ts';
import { sealedEvents } from './sealed-events.ts';

export const EventMetadata = z.looseObject({
  accountId: z.string(),
  actor: z.object({ kind: z.enum(['apiKey', 'checkout', 'operator', 'policy', 'processor', 'user']), id: z.string() }),
  recordedAt: z.int(),
  /** The request or notification that began it all. EventStoreDB finds events by this name ($by_correlation_id). */
  $correlationId: z.string(),
  /** Id of the event that led to this one, which may be in the same append; else the correlation id. */
  $causationId: z.string(),
  operationId: z.string(),
  /** The key under which the personal members are encrypted; absent if the event has none, and of older events. */
  personalKey: z.string().optional(),
  schemaVersion: z.int().min(1),
  previousHash: z.string(),
});
export type EventMetadata = z.infer<typeof EventMetadata>;

/**
 * A newer node wrote this event. The stream waits here until this node is upgraded (503); the event is never ignored.
 */
export class UnknownEvent extends AppError {
  constructor(stored: Pick<StoredEvent, 'stream' | 'revision'>, detail: string) {
    super('UnknownEvent', `${stored.stream}@${stored.revision}: ${detail}; a newer version of the service wrote it`);
  }
}

/**
 * SHA-256 over the stored text of a whole event. JSON text holds no raw newline, so the parts cannot run into each
 * other.
 */
export function hashOf(event: NewEvent & Pick<StoredEvent, 'text' | 'known'>): string {
  const known = sealedEvents.find(event);
  if (known === undefined) return hashed(event);
  known.hash ??= hashed(event);
  return known.hash;
}

const hashed = ({
  id,
  type,
  data,
  metadata,
  text = `${id}\n${type}\n${data}\n${metadata}`,
}: NewEvent & Pick<StoredEvent, 'text'>): string => hash('sha256', text, 'hex');

/** A key of personal data and its id. */
export interface PersonalKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** The id of the key of an event's personal members; undefined if nothing in the event is encrypted. */
export function personalKeyIn({ metadata }: Pick<StoredEvent, 'metadata'>): string | undefined {
  const at = metadata.indexOf(PERSONAL_KEY); // inside a JSON string a quote follows a backslash
  if (at < 0) return undefined;
  const from = at + PERSONAL_KEY.length;
  return metadata.slice(from, metadata.indexOf('"', from));
}
const PERSONAL_KEY = '"personalKey":"';

/** The last event of a stream, as the next one needs it. */
export interface Head {
  readonly revision: number;
  /** Hash of the last event, '' before the first. */
  readonly hash: string;
  /** recordedAt of the last event, 0 before the first. */
  readonly recordedAt: number;
}
export const beforeFirst: Head = { revision: -1, hash: '', recordedAt: 0 };

interface Sealed<Event> {
  readonly event: Event;
  readonly recorded: Recorded;
  readonly stored: NewEvent;
  /** The hash of the stored text. */
  readonly hash: string;
}

/**
 * Makes stored events of domain events: validated, versioned, chained to `head`, each with a fresh random id. They are
 * recorded now, which is when the caller hands them to the store: by an earlier time, such as that of the request, they
 * would change a past that was shown already (contract §4, "?at="). The first is caused by what the context names, and
 * each further one by the event before it: what is decided in one append follows in its order, as an automatic capture
 * from its authorization. `causeOf`: as of Decider. `keys`: by event with personal members; without a key they
 * are recorded plain.
 */
export function seal<Event extends DomainEvent>(
  of: Category<Event>,
  events: readonly Event[],
  context: Context,
  head: Head,
  world: World,
  causeOf?: (event: Event) => string | undefined,
  keys?: ReadonlyMap<object, PersonalKey>,
): readonly Sealed<Event>[] {
  const recordedAt = Math.max(world.now(), head.recordedAt);
  let previousHash = head.hash;
  let causationId = context.causationId ?? context.correlationId;
  const sealed: Sealed<Event>[] = [];
  for (const domainEvent of events) {
    const event = of.event.parse(domainEvent);
    const key = keys?.get(domainEvent);
    const id = newUuid(world);
    const metadata: EventMetadata = {
      accountId: context.accountId,
      actor: context.actor,
      recordedAt,
      $correlationId: context.correlationId,
      $causationId: causeOf?.(event) ?? causationId,
      operationId: context.operationId,
      ...(key !== undefined && { personalKey: key.id }),
      schemaVersion: 1 + (of.upcasters.get(event.type)?.length ?? 0),
      previousHash,
    };
    const data = key === undefined ? event.data : sealedData(of, event, id, key.key, world);
    const stored = new WrittenEvent(id, event.type, data, metadata);
    previousHash = hashed(stored);
    causationId = stored.id;
    sealedEvents.add(stored, previousHash, key && { event, at: recordedAt });
    const revision = head.revision + 1 + sealed.length;
    sealed.push({ event, recorded: { id: stored.id, revision, at: recordedAt }, stored, hash: previousHash });
  }
  return sealed;
}

/** True if personal members of the event are to be encrypted. */
export function isPersonal<Event extends DomainEvent>(of: Category<Event>, { type, data }: Event): boolean {
  const members = of.personal.get(type);
  return members !== undefined && hasPersonal(data, members);
}

/** The event's id is bound into each text, so that none can be moved to another event. */
function sealedData<Event extends DomainEvent>(
  of: Category<Event>,
  { type, data }: Event,
  id: string,
  key: Uint8Array,
  world: Pick<World, 'randomBytes'>,
): object {
  return withPersonal(data, of.personal.get(type) ?? [], (value) =>
    encrypted(key, JSON.stringify(value), world.randomBytes(12), id).toString('base64url'),
  );
}

/** The data with its personal members as they were recorded, or as erased. */
function openedData(stored: StoredEvent, data: unknown, members: readonly PersonalMember[]): unknown {
  const { id, key } = stored;
  const keyId = personalKeyIn(stored);
  if (keyId === undefined || typeof data !== 'object' || data === null) return data;
  if (key === undefined)
    throw new TypeError(`${stored.stream}@${stored.revision} is read without the keys of its store`);
  if (key === 'lost')
    throw new BrokenStream(
      stored,
      `the key of its personal data (${keyId}) is not in the key store, which is damaged or older than the log`,
    );
  return withPersonal(data, members, (value, { erased }) => {
    if (key === 'destroyed') return erased;
    const text = typeof value === 'string' ? decrypted(key, Buffer.from(value, 'base64url'), id) : undefined;
    if (text === undefined)
      throw new BrokenStream(stored, `its personal data does not open with the key ${keyId} of the key store`);
    return JSON.parse(text.toString('utf8'));
  });
}

/** The head after sealed events. */
export function headOf(sealed: readonly Sealed<DomainEvent>[], before: Head): Head {
  const last = sealed.at(-1);
  return last === undefined
    ? before
    : { revision: last.recorded.revision, hash: last.hash, recordedAt: last.recorded.at };
}

/** The parts of a stored event that a fold takes. */
export interface Folding<Event> {
  readonly event: Event;
  readonly recorded: Recorded;
}
export interface Unsealed<Event> extends Folding<Event> {
  readonly metadata: EventMetadata;
}

// Metadata was made by seal and its text is never changed, so reading trusts it; the chain proves it (audit).
const isMetadata = (parsed: unknown): parsed is EventMetadata =>
  typeof parsed === 'object' &&
  parsed !== null &&
  'schemaVersion' in parsed &&
  typeof parsed.schemaVersion === 'number';

/** Throws BrokenStream if it is none. */
export function metadataOf(stored: StoredEvent): EventMetadata {
  const parsed = parsedIn(stored, 'metadata');
  if (!isMetadata(parsed)) throw new BrokenStream(stored, 'its metadata is not readable');
  return parsed;
}

/** Throws BrokenStream if data or metadata of an event are nothing that `seal` makes. */
export function checkReadable(stored: StoredEvent): void {
  metadataOf(stored);
  checkReadableData(stored);
}

/** Throws BrokenStream if data of an event are nothing that `seal` makes. */
export function checkReadableData(stored: StoredEvent): void {
  if (stored.isObject === true) return;
  const data = parsedIn(stored, 'data');
  if (typeof data !== 'object' || data === null) throw new BrokenStream(stored, 'its data is not an object');
}

function parsedIn(stored: StoredEvent, part: 'data' | 'metadata'): unknown {
  try {
    return JSON.parse(stored[part]);
  } catch {
    throw new BrokenStream(stored, `its ${part} is not JSON`);
  }
}

/** The request or notification that began it all. */
export const correlationIdOf = (stored: StoredEvent): string =>
  textIn(stored.metadata, '$correlationId') ?? metadataOf(stored).$correlationId;

/** The domain event in a stored one, as `unsealEvent` has it, with the whole of its metadata. */
export function unseal<Event extends DomainEvent>(of: Category<Event>, stored: StoredEvent): Unsealed<Event> {
  return { ...unsealEvent(of, stored), metadata: metadataOf(stored) };
}

/**
 * The domain event in a stored one, upcast to the current version. Data of the current version is trusted (seal
 * validated it, and validating again would halve the speed of a rebuild); an upcast event is validated. Throws
 * UnknownEvent for a type or version that this node does not know, BrokenStream for unreadable data.
 */
export function unsealEvent<Event extends DomainEvent>(of: Category<Event>, stored: StoredEvent): Folding<Event> {
  const known = sealedEvents.find(stored);
  // erased members are erased for the cache, too
  if (known?.read !== undefined && typeof stored.key !== 'string' && isRecorded(of, known.read.event))
    return { event: known.read.event, recorded: { id: stored.id, revision: stored.revision, at: known.read.at } };
  const schemaVersion =
    versionAtEnd(stored.metadata) ?? numberIn(stored.metadata, 'schemaVersion') ?? metadataOf(stored).schemaVersion;
  const at = numberIn(stored.metadata, 'recordedAt') ?? metadataOf(stored).recordedAt;
  const type = of.types.get(stored.type);
  const upcasters = type === undefined ? undefined : of.upcasters.get(type);
  if (type === undefined || upcasters === undefined) throw new UnknownEvent(stored, `unknown type ${stored.type}`);
  if (schemaVersion > upcasters.length + 1)
    throw new UnknownEvent(stored, `unknown version ${schemaVersion} of ${stored.type}`);
  const recorded = { id: stored.id, revision: stored.revision, at };
  const members = of.personal.get(type);
  const written =
    members === undefined ? parsedIn(stored, 'data') : openedData(stored, parsedIn(stored, 'data'), members);
  if (schemaVersion <= upcasters.length) {
    const data = upcasters.slice(schemaVersion - 1).reduce((older, step) => step(older), written);
    return { event: of.event.parse({ type, data }), recorded };
  }
  const event = { type, data: written };
  if (!isRecorded(of, event)) throw new BrokenStream(stored, 'its data is not an object');
  if (known !== undefined && typeof stored.key !== 'string') known.read = { event, at };
  return { event, recorded };
}

const isRecorded = <Event extends DomainEvent>(
  of: Category<Event>,
  event: { type: string; data: unknown },
): event is Event => of.upcasters.has(event.type) && typeof event.data === 'object' && event.data !== null;

// The results of a version of the service for the golden log, as digests: of each event's schema, each stream's fold,
// each read model.
import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Operation } from '../../src/domain/operation.ts';
import { OfferedMethod, PaymentMethodType } from '../../src/domain/payment-method.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import {
  changed,
  type LogProjection,
  type Projection,
  type StreamProjection,
  type StreamReader,
} from '../../src/projections/projection.ts';
import { FOLDS, type Replay, replayOf } from '../../src/queries/replay-stream.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { categoryOf, idOf } from '../../src/stores/stream-name.ts';
import { ROOT } from '../support/root.ts';

const FILE = join(ROOT, 'test/golden/digests.json');

const Versioned = z.strictObject({ version: z.number(), digest: z.string() });
/**
 * `carried`: each member that the event has carried since its version began, by its path; only those that are on record
 * may not change.
 */
const EventDigest = Versioned.extend({ carried: z.record(z.string(), z.string()).optional() });
type EventDigest = z.infer<typeof EventDigest>;
const Digests = z.strictObject({
  /** The digest of the JSON schema of each `category Type`, with its schemaVersion. */
  events: z.record(z.string(), EventDigest),
  /** The digest of the state that the events of each stream fold to. */
  folds: z.record(z.string(), z.string()),
  /** The digest of the documents and keys of each read model, with its version. */
  readModels: z.record(z.string(), Versioned),
});
export type Digests = z.infer<typeof Digests>;

export async function readDigests(): Promise<Digests> {
  const text = await readFile(FILE, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return '{"events":{},"folds":{},"readModels":{}}';
    throw fault;
  });
  return Digests.parse(JSON.parse(text));
}

export const writeDigests = (digests: Digests): Promise<void> =>
  writeFile(FILE, `${JSON.stringify(digests, undefined, 2)}\n`);

/** The results of this version for the events. */
export const digestsOf = (events: readonly StoredEvent[]): Digests => ({
  events: schemaDigests(),
  folds: Object.fromEntries(Object.entries(statesOf(events)).map(([stream, state]) => [stream, digestOf(state)])),
  readModels: Object.fromEntries(
    allProjections.map(({ name, version, open }) => [
      name,
      { version, digest: open((of) => digestOf(rowsOf(of, events))) },
    ]),
  ),
});

/** The documents of each read model, with the values of their keys. */
export const rowsOfAll = (events: readonly StoredEvent[]): { readonly [readModel: string]: readonly unknown[] } =>
  Object.fromEntries(allProjections.map(({ name, open }) => [name, open((of) => rowsOf(of, events))]));

function schemaDigests(): Digests['events'] {
  const types = [...FOLDS.values()].flatMap(({ category: { name, data, upcasters } }) =>
    [...data].map(([type, schema]) => {
      const version = 1 + (upcasters.get(type)?.length ?? 0);
      return [`${name} ${type}`, { version, ...versionedSchema(schema) }] as const;
    }),
  );
  return Object.fromEntries(types);
}

/**
 * Enumerations that only grow, with what the newest version of their events began with: a schema with one more of them
 * does not differ; a schema without one of them does.
 */
const METHODS = ['PAYMENT_CARD', 'IDEAL', 'BANCONTACT', 'KLARNA', 'PAYPAL', 'SEPA_DEBIT', 'MULTIBANCO'];
const BEGAN_WITH: ReadonlyMap<unknown, readonly string[]> = new Map<unknown, readonly string[]>([
  [Operation, ['authorization', 'capture', 'cancellation', 'refund', 'adjustment']],
  [PaymentMethodType, METHODS],
  [OfferedMethod, [...METHODS, 'APPLE_PAY', 'GOOGLE_PAY']],
]);

/** The values at the beginning, for such an enumeration; undefined for any other schema, or one without one of them. */
export function beganWith(zodSchema: unknown, values: readonly unknown[] = []): readonly string[] | undefined {
  const began = BEGAN_WITH.get(zodSchema);
  return began?.every((one) => values.includes(one)) === true ? began : undefined;
}

/**
 * The JSON Schema of an event's data as its version began: without the members that it has carried since
 * (src/domain/growing.ts).
 */
export function versionedSchema(schema: z.ZodObject): Pick<EventDigest, 'digest' | 'carried'> {
  const carried: Record<string, string> = {};
  const began = z.toJSONSchema(schema, {
    override({ zodSchema, jsonSchema, path }) {
      const values = beganWith(zodSchema, jsonSchema.enum);
      if (values !== undefined) jsonSchema.enum = [...values];
      const { decided } = jsonSchema;
      if (Array.isArray(decided)) jsonSchema.enum = decided;
      delete jsonSchema['decided'];
      if (!(zodSchema instanceof z.ZodObject)) return;
      jsonSchema.additionalProperties = false;
      for (const [name, of] of Object.entries(jsonSchema.properties ?? {})) {
        if (typeof of !== 'object' || of['carried'] !== true) continue;
        carried[[...path, name].join('.')] = digestOf(of);
        delete jsonSchema.properties?.[name];
      }
    },
  });
  return { digest: digestOf(began), ...(Object.keys(carried).length > 0 && { carried }) };
}

/** The state that the events of each stream make. */
export function statesOf(events: readonly StoredEvent[]): { readonly [stream: string]: object } {
  const replays = new Map<string, Replay>();
  for (const stored of events) {
    const before = replays.get(stored.stream) ?? replayOf(stored.stream);
    if (before === undefined) throw new Error(`${stored.stream} is of no category that this version knows`);
    replays.set(stored.stream, before.next(stored));
  }
  return Object.fromEntries([...replays].map(([stream, { state }]) => [stream, state]));
}

/** Every document with the values of its keys, by id. */
function rowsOf<Doc extends object, K extends string>(
  of: Projection<Doc, K>,
  events: readonly StoredEvent[],
): readonly unknown[] {
  const documents = of.kind === 'stream' ? streamDocuments(of, events) : logDocuments(of, events);
  return [...documents]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, doc]) => {
      const keys: Record<string, unknown> = {};
      for (const name in of.keys) keys[name] = of.keys[name](doc);
      return { id, doc, keys };
    });
}

function streamDocuments<Doc extends object, K extends string>(
  { category, project }: StreamProjection<Doc, K>,
  events: readonly StoredEvent[],
): ReadonlyMap<string, Doc> {
  const documents = new Map<string, Doc>();
  for (const stored of events)
    if (categoryOf(stored.stream) === category)
      documents.set(idOf(stored.stream), project(documents.get(idOf(stored.stream)), stored));
  return documents;
}

function logDocuments<Doc extends object, K extends string>(
  { categories, reader, add }: LogProjection<Doc, K>,
  events: readonly StoredEvent[],
): ReadonlyMap<string, Doc> {
  const documents = new Map<string, Doc>();
  const readers = new Map<string, StreamReader<Doc>>();
  for (const stored of events) {
    if (!categories.includes(categoryOf(stored.stream))) continue;
    const { changes, next } = (readers.get(stored.stream) ?? reader)(stored);
    readers.set(stored.stream, next);
    for (const change of changes) documents.set(change.id, changed({ add }, documents.get(change.id), change));
  }
  return documents;
}

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(canonical(value)), 'hex');

/** The value with its members in the order of their names: their order has no meaning. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)]);
}

// A command as it came over the wire, what an answer to it can be, and how a refused one is worded.
import { documentsIn, encode, findElement, isRecord, TYPE } from '../bson/elements.ts';
import type { Filter } from '../query/filter.ts';
import type { Duplicate } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

export interface Command {
  readonly name: string;
  readonly database: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  /** Document sequences that came beside the body, by their names. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}

/** Answers a command with a document, or throws a `CommandError`. */
export type Handler = (command: Command, store: Store) => Buffer;

export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: number, codeName: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.codeName = codeName;
    this.details = details;
  }
}

export const badValue = (message: string): CommandError => new CommandError(2, 'BadValue', message);

export const missing = (path: string): CommandError =>
  new CommandError(40414, 'Location40414', `BSON field '${path}' is missing but a required field`);

export const errorReply = ({ code, codeName, message, details }: CommandError): Buffer =>
  encode({ ok: 0, errmsg: message, code, codeName, ...details });

/** The collection that the command names, with its database. */
export function namespaceOf({ name, database, body }: Command): string {
  const collection = body[name];
  if (typeof collection !== 'string' || collection === '') {
    throw new CommandError(73, 'InvalidNamespace', `collection name has invalid type or is empty`);
  }
  return `${database}.${collection}`;
}

/** A list of documents that came in a sequence or in the body. */
export function documentsOf(command: Command, name: string): readonly Buffer[] {
  const sequence = command.sequences.get(name);
  if (sequence !== undefined) return sequence;
  const array = findElement(command.bytes, name);
  if (array === undefined || array.type !== TYPE.array) throw missing(`${command.name}.${name}`);
  return documentsIn(command.bytes, array);
}

export const filterOf = (value: unknown): Filter => (isRecord(value) ? value : {});

export const numberOf = (value: unknown, otherwise: number): number => (value === undefined ? otherwise : Number(value));

const worded = (value: unknown): string => {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'ObjectId')
    return `ObjectId('${String(value)}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  return value === undefined || value === null ? 'null' : String(value);
};

/** Code 11000 as the real server words it. */
export function duplicateError(namespace: string, { index, values }: Duplicate): CommandError {
  const names = Object.keys(index.key);
  const key = names.map((name, i) => `${name}: ${worded(values[i])}`).join(', ');
  return new CommandError(
    11000,
    'DuplicateKey',
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${key} }`,
    {
      keyPattern: index.key,
      keyValue: Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])),
    },
  );
}

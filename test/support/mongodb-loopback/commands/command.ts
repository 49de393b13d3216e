// A command as it came over the wire, and readers of its parts.
import { documentsIn, findElement, isRecord, TYPE } from '../bson/elements.ts';
import type { Filter } from '../query/filter.ts';
import type { Store } from '../storage/store.ts';
import { CommandError, missing } from './command-error.ts';

export interface Command {
  readonly name: string;
  readonly database: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  /** The document sequences next to the body, by name. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
}

/** Answers a command with a document, or throws a `CommandError`. */
export type Handler = (command: Command, store: Store) => Buffer;

/** The collection that the command names, with its database. */
export function namespaceOf({ name, database, body }: Command): string {
  const collection = body[name];
  if (typeof collection !== 'string' || collection === '') {
    throw new CommandError(73, 'InvalidNamespace', `collection name has invalid type or is empty`);
  }
  return `${database}.${collection}`;
}

/** A list of documents from a sequence or from the body. */
export function documentsOf(command: Command, name: string): readonly Buffer[] {
  const sequence = command.sequences.get(name);
  if (sequence !== undefined) return sequence;
  const array = findElement(command.bytes, name);
  if (array === undefined || array.type !== TYPE.array) throw missing(`${command.name}.${name}`);
  return documentsIn(command.bytes, array);
}

export const filterOf = (value: unknown): Filter => (isRecord(value) ? value : {});

export const numberOf = (value: unknown, otherwise: number): number =>
  value === undefined ? otherwise : Number(value);

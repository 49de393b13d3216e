// The common part of insert, update and delete: statements one after another, each with its own outcome.
import { encode, findElement, TYPE } from '../bson/elements.ts';
import type { Filter } from '../query/filter.ts';
import { candidates } from '../query/plan.ts';
import { checkId } from '../query/update-document.ts';
import type { Collection } from '../storage/collection.ts';
import { idKey, idOf } from '../storage/id-key.ts';
import { type Command, numberOf } from './command.ts';
import { CommandError, duplicateError } from './command-error.ts';

const DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Runs the statements. An ordered command stops at the first failure. Answers the write errors. */
export function eachStatement(
  command: Command,
  statements: readonly Buffer[],
  run: (statement: Buffer, index: number, id: number) => void,
): readonly object[] {
  const first = numberOf(command.body['stmtId'], 0);
  const stmtIds: readonly unknown[] | undefined = Array.isArray(command.body['stmtIds'])
    ? command.body['stmtIds']
    : undefined;
  const writeErrors: object[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index, stmtIds === undefined ? first + index : Number(stmtIds[index]));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, code: error.code, errmsg: error.message, ...error.details });
      if (command.body['ordered'] !== false) break;
    }
  }
  return writeErrors;
}

export const withErrors = (reply: object, writeErrors: readonly object[]): Buffer =>
  encode({ ...reply, ...(writeErrors.length > 0 ? { writeErrors } : {}), ok: 1 });

export function checked(doc: Buffer): Buffer {
  if (doc.length > DOCUMENT_BYTES)
    throw new CommandError(
      10334,
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${doc.length}, max size: ${DOCUMENT_BYTES}`,
    );
  const id = findElement(doc, '_id');
  if (id?.type === TYPE.array) throw new CommandError(53, 'InvalidIdField', "The '_id' value cannot be of type array");
  return doc;
}

/** Inserts a document; the given bytes are kept, not copied. Throws a CommandError if a key is taken. */
export function insertDocument(collection: Collection, doc: Buffer): void {
  const duplicate = collection.insert(idKey(idOf(doc)), doc);
  if (duplicate !== undefined) throw duplicateError(collection.namespace, duplicate);
}

/** Replaces a document. Answers whether that changed it. Keeps bytes and throws as `insert` does. */
export function replaceDocument(collection: Collection, before: Buffer, after: Buffer): boolean {
  if (before.equals(after)) return false;
  checkId(before, after);
  const duplicate = collection.replace(idKey(idOf(before)), checked(after));
  if (duplicate !== undefined) throw duplicateError(collection.namespace, duplicate);
  return true;
}

/** The documents that a statement's filter matches. */
export function targets(collection: Collection | undefined, filter: Filter, multi: boolean): readonly Buffer[] {
  if (collection === undefined) return [];
  const { docs, matches } = candidates(collection, filter, []);
  const found: Buffer[] = [];
  for (const doc of docs) {
    if (!matches(doc)) continue;
    found.push(doc);
    if (!multi) break;
  }
  return found;
}

// insert, update, delete: statements one after the other, each with its own outcome.
import {
  decode,
  documentsIn,
  type Element,
  elements,
  encode,
  findElement,
  isNamed,
  isRecord,
  readField,
  readValue,
  TYPE,
} from '../bson/elements.ts';
import type { Filter } from '../query/filter.ts';
import { candidates } from '../query/plan.ts';
import { checkId, readUpdate, type Update, upsertedDocument, withIdFirst } from '../query/update-document.ts';
import type { Collection } from '../storage/collection.ts';
import { idKey, idOf } from '../storage/id-key.ts';
import type { Attempt } from '../storage/sessions.ts';
import type { Store } from '../storage/store.ts';
import {
  badValue,
  type Command,
  CommandError,
  documentsOf,
  duplicateError,
  type Handler,
  missing,
  namespaceOf,
  numberOf,
} from './command.ts';

const DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Runs each statement; of an ordered command none behind the first that fails. Answers the write errors. */
function eachStatement(
  command: Command,
  statements: readonly Buffer[],
  run: (statement: Buffer, index: number, id: number) => void,
): readonly object[] {
  const first = numberOf(command.body['stmtId'], 0);
  const stmtIds: readonly unknown[] | undefined = Array.isArray(command.body['stmtIds']) ? command.body['stmtIds'] : undefined;
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

const withErrors = (reply: object, writeErrors: readonly object[]): Buffer =>
  encode({ ...reply, ...(writeErrors.length > 0 ? { writeErrors } : {}), ok: 1 });

function checked(doc: Buffer): Buffer {
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

/** The statement's document lies in what the socket read: it is copied. */
export function insertDocument(collection: Collection, doc: Buffer): void {
  const duplicate = collection.insert(idKey(idOf(doc)), doc);
  if (duplicate !== undefined) throw duplicateError(collection.namespace, duplicate);
}

/** Answers whether that changed anything. */
export function replaceDocument(collection: Collection, before: Buffer, after: Buffer): boolean {
  if (before.equals(after)) return false;
  checkId(before, after);
  const duplicate = collection.replace(idKey(idOf(before)), checked(after));
  if (duplicate !== undefined) throw duplicateError(collection.namespace, duplicate);
  return true;
}

export const insert: Handler = (command, store) => {
  const collection = store.made(namespaceOf(command));
  const attempt = store.sessions.begin(command);
  let n = 0;
  const writeErrors = eachStatement(command, documentsOf(command, 'documents'), (doc, _index, id) => {
    if (attempt.before(id) === undefined) {
      insertDocument(collection, Buffer.from(checked(withIdFirst(doc))));
      attempt.changed(id);
    }
    n += 1;
  });
  attempt.end();
  return withErrors({ n }, writeErrors);
};

interface Statement {
  readonly filter: Filter;
  readonly update: Update;
  readonly upsert: boolean;
  readonly multi: boolean;
}

/** One pass: this is most of what the server does all day. */
function readStatement(statement: Buffer): Statement {
  let q: Element | undefined;
  let u: Element | undefined;
  let upsert = false;
  let multi = false;
  let arrayFilters: readonly Filter[] = [];
  for (const element of elements(statement)) {
    if (isNamed(statement, element.start, 'q')) q = element;
    else if (isNamed(statement, element.start, 'u')) u = element;
    else if (isNamed(statement, element.start, 'upsert')) upsert = readValue(statement, element) === true;
    else if (isNamed(statement, element.start, 'multi')) multi = readValue(statement, element) === true;
    else if (isNamed(statement, element.start, 'arrayFilters')) arrayFilters = documentsIn(statement, element).map(decode);
    else if (isNamed(statement, element.start, 'collation')) throw badValue('collations are not served here');
  }
  if (q === undefined || u === undefined) throw missing(`update.updates.${q === undefined ? 'q' : 'u'}`);
  return { filter: decode(statement.subarray(q.value, q.end)), update: readUpdate(statement, u, arrayFilters), upsert, multi };
}

function matching(collection: Collection | undefined, filter: Filter, multi: boolean): readonly Buffer[] {
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

/** What an update command has done so far. */
class Updating {
  readonly #store: Store;
  readonly #namespace: string;
  readonly #attempt: Attempt;
  readonly #upserted: { readonly index: number; readonly _id: unknown }[] = [];
  #matched = 0;
  #modified = 0;

  constructor(command: Command, store: Store) {
    this.#store = store;
    this.#namespace = namespaceOf(command);
    this.#attempt = store.sessions.begin(command);
  }

  run(statement: Buffer, index: number, id: number): void {
    const before = this.#attempt.before(id);
    if (before === undefined) this.#update(readStatement(statement), index, id);
    else {
      this.#matched += 1;
      if (before.upserted === undefined) this.#modified += 1;
      else this.#upserted.push({ index, _id: before.upserted.id });
    }
  }

  end(): object {
    this.#attempt.end();
    const upserted = this.#upserted.length === 0 ? {} : { upserted: this.#upserted };
    return { n: this.#matched, nModified: this.#modified, ...upserted };
  }

  #update({ filter, update, upsert, multi }: Statement, index: number, id: number): void {
    if (multi && update.replaces) throw new CommandError(9, 'FailedToParse', 'multi update is not supported for replacement-style update');
    const collection = this.#store.collection(this.#namespace);
    const found = matching(collection, filter, multi);
    for (const before of found) {
      const isChanged = collection !== undefined && replaceDocument(collection, before, update.apply(before, false));
      this.#matched += 1;
      if (!isChanged) continue;
      this.#modified += 1;
      this.#attempt.changed(id);
    }
    if (found.length === 0 && upsert) this.#upsert(checked(upsertedDocument(filter, update)), index, id);
  }

  #upsert(doc: Buffer, index: number, id: number): void {
    const collection = this.#store.made(this.#namespace);
    this.#store.overtaking.insert(collection, idOf(doc));
    insertDocument(collection, doc);
    this.#matched += 1;
    this.#upserted.push({ index, _id: idOf(doc) });
    this.#attempt.upserted(id, idOf(doc));
  }
}

export const update: Handler = (command, store) => {
  const updating = new Updating(command, store);
  const writeErrors = eachStatement(command, documentsOf(command, 'updates'), (statement, index, id) => updating.run(statement, index, id));
  return withErrors(updating.end(), writeErrors);
};

function deleteDocuments(collection: Collection | undefined, statement: Buffer): number {
  if (findElement(statement, 'collation') !== undefined) throw badValue('collations are not served here');
  const filter: unknown = readField(statement, 'q');
  const found = matching(collection, isRecord(filter) ? filter : {}, readField(statement, 'limit') !== 1);
  for (const doc of found) collection?.remove(idKey(idOf(doc)));
  return found.length;
}

/** `delete` is a word of the language. */
export const deletion: Handler = (command, store: Store) => {
  const collection = store.collection(namespaceOf(command));
  const attempt = store.sessions.begin(command);
  let n = 0;
  const writeErrors = eachStatement(command, documentsOf(command, 'deletes'), (statement, _index, id) => {
    const before = attempt.before(id);
    const deleted = before === undefined ? deleteDocuments(collection, statement) : 1;
    if (before === undefined && deleted > 0) attempt.changed(id);
    n += deleted;
  });
  attempt.end();
  return withErrors({ n }, writeErrors);
};

// Applies an update to a document: top-level fields are spliced as bytes; mingo does all else.

import { ObjectId } from 'bson';
import { updateOne } from 'mingo';
import {
  decode,
  documentsIn,
  type Element,
  EMPTY_DOCUMENT,
  elementBytes,
  elements,
  encode,
  findElement,
  isRecord,
  joinDocument,
  nameOf,
  readValue,
  TYPE,
} from '../bson/elements.ts';
import { compareValues } from '../bson/order.ts';
import { CommandError } from '../commands/command-error.ts';
import { equalities, type Filter } from './filter.ts';
import { fieldsOf, hasPaths, splice } from './splice.ts';

/** Makes the new document from the old one. `inserting` applies `$setOnInsert`. */
export interface Update {
  /** True if the update replaces the whole document. */
  readonly replaces: boolean;
  apply(doc: Buffer, inserting: boolean): Buffer;
}

const DOLLAR = 0x24;
const SPLICED: ReadonlySet<string> = new Set(['$set', '$setOnInsert', '$unset']);

const immutableId = (): CommandError =>
  new CommandError(
    66,
    'ImmutableField',
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );

/** An update may only name the id that the document has. */
export function checkId(before: Buffer, after: Buffer): void {
  const was = findElement(before, '_id');
  const is = findElement(after, '_id');
  if (was === undefined) return;
  if (is !== undefined && before.compare(after, is.start, is.end, was.start, was.end) === 0) return;
  if (is === undefined || compareValues(readValue(before, was), readValue(after, is)) !== 0) throw immutableId();
}

function replacement(doc: Buffer): Update {
  const ownId = findElement(doc, '_id');
  return {
    replaces: true,
    apply: (before) => {
      const id = ownId === undefined ? findElement(before, '_id') : undefined;
      // A copy, so that the socket's buffer is not kept in memory.
      return id === undefined ? Buffer.from(doc) : joinDocument([before.subarray(id.start, id.end), elementBytes(doc)]);
    },
  };
}

function spliced(operators: ReadonlyMap<string, Buffer>): Update {
  const set = operators.get('$set') ?? EMPTY_DOCUMENT;
  const onInsert = operators.get('$setOnInsert') ?? EMPTY_DOCUMENT;
  const unset = operators.get('$unset') ?? EMPTY_DOCUMENT;
  return {
    replaces: false,
    apply: (doc, inserting) => splice(doc, inserting ? joinDocument([set, onInsert].map(elementBytes)) : set, unset),
  };
}

/** Fields that mingo did not change keep their bytes, and so their types. */
function keepBytes(
  before: Buffer,
  was: Readonly<Record<string, unknown>>,
  is: Readonly<Record<string, unknown>>,
): Buffer {
  const kept = fieldsOf(before);
  const parts = Object.entries(is).map(([name, value]) => {
    const bytes = kept.get(name);
    return bytes !== undefined && compareValues(was[name], value) === 0
      ? bytes
      : elementBytes(encode({ [name]: value }));
  });
  return joinDocument(parts);
}

function byMingo(update: unknown, arrayFilters: readonly Filter[]): Update {
  return {
    replaces: false,
    apply: (doc, inserting) => {
      const docs = [decode(doc)];
      let modifier: unknown = update;
      if (isRecord(update)) {
        const { $setOnInsert: onInsert, ...others } = update;
        const set = {
          ...(isRecord(others['$set']) ? others['$set'] : {}),
          ...(inserting && isRecord(onInsert) ? onInsert : {}),
        };
        modifier = { ...others, ...(Object.keys(set).length > 0 ? { $set: set } : {}) };
      }
      try {
        updateOne(docs, {}, Object(modifier), { arrayFilters: [...arrayFilters], cloneMode: 'deep' });
      } catch (error) {
        throw new CommandError(9, 'FailedToParse', error instanceof Error ? error.message : String(error));
      }
      return keepBytes(doc, decode(doc), docs[0] ?? {});
    },
  };
}

/** Reads the `u` of a statement. */
export function readUpdate(statement: Buffer, u: Element, arrayFilters: readonly Filter[]): Update {
  const doc = statement.subarray(u.value, u.end);
  if (u.type === TYPE.array) return byMingo(documentsIn(statement, u).map(decode), []);
  if (doc[5] !== DOLLAR) return replacement(doc);
  const operators = new Map<string, Buffer>();
  let plain = arrayFilters.length === 0;
  for (const element of elements(doc)) {
    const name = nameOf(doc, element);
    const fields = doc.subarray(element.value, element.end);
    operators.set(name, fields);
    plain &&= SPLICED.has(name) && element.type === TYPE.object && !hasPaths(fields);
  }
  return plain ? spliced(operators) : byMingo(decode(doc), arrayFilters);
}

/** The document that an upsert inserts when nothing matches. */
export function upsertedDocument(filter: Filter, update: Update): Buffer {
  const demanded = equalities(filter);
  const named = [...demanded].filter(([path]) => path === '_id' || !update.replaces);
  const flat = encode(Object.fromEntries(named.filter(([path]) => !path.includes('.'))));
  const deep = Object.fromEntries(named.filter(([path]) => path.includes('.')));
  const base = Object.keys(deep).length === 0 ? flat : byMingo({ $set: deep }, []).apply(flat, true);
  const doc = update.apply(base, true);
  checkId(base, doc);
  return withIdFirst(doc);
}

/** The document, with a new id if it has none. */
export function withIdFirst(doc: Buffer): Buffer {
  const id = findElement(doc, '_id');
  if (id === undefined) return joinDocument([elementBytes(encode({ _id: new ObjectId() })), elementBytes(doc)]);
  if (id.start === 4) return doc;
  return joinDocument([
    doc.subarray(id.start, id.end),
    doc.subarray(4, id.start),
    doc.subarray(id.end, doc.length - 1),
  ]);
}

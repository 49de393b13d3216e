// The update command.
import { decode, documentsIn, type Element, elements, isNamed, readValue } from '../bson/elements.ts';
import type { Filter } from '../query/filter.ts';
import { readUpdate, type Update, upsertedDocument } from '../query/update-document.ts';
import { idOf } from '../storage/id-key.ts';
import type { Attempt } from '../storage/sessions.ts';
import type { Store } from '../storage/store.ts';
import { type Command, documentsOf, type Handler, namespaceOf } from './command.ts';
import { badValue, CommandError, missing } from './command-error.ts';
import { checked, eachStatement, insertDocument, replaceDocument, targets, withErrors } from './statements.ts';

interface Statement {
  readonly filter: Filter;
  readonly update: Update;
  readonly upsert: boolean;
  readonly multi: boolean;
}

/** Reads a statement in one pass, because updates are most of the server's work. */
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
    else if (isNamed(statement, element.start, 'arrayFilters'))
      arrayFilters = documentsIn(statement, element).map(decode);
    else if (isNamed(statement, element.start, 'collation')) throw badValue('collations are not served here');
  }
  if (q === undefined || u === undefined) throw missing(`update.updates.${q === undefined ? 'q' : 'u'}`);
  return {
    filter: decode(statement.subarray(q.value, q.end)),
    update: readUpdate(statement, u, arrayFilters),
    upsert,
    multi,
  };
}

/** The results of an update command so far. */
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
    this.#attempt = store.sessions.begin(command.body);
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
    if (multi && update.replaces)
      throw new CommandError(9, 'FailedToParse', 'multi update is not supported for replacement-style update');
    const collection = this.#store.collection(this.#namespace);
    const found = targets(collection, filter, multi);
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
  const writeErrors = eachStatement(command, documentsOf(command, 'updates'), (statement, index, id) =>
    updating.run(statement, index, id),
  );
  return withErrors(updating.end(), writeErrors);
};

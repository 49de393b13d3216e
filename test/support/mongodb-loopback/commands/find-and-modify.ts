// findAndModify: finds one document in an order, changes or removes it, and answers it as it was or is.
import { decode, encode, findElement, isRecord, TYPE } from '../bson/elements.ts';
import { compileProjection } from '../query/projection.ts';
import { sortFields } from '../query/sort.ts';
import { readUpdate, upsertedDocument } from '../query/update-document.ts';
import { idKey, idOf } from '../storage/id-key.ts';
import type { Store } from '../storage/store.ts';
import { type Command, filterOf, type Handler, namespaceOf } from './command.ts';
import { CommandError } from './command-error.ts';
import { matching } from './reads.ts';
import { insertDocument, replaceDocument } from './statements.ts';

interface Outcome {
  readonly lastErrorObject: { readonly n: number; readonly updatedExisting?: boolean; readonly upserted?: unknown };
  readonly value: Buffer | undefined;
}

function modify(command: Command, store: Store): Outcome {
  const { body, bytes } = command;
  const collection = store.made(namespaceOf(command));
  const filter = filterOf(body['query']);
  const [before] = matching(store, collection.namespace, { filter, sort: sortFields(body['sort']), skip: 0, limit: 1 });
  if (body['remove'] === true) {
    if (before !== undefined) collection.remove(idKey(idOf(before)));
    return { lastErrorObject: { n: before === undefined ? 0 : 1 }, value: before };
  }
  const u = findElement(bytes, 'update');
  if (u === undefined || (u.type !== TYPE.object && u.type !== TYPE.array))
    throw new CommandError(9, 'FailedToParse', 'Either an update or remove=true must be specified');
  const update = readUpdate(bytes, u, Array.isArray(body['arrayFilters']) ? body['arrayFilters'].filter(isRecord) : []);
  if (before !== undefined) {
    const after = update.apply(before, false);
    replaceDocument(collection, before, after);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: body['new'] === true ? after : before };
  }
  if (body['upsert'] !== true) return { lastErrorObject: { n: 0, updatedExisting: false }, value: undefined };
  const doc = upsertedDocument(filter, update);
  insertDocument(collection, doc);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: idOf(doc) },
    value: body['new'] === true ? doc : undefined,
  };
}

export const findAndModify: Handler = (command, store) => {
  const attempt = store.sessions.begin(command.body);
  if (attempt.before(0) !== undefined && isRecord(attempt.value)) return encode(attempt.value);
  const { lastErrorObject, value } = modify(command, store);
  const project = compileProjection(command.body['fields']);
  const reply = {
    lastErrorObject,
    value: value === undefined ? null : decode(project === undefined ? value : project(value)),
    ok: 1,
  };
  if (lastErrorObject.n > 0) attempt.value = reply;
  attempt.end();
  return encode(reply);
};

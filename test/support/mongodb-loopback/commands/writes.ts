// The commands insert and delete.
import { findElement, isRecord, readField } from '../bson/elements.ts';
import { withIdFirst } from '../query/update-document.ts';
import type { Collection } from '../storage/collection.ts';
import { idKey, idOf } from '../storage/id-key.ts';
import { documentsOf, type Handler, namespaceOf } from './command.ts';
import { badValue } from './command-error.ts';
import { checked, eachStatement, insertDocument, targets, withErrors } from './statements.ts';

export const insert: Handler = (command, store) => {
  const collection = store.made(namespaceOf(command));
  const attempt = store.sessions.begin(command.body);
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

function deleteDocuments(collection: Collection | undefined, statement: Buffer): number {
  if (findElement(statement, 'collation') !== undefined) throw badValue('collations are not served here');
  const filter: unknown = readField(statement, 'q');
  const found = targets(collection, isRecord(filter) ? filter : {}, readField(statement, 'limit') !== 1);
  for (const doc of found) collection?.remove(idKey(idOf(doc)));
  return found.length;
}

/** The command `delete`, which is a keyword of TypeScript. */
export const deletion: Handler = (command, store) => {
  const collection = store.collection(namespaceOf(command));
  const attempt = store.sessions.begin(command.body);
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

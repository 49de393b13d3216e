// Checks a stored document against the type that it was written under: the port accepts documents and nothing else.
import type { Collection } from './read-models.ts';

/** For what may be no document: it was read as JSON a moment ago. */
export const isDocOf = <Doc extends object, K extends string>(_of: Collection<Doc, K>, doc: unknown): doc is Doc =>
  typeof doc === 'object' && doc !== null;

/** Throws a TypeError if it is not a document. */
export function docOf<Doc extends object, K extends string>(of: Collection<Doc, K>, doc: unknown): Doc {
  if (!isDocOf(of, doc)) throw new TypeError(`${of.name} contains something that is not a document`);
  return doc;
}

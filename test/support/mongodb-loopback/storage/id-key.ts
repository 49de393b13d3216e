// Ids of documents as keys of a map.
import { findElement, joinDocument, readValue } from '../bson/elements.ts';

/** Two keys are equal exactly when the ids are. */
export type IdKey = string | number | boolean | null;

export function idKey(id: unknown): IdKey {
  switch (typeof id) {
    case 'string':
      return id.startsWith('\0') ? `\0s${id}` : id;
    case 'number':
    case 'boolean':
      return id;
    case 'bigint':
      return `\0n${id}`;
    default:
      return id === null || id === undefined ? null : `\0o${JSON.stringify(id)}`;
  }
}

export function idOf(doc: Buffer): unknown {
  const element = findElement(doc, '_id');
  return element === undefined ? undefined : readValue(doc, element);
}

/** A document with only its id. */
export function onlyId(doc: Buffer): Buffer {
  const element = findElement(doc, '_id');
  return joinDocument(element === undefined ? [] : [doc.subarray(element.start, element.end)]);
}

// Sets and unsets top-level fields of a document as bytes.
import { type Element, elementBytes, elements, findElement, joinDocument, nameOf } from '../bson/elements.ts';

/** The bytes of fields, by name. */
export type Fields = Map<string, Buffer>;

export function fieldsOf(doc: Buffer): Fields {
  const fields: Fields = new Map();
  for (const element of elements(doc)) fields.set(nameOf(doc, element), doc.subarray(element.start, element.end));
  return fields;
}

const DOT = 0x2e;

/** True if a name leads below the top level. */
export const hasPaths = (fields: Buffer): boolean =>
  elements(fields).some(({ start, value }) => {
    const dot = fields.indexOf(DOT, start + 1);
    return dot !== -1 && dot < value;
  });

const sameName = (a: Buffer, one: Element, b: Buffer, other: Element): boolean => {
  const length = one.value - one.start - 1;
  if (other.value - other.start - 1 !== length) return false;
  for (let i = 1; i <= length; i += 1) if (a[one.start + i] !== b[other.start + i]) return false;
  return true;
};

/** True if `set` names all fields of the document after its id, in the same order, or the document has only an id. */
function replacesAll(doc: Buffer, set: Buffer, id: Element): boolean {
  if (id.start !== 4) return false;
  const old = elements(doc);
  if (old.length === 1) return true;
  const fresh = elements(set);
  if (old.length !== fresh.length + 1) return false;
  for (let i = 0; i < fresh.length; i += 1) {
    const one = old[i + 1];
    const other = fresh[i];
    if (one === undefined || other === undefined || !sameName(doc, one, set, other)) return false;
  }
  return true;
}

/** Sets and unsets fields. Old fields keep their places, and new ones follow. */
export function splice(doc: Buffer, set: Buffer, unset: Buffer): Buffer {
  const id = findElement(doc, '_id');
  // Most guarded writes replace all fields but the id, in their old order.
  if (id !== undefined && unset.length === 5 && findElement(set, '_id') === undefined && replacesAll(doc, set, id)) {
    return joinDocument([doc.subarray(id.start, id.end), elementBytes(set)]);
  }
  return spliceByName(doc, fieldsOf(set), fieldsOf(unset));
}

/** Neighbouring unchanged fields are copied at once. */
function spliceByName(doc: Buffer, set: Fields, unset: Fields): Buffer {
  const parts: Buffer[] = [];
  let from = 4;
  for (const element of elements(doc)) {
    const name = nameOf(doc, element);
    const field = set.get(name);
    if (field === undefined && !unset.has(name)) continue;
    if (element.start > from) parts.push(doc.subarray(from, element.start));
    if (field !== undefined) parts.push(field);
    set.delete(name);
    from = element.end;
  }
  if (doc.length - 1 > from) parts.push(doc.subarray(from, doc.length - 1));
  parts.push(...set.values());
  return joinDocument(parts);
}

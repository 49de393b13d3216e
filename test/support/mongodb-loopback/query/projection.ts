// Projections: keeps or drops top-level fields as bytes; mingo does all others.
import { Query } from 'mingo';
import { decode, elements, encode, isRecord, joinDocument, nameOf } from '../bson/elements.ts';

export type Project = (doc: Buffer) => Buffer;

const isFlag = (value: unknown): boolean => value === 0 || value === 1 || value === true || value === false;

function byMingo(projection: Readonly<Record<string, unknown>>): Project {
  const query = new Query({});
  return (doc) => {
    const [projected] = query.find<Record<string, unknown>>([decode(doc)], projection).all();
    return encode(projected ?? {});
  };
}

/** Undefined if documents are answered unchanged. */
export function compileProjection(projection: unknown): Project | undefined {
  if (!isRecord(projection) || Object.keys(projection).length === 0) return undefined;
  const fields = Object.entries(projection);
  if (fields.some(([name, value]) => name.includes('.') || !isFlag(value))) return byMingo(projection);
  const others = fields.filter(([name]) => name !== '_id');
  const includes = others.length === 0 ? Boolean(projection['_id']) : Boolean(others[0]?.[1]);
  if (others.some(([, value]) => Boolean(value) !== includes)) return byMingo(projection);
  const named = new Set(others.map(([name]) => name));
  const withId = projection['_id'] === undefined ? true : Boolean(projection['_id']);
  const keeps = (name: string): boolean => (name === '_id' ? withId : named.has(name) === includes);
  return (doc) => {
    const parts: Buffer[] = [];
    for (const element of elements(doc))
      if (keeps(nameOf(doc, element))) parts.push(doc.subarray(element.start, element.end));
    return joinDocument(parts);
  };
}

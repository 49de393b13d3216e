// Refusals of commands, with the real server's codes and texts.
import { encode } from '../bson/elements.ts';
import type { Duplicate } from '../storage/collection.ts';

export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: number, codeName: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.codeName = codeName;
    this.details = details;
  }
}

export const badValue = (message: string): CommandError => new CommandError(2, 'BadValue', message);

export const missing = (path: string): CommandError =>
  new CommandError(40414, 'Location40414', `BSON field '${path}' is missing but a required field`);

export const errorReply = ({ code, codeName, message, details }: CommandError): Buffer =>
  encode({ ok: 0, errmsg: message, code, codeName, ...details });

const worded = (value: unknown): string => {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'object' && value !== null && '_bsontype' in value && value._bsontype === 'ObjectId')
    return `ObjectId('${String(value)}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  return value === undefined || value === null ? 'null' : String(value);
};

/** Code 11000, in the real server's words. */
export function duplicateError(namespace: string, { index, values }: Duplicate): CommandError {
  const names = Object.keys(index.key);
  const key = names.map((name, i) => `${name}: ${worded(values[i])}`).join(', ');
  return new CommandError(
    11000,
    'DuplicateKey',
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${key} }`,
    {
      keyPattern: index.key,
      keyValue: Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])),
    },
  );
}

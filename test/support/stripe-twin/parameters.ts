// The parameters of a request: their schemas, and Stripe's errors where they do not fit.
import { z } from 'zod';
import { type Failure, invalid } from './failure.ts';
import type { Form } from './form.ts';

export const Integer = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
export const Flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const Expand = z.array(z.string()).optional();
const KEYS = 50;
/** An empty value deletes the key. */
export const Metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((metadata) => Object.keys(metadata).length <= KEYS)
  .optional();

/** The metadata after a request has set, or deleted, some keys. Throws Stripe's 400 for more than 50. */
export function merged(
  known: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const kept = Object.entries({ ...known, ...sent }).filter(([, value]) => value !== '');
  if (kept.length > KEYS) throw invalid(`Metadata can have at most ${KEYS} keys.`, { param: 'metadata' });
  return Object.fromEntries(kept);
}

/** The parsed parameters. Throws Stripe's 400 for the first that does not fit; `isLenient` ignores unknown ones. */
export function parse<T>(schema: z.ZodType<T>, form: Form, isLenient: boolean): T {
  const parsed = schema.safeParse(form);
  if (parsed.success) return parsed.data;
  const [unknown, other] = [isUnknown, (issue: z.core.$ZodIssue) => !isUnknown(issue)].map((which) =>
    parsed.error.issues.find(which),
  );
  if (unknown?.code === 'unrecognized_keys') {
    if (!isLenient) throw unknownParameter([...unknown.path, unknown.keys[0] ?? '']);
    if (other === undefined) return parse(schema, without(form, unknown.path, unknown.keys), isLenient);
  }
  const path = other?.path ?? [];
  const param = nameOf(path);
  if (valueAt(form, path) === undefined)
    throw invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  const isInteger = /amount|limit/.test(param);
  throw invalid(`Invalid ${param}.`, isInteger ? { code: 'parameter_invalid_integer', param } : { param });
}

const isUnknown = (issue: z.core.$ZodIssue): boolean => issue.code === 'unrecognized_keys';

function unknownParameter(path: readonly PropertyKey[]): Failure {
  const param = nameOf(path);
  if (param === 'payment_method_types')
    return invalid('payment_method_types is no longer supported: use allowed_payment_method_types.', {
      code: 'payment_method_types_no_longer_supported',
      param,
    });
  return invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
}

const nameOf = ([first = '', ...rest]: readonly PropertyKey[]): string =>
  String(first) + rest.map((name) => `[${String(name)}]`).join('');

function valueAt(form: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    form,
  );
}

function without(form: Form, path: readonly PropertyKey[], keys: readonly string[]): Form {
  const [first, ...rest] = path;
  const members = Object.entries(form).flatMap(([name, value]) => {
    if (first === undefined) return keys.includes(name) ? [] : [[name, value] as const];
    const isInner = name === first && typeof value === 'object' && !Array.isArray(value);
    return [[name, isInner ? without(value as Form, rest, keys) : value] as const];
  });
  return Object.fromEntries(members);
}

// The mark of a member of an event that holds personal data: the journal encrypts it under the key of its person.
import { z } from 'zod';

/** A member that the journal encrypts: where it is in the data of its event, and what an erased one reads as. */
export interface PersonalMember {
  /** Names of members from the outermost on; `*` is every element of a list. A later version keeps the place. */
  readonly path: readonly string[];
  /** Undefined: the member is left out. */
  readonly erased: unknown;
}

/** The person whom an event concerns: the customer of an account, or what stands for a customer who has no id yet. */
export interface PersonalSubject {
  readonly accountId: string;
  readonly customerId?: string | undefined;
  /** Without a customer id: for example `session <id>`. */
  readonly otherwise: string;
}

/** Not among the descriptions of schemas, which pages show. */
const marks = z.registry<{ readonly erased: unknown }>();

/** Marks a schema as personal data. `erased`: what a required member reads as after its key was destroyed. */
export function personal<S extends z.ZodType>(schema: S, erased?: z.infer<S>): S {
  const marked = schema.clone();
  marks.add(marked, { erased });
  return marked;
}

/**
 * An event of each stream that holds personal data of an erased customer: the fold is without it from then on, and the
 * key of the earlier events is destroyed (decision 162). `erasedAt`: ms.
 */
export const CustomerErased = z.strictObject({ erasedAt: z.number() });

/** The personal members of a schema, outermost ones only: what is inside one of them is encrypted with it. */
export function personalIn(schema: unknown, path: readonly string[] = []): readonly PersonalMember[] {
  if (!(schema instanceof z.ZodType)) return [];
  const mark = marks.get(schema);
  if (mark !== undefined) return [{ path, erased: mark.erased }];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return personalIn(schema.unwrap(), path);
  if (schema instanceof z.ZodArray) return personalIn(schema.element, [...path, '*']);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, member]) => personalIn(member, [...path, name]));
  if (schema instanceof z.ZodUnion) {
    const found = schema.options.flatMap((option: unknown) => personalIn(option, path));
    return [...new Map(found.map((member) => [member.path.join('.'), member])).values()];
  }
  return [];
}

/** True if the data have any of these members. */
export const hasPersonal = (data: unknown, members: readonly PersonalMember[]): boolean =>
  members.some(({ path }) => isThere(data, path));

function isThere(value: unknown, path: readonly string[], depth = 0): boolean {
  const name = path[depth];
  if (name === undefined) return value !== undefined;
  if (name === '*') return Array.isArray(value) && value.some((element) => isThere(element, path, depth + 1));
  return isObject(value) && isThere(value[name], path, depth + 1);
}

/**
 * A copy of the data in which `change` has replaced each of these members; a change to undefined leaves it out. The
 * rest is shared with the data.
 */
export const withPersonal = (
  data: object,
  members: readonly PersonalMember[],
  change: (value: unknown, member: PersonalMember) => unknown,
): object =>
  members.reduce<object>((before, member) => {
    const after = changedAt(before, member.path, (value) => change(value, member));
    return isObject(after) ? after : before;
  }, data);

function changedAt(value: unknown, path: readonly string[], change: (value: unknown) => unknown, depth = 0): unknown {
  const name = path[depth];
  if (name === undefined) return change(value);
  if (name === '*')
    return Array.isArray(value) ? value.map((element) => changedAt(element, path, change, depth + 1)) : value;
  if (!isObject(value) || value[name] === undefined) return value;
  const changed = changedAt(value[name], path, change, depth + 1);
  if (changed === value[name]) return value;
  if (changed !== undefined) return { ...value, [name]: changed }; // members keep their order
  const { [name]: _erased, ...others } = value;
  return others;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

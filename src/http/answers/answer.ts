// Builds an answer from its schema: each member comes from the document that has it under the same name, or is given
// beside the document.
import { z } from 'zod';
import { formatTime } from '../../world.ts';

type AnswerShape = z.ZodObject['shape'];
type KeysOf<Source> = Source extends unknown ? keyof Source : never;
type In<Source, Name> = Source extends unknown ? (Name extends keyof Source ? Source[Name] : undefined) : never;

/** What a member is made of: a time is in ms, and a member that is nullable or optional may be undefined. */
type Material<Schema> = Schema extends z.ZodISODateTime
  ? number | string
  : Schema extends z.ZodNullable<infer Inner>
    ? Material<Inner> | null | undefined
    : Schema extends z.ZodOptional<infer Inner>
      ? Material<Inner> | undefined
      : Schema extends z.ZodArray<infer Item>
        ? readonly z.output<Item>[]
        : z.output<Schema>;

/** The members that the source does not have as their schema needs them. */
type Missing<Of extends AnswerShape, Source> = {
  [Name in keyof Of]: In<Source, Name> extends Material<Of[Name]>
    ? never
    : Name extends KeysOf<Source>
      ? Name
      : undefined extends Material<Of[Name]>
        ? never
        : Name;
}[keyof Of];
type GivenMembers<Of extends AnswerShape, Source> = { readonly [Name in Missing<Of, Source>]: Material<Of[Name]> } & {
  readonly [Name in keyof Of]?: Material<Of[Name]> | undefined;
};

interface AnswerMember {
  readonly name: string;
  readonly isTime: boolean;
  /** Null: the member is there without a value. */
  readonly absent: null | undefined;
}

const MEMBERS = new WeakMap<z.ZodObject, readonly AnswerMember[]>();

/**
 * The answer, its members in the order of the schema. `given` counts before `source`, of which all other members stay
 * out. Times in ms become text; a nullable member without a value is null, an optional one is left out.
 */
export function answer<Of extends AnswerShape, Source extends object>(
  schema: z.ZodObject<Of>,
  source: Source,
  ...given: object extends GivenMembers<Of, Source>
    ? [given?: GivenMembers<Of, Source>]
    : [given: GivenMembers<Of, Source>]
): z.output<z.ZodObject<Of>>;
export function answer(
  schema: z.ZodObject,
  source: { readonly [name: string]: unknown },
  given: { readonly [name: string]: unknown } = {},
): object {
  const answered: Record<string, unknown> = {};
  for (const { name, isTime, absent } of membersOf(schema)) {
    const value = (name in given ? given[name] : source[name]) ?? absent;
    if (value !== undefined) answered[name] = isTime && typeof value === 'number' ? formatTime(value) : value;
  }
  return answered;
}

function membersOf(schema: z.ZodObject): readonly AnswerMember[] {
  const known = MEMBERS.get(schema);
  if (known !== undefined) return known;
  const members = Object.entries(schema.shape).map(([name, member]) => ({ name, ...describedBy(member) }));
  MEMBERS.set(schema, members);
  return members;
}

function describedBy(member: unknown): Omit<AnswerMember, 'name'> {
  if (member instanceof z.ZodNullable) return { ...describedBy(member.unwrap()), absent: null };
  if (member instanceof z.ZodOptional) return describedBy(member.unwrap());
  return { isTime: member instanceof z.ZodISODateTime, absent: undefined };
}

/** The list; undefined if it is empty, so that an answer leaves it out. */
export const unlessEmpty = <List extends readonly unknown[]>(list: List): List | undefined =>
  list.length === 0 ? undefined : list;

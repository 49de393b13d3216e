// How a stream category says what its events are and once were; and an event's id as callers know it.
import { z } from 'zod';
import { type PersonalMember, personalIn } from './personal.ts';

export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

type Upcaster = (older: unknown) => unknown;

export interface Category<Event extends DomainEvent> {
  /** camelCase, without a hyphen: streams are `<name>-<id>`. */
  readonly name: string;
  readonly event: z.ZodType<Event>;
  /** The schema of the data of each type, as its current version is. */
  readonly data: ReadonlyMap<string, z.ZodObject>;
  /**
   * Every known type under its own name. A look-up turns the text that a store read into the code's own one: a fold
   * compares that by identity, and any other text letter by letter.
   */
  readonly types: ReadonlyMap<string, Event['type']>;
  /** Every known type with its upcasters, oldest first; a type's current version is one more than it has upcasters. */
  readonly upcasters: ReadonlyMap<string, readonly Upcaster[]>;
  /** The personal members of each type that has some, which the journal encrypts. */
  readonly personal: ReadonlyMap<string, readonly PersonalMember[]>;
}

/** One member of a category's union of events. */
export const event = <T extends string, D extends z.ZodObject>(type: T, data: D) =>
  z.strictObject({ type: z.literal(type), data });

/** A step from one version of an event's data to the next; the older shape is validated first. */
export const upcast =
  <Old>(from: z.ZodType<Old>, to: (old: Old) => object): Upcaster =>
  (older) =>
    to(from.parse(older));

interface EventUnion<Event extends DomainEvent> extends z.ZodType<Event> {
  readonly options: readonly z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodObject }>[];
}

export const category = <Event extends DomainEvent>(
  name: string,
  schema: EventUnion<Event>,
  upcasters: { readonly [T in Event['type']]?: readonly Upcaster[] } = {},
): Category<Event> => {
  const steps: { readonly [type: string]: readonly Upcaster[] | undefined } = upcasters;
  const data: ReadonlyMap<Event['type'], z.ZodObject> = new Map(
    schema.options.map(({ shape }) => [shape.type.value, shape.data]),
  );
  const types = [...data.keys()];
  const members = [...data].map(([type, of]) => [type, personalIn(of)] as const);
  return {
    name,
    event: schema,
    data,
    types: new Map(types.map((type) => [type, type])),
    upcasters: new Map(types.map((type) => [type, steps[type] ?? []])),
    personal: new Map(members.filter(([, its]) => its.length > 0)),
  };
};

const EVENT_ID_PREFIX = 'evt_';

/** An event's id as callers know it (contract §1). */
export const publicEventId = (eventId: string): string => `${EVENT_ID_PREFIX}${eventId}`;

/** The UUID; a text without the prefix is one already. */
export const bareEventId = (id: string): string =>
  id.startsWith(EVENT_ID_PREFIX) ? id.slice(EVENT_ID_PREFIX.length) : id;

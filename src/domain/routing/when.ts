// What a rule of routing asks of a payment, and whether the rules before it leave it any payment.
import { z } from 'zod';
import { CURRENT } from '../currency.ts';
import { CardData } from '../payment-instrument/recorded-data.ts';
import { PaymentMethodType, unfit } from '../payment-method.ts';
import type { RecordedWhen } from './recorded-rules.ts';

/** "One of" these. */
const listOf = <T extends z.ZodType>(member: T) => z.array(member).min(1).max(100);
const Currency = z.string().refine((code) => CURRENT.includes(code), {
  error: 'Must be a currency code of ISO 4217, such as EUR.',
});
const Minor = z.int().min(0);

/** All members must hold; without members a rule matches every payment. Amounts are minor units. */
export const When = z.strictObject({
  currencyCode: listOf(Currency).optional(),
  amount: z
    .strictObject({ gte: Minor.optional(), lt: Minor.optional() })
    .refine(({ gte = 0, lt = Number.POSITIVE_INFINITY }) => gte < lt, { error: 'Must have a gte below its lt.' })
    .optional(),
  methodType: listOf(PaymentMethodType).optional(),
  network: listOf(CardData.shape.network).optional(),
  initiator: listOf(z.enum(['customer', 'merchant'])).optional(),
  metadata: z.record(z.string(), listOf(z.union([z.string(), z.number(), z.boolean()]))).optional(),
});

/** What rules ask of a payment. */
export interface RouteFacts {
  readonly currencyCode: string;
  /** Minor units. */
  readonly amount: number;
  readonly methodType: string;
  readonly network: string;
  /** `merchant`: the customer is not there. */
  readonly initiator: 'customer' | 'merchant';
  readonly metadata?: { readonly [key: string]: unknown } | undefined;
}

/** True if every member of the rule holds. Called for each rule of each payment, so it copies nothing. */
export function matches(when: RecordedWhen, facts: RouteFacts): boolean {
  const { currencyCode, amount, methodType, network, initiator, metadata } = when;
  if (currencyCode !== undefined && !currencyCode.includes(facts.currencyCode)) return false;
  if (amount?.gte !== undefined && facts.amount < amount.gte) return false;
  if (amount?.lt !== undefined && facts.amount >= amount.lt) return false;
  if (methodType !== undefined && !methodType.includes(facts.methodType)) return false;
  if (network !== undefined && !network.includes(facts.network)) return false;
  if (initiator !== undefined && !initiator.includes(facts.initiator)) return false;
  return metadata === undefined || hasMetadata(metadata, facts.metadata ?? NOTHING);
}

/** Why no payment can have all that the rule asks for; undefined if one can. */
export function neverHolds({ currencyCode, methodType, network }: RecordedWhen): string | undefined {
  const methods = PaymentMethodType.options.filter((one) => methodType?.includes(one) !== false);
  if (network !== undefined && !methods.includes('PAYMENT_CARD'))
    return 'Must not ask for a network and for other methods than cards: only cards have one.';
  const fits = (method: PaymentMethodType): boolean =>
    currencyCode === undefined ||
    currencyCode.some((code) => unfit(method, { currencyCode: code, captureMode: 'AUTOMATIC' }) === undefined);
  return methods.some(fits) ? undefined : `No such method takes ${currencyCode?.join(' or ')}.`;
}

const NOTHING: NonNullable<RouteFacts['metadata']> = {};

function hasMetadata(
  wanted: NonNullable<RecordedWhen['metadata']>,
  given: NonNullable<RouteFacts['metadata']>,
): boolean {
  // a list of its keys would be made for each rule of each payment
  for (const key in wanted) {
    const values: readonly unknown[] = wanted[key] ?? [];
    if (!values.includes(given[key])) return false;
  }
  return true;
}

/** For each question about a payment the answers that a rule accepts, as numbers; a question left out accepts all. */
type Box = ReadonlyMap<string, ReadonlySet<number>>;

/** Pieces that are looked at for one rule: beyond that it counts as reachable. */
const MOST_PIECES = 20_000;

/** The place of the first such rule; undefined if every rule can be reached, or too much is to be looked at. */
export function firstUnreachable(whens: readonly RecordedWhen[]): number | undefined {
  const universe = universeOf(whens);
  const boxes = whens.map((when) => boxOf(when, universe));
  const found = boxes.findIndex((box, index) => {
    const left = { pieces: MOST_PIECES };
    return isCovered(box, boxes.slice(0, index), universe, left);
  });
  return found === -1 ? undefined : found;
}

/** True if every payment in the box is in one of the others. */
function isCovered(box: Box, others: readonly Box[], universe: Universe, left: { pieces: number }): boolean {
  left.pieces -= 1;
  if (left.pieces < 0) return false;
  const [first, ...rest] = others.filter((other) => meets(box, other));
  if (first === undefined) return false;
  // what `first` leaves of the box, question by question: each piece is covered by the rest, or the box is not covered
  let inside = box;
  for (const [question, accepted] of first) {
    const asked = answersOf(inside, question, universe);
    const outside = new Set([...asked].filter((answer) => !accepted.has(answer)));
    if (outside.size > 0 && !isCovered(new Map([...inside, [question, outside]]), rest, universe, left)) return false;
    inside = new Map([...inside, [question, new Set([...asked].filter((answer) => accepted.has(answer)))]]);
  }
  return true;
}

const meets = (one: Box, other: Box): boolean =>
  [...other].every(([question, accepted]) => {
    const asked = one.get(question);
    return asked === undefined || [...asked].some((answer) => accepted.has(answer));
  });

const answersOf = (box: Box, question: string, universe: Universe): ReadonlySet<number> =>
  box.get(question) ?? new Set(universe.get(question)?.keys());

/** Each question with its answers: those that a rule names, and last any other. Of amounts they are ranges. */
type Universe = ReadonlyMap<string, readonly unknown[]>;
const OTHER = Symbol('any other');

function universeOf(whens: readonly RecordedWhen[]): Universe {
  const named = new Map<string, Set<unknown>>();
  const steps = new Set<number>([0]);
  for (const when of whens) {
    for (const [question, values] of listsIn(when))
      named.set(question, new Set([...(named.get(question) ?? []), ...values]));
    if (when.amount?.gte !== undefined) steps.add(when.amount.gte);
    if (when.amount?.lt !== undefined) steps.add(when.amount.lt);
  }
  const universe = new Map<string, readonly unknown[]>();
  for (const [question, values] of named) {
    // a payment is begun by one of the two
    const isWhole = question === 'initiator' && values.size === 2;
    universe.set(question, isWhole ? [...values] : [...values, OTHER]);
  }
  return universe.set(
    'amount',
    [...steps].sort((a, b) => a - b),
  );
}

function listsIn({
  amount: _range,
  metadata = {},
  ...lists
}: RecordedWhen): readonly (readonly [string, readonly unknown[]])[] {
  return [
    ...Object.entries(lists).flatMap(([question, values]) =>
      values === undefined ? [] : [[question, values] as const],
    ),
    ...Object.entries(metadata).map(([key, values]) => [`metadata.${key}`, values] as const),
  ];
}

function boxOf(when: RecordedWhen, universe: Universe): Box {
  const box = new Map<string, ReadonlySet<number>>();
  for (const [question, values] of listsIn(when))
    box.set(
      question,
      placesOf(universe.get(question) ?? [], (answer) => values.includes(answer)),
    );
  const { amount } = when;
  if (amount !== undefined) {
    const { gte = 0, lt = Number.POSITIVE_INFINITY } = amount;
    box.set(
      'amount',
      placesOf(universe.get('amount') ?? [], (step) => typeof step === 'number' && step >= gte && step < lt),
    );
  }
  return box;
}

const placesOf = (answers: readonly unknown[], isAccepted: (answer: unknown) => boolean): ReadonlySet<number> =>
  new Set(answers.flatMap((answer, place) => (isAccepted(answer) ? [place] : [])));

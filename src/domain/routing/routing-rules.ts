// The rules by which the payments of an account are routed over its connections: their file, and every mistake in it.
import { z } from 'zod';
import { holdsCardNumber } from '../card-number/search.ts';
import type { RecordedRules } from './recorded-rules.ts';
import { firstUnreachable, neverHolds, When } from './when.ts';

const Name = z.string().min(1).max(64);

const MOST_WEIGHT = 1_000_000;
/** `connection`: its name, or its id. `use`: one is drawn by weight. `then`: asked for in this order, after those. */
const Target = z.strictObject({
  use: z
    .array(z.strictObject({ connection: Name, weight: z.int().min(0).max(MOST_WEIGHT) }))
    .min(1)
    .max(20),
  then: z.array(Name).max(20).default([]),
});
const Rule = z.strictObject({ name: Name, when: When, ...Target.shape });

/** The name under which `default` is reported. */
export const DEFAULT_RULE = 'default';

export const RoutingRules = z
  .strictObject({
    /** The first that matches a payment counts. */
    rules: z.array(Rule).max(200),
    /** For a payment that no rule matches. */
    default: Target,
    /** After which ends of an authorization the next connection of `then` is asked. */
    fallbackOn: z
      .array(z.enum(['NOT_SENT', 'REFUSED', 'SOFT']))
      .max(3)
      .default([]),
    /** The codes of refusals after which nothing else is asked. AUTHENTICATION_REQUIRED always is one. */
    never: z
      .array(z.string().regex(/^[A-Z_]{1,64}$/, { error: 'Must be the code of a refusal.' }))
      .max(100)
      .default([]),
    /** Authorizations of one payment. */
    mostAttempts: z.int().min(1).max(5).default(2),
  })
  .meta({ id: 'RoutingRules' });
export type RoutingRules = RecordedRules & z.infer<typeof RoutingRules>;

/** The connections that the rules name. */
export function namesIn({ rules, default: last }: RecordedRules): readonly string[] {
  const names = [...rules, last].flatMap(({ use, then }) => [...use.map(({ connection }) => connection), ...then]);
  return [...new Set(names)];
}

type CheckedRules =
  | { readonly kind: 'rules'; readonly rules: RoutingRules }
  /** A sentence for each mistake, with its place. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** Reads a rule file. `idOf`: the id of an active connection of the account, by its name or its id. */
export function checkRules(sent: unknown, idOf: (name: string) => string | undefined): CheckedRules {
  const parsed = RoutingRules.safeParse(sent);
  if (!parsed.success)
    return {
      kind: 'wrong',
      problems: parsed.error.issues.map(({ path, message }) => at(placeOf(path), message)),
    };
  const { rules, default: last } = parsed.data;
  const problems: string[] = [];
  const names = new Set<string>([DEFAULT_RULE]);
  for (const [index, { name }] of rules.entries()) {
    if (holdsCardNumber(name)) problems.push(at(`rules[${index}].name`, 'Must not hold a card number.'));
    if (names.has(name)) problems.push(at(`rules[${index}].name`, `Another rule is named ${JSON.stringify(name)}.`));
    names.add(name);
  }
  const targets = [...rules.map((rule, index) => [`rules[${index}]`, rule] as const), ['default', last] as const];
  for (const [place, target] of targets) problems.push(...problemsOf(place, target, idOf));
  for (const [index, { when }] of rules.entries()) {
    const never = neverHolds(when);
    if (never !== undefined) problems.push(at(`rules[${index}].when`, never));
  }
  const hidden = firstUnreachable(rules.map(({ when }) => when));
  if (hidden !== undefined)
    problems.push(
      at(
        `rules[${hidden}]`,
        `No payment can reach the rule ${JSON.stringify(rules[hidden]?.name)}: the rules before it match every payment that it matches.`,
      ),
    );
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'rules', rules: parsed.data };
}

function problemsOf(
  place: string,
  { use, then }: z.infer<typeof Target>,
  idOf: (name: string) => string | undefined,
): readonly string[] {
  const problems: string[] = [];
  const named = [
    ...use.map(({ connection }, index) => [`${place}.use[${index}].connection`, connection] as const),
    ...then.map((connection, index) => [`${place}.then[${index}]`, connection] as const),
  ];
  for (const [where, name] of named)
    if (idOf(name) === undefined)
      problems.push(at(where, `The account has no active connection named ${JSON.stringify(name)}.`));
  for (const [list, members] of [
    ['use', use.map(({ connection }) => connection)],
    ['then', then],
  ] as const)
    if (new Set(members.map((name) => idOf(name) ?? name)).size < members.length)
      problems.push(at(`${place}.${list}`, 'Must not name a connection twice.'));
  if (use.every(({ weight }) => weight === 0))
    problems.push(at(`${place}.use`, 'Must have a weight that is more than 0.'));
  return problems;
}

const at = (place: string, problem: string): string => (place === '' ? problem : `${place}: ${problem}`);

/** `rules[0].use[1].weight` */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

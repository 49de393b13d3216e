// The kinds of worlds, and the connections and rules of those whose payments are routed.

/** `routed`: payments go by rules of routing over two sandboxes; `twins`: by two connections to twins of Stripe. */
export type WorldKind = 'sandbox' | 'routed' | 'twins' | 'billing';

/** The connections of the two: the first one is there without anybody's doing. */
export const SANDBOXES = ['sandbox', 'con_second'] as const;

const to = (connection: string, then: readonly string[]) => ({ use: [{ connection, weight: 1 }], then });
const all = { fallbackOn: ['NOT_SENT', 'SOFT'], mostAttempts: 2 };

/** The files of rules that are set one after another; null removes them. */
export const RULES = [
  { ...all, rules: [], default: to('sandbox', ['second']) },
  { ...all, rules: [], default: to('second', ['sandbox']) },
  {
    ...all,
    rules: [
      { name: 'small', when: { amount: { lt: 4_000 } }, ...to('second', ['sandbox']) },
      { name: 'debits', when: { methodType: ['SEPA_DEBIT'] }, ...to('second', []) },
    ],
    default: {
      use: [
        { connection: 'sandbox', weight: 50 },
        { connection: 'second', weight: 50 },
      ],
      then: ['second', 'sandbox'],
    },
    never: ['INSUFFICIENT_FUNDS'],
    mostAttempts: 3,
  },
  { rules: [], default: to('second', ['sandbox']), fallbackOn: ['NOT_SENT'] },
  null,
] as const;

/** Tokens of cards that an issuer refuses, by connection: in their place a payment is refused at one sandbox alone. */
export type RefusedTokens = ReadonlyMap<string, { readonly soft: string; readonly hard: string }>;

// What a node says to the one that has the sandbox: the calls, their questions and their answers.
import { z } from 'zod';
import type { CardData, LookUp, OperationRequest, Outcome, TokenizationRequest, Tokenized } from '../../processor.ts';
import { OPERATIONS } from '../entry.ts';
import { FaultPlan, FaultReport } from '../rules/fault-plan.ts';
import type { LedgerLine, LedgerPage, Undelivered } from '../sandbox-interface.ts';

/** Lines in one page of the ledger. */
const MAX_LINES = 1_000;
/** References in one question: they fit into the body that a call may have. */
export const MAX_REFERENCES = 100;

const text = z.string().max(2_048);
const amount = z.int().min(0);
const operation = z.enum(OPERATIONS);

const TokenizationQuestion: z.ZodType<TokenizationRequest> = z.strictObject({
  reference: text,
  accountId: text,
  from: z.union([
    z.strictObject({
      card: z.strictObject({ number: text, expirationMonth: text, expirationYear: text, cvc: text, cardholderName: text.exactOptional() }),
    }),
    z.strictObject({ fieldToken: text }),
  ]),
});
const CardKept: z.ZodType<CardData> = z.object({
  network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
  first6Digits: text,
  last4Digits: text,
  expirationMonth: text,
  expirationYear: text,
  cardholderName: text.exactOptional(),
});
const TokenizationAnswer: z.ZodType<Tokenized> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), processorToken: text, card: CardKept }),
  z.object({ kind: z.literal('refused'), description: text }),
]);

const about = { reference: text, accountId: text, paymentId: text, amount, currencyCode: text };
const known = z.union([z.strictObject({ processorTransactionId: text }), z.strictObject({ reference: text })]);
/** The sandbox makes nothing of the members that are left out here, so they are not sent. */
const OperationQuestion: z.ZodType<OperationRequest> = z.discriminatedUnion('operation', [
  z.strictObject({ ...about, operation: z.literal('authorization'), processorToken: text }),
  z.strictObject({ ...about, operation: z.literal('capture'), authorization: known, final: z.boolean() }),
  z.strictObject({ ...about, operation: z.literal('cancellation'), authorization: known }),
  z.strictObject({ ...about, operation: z.literal('refund'), authorization: known, captures: z.array(known).max(0) }),
  z.strictObject({ ...about, operation: z.literal('adjustment'), authorization: known }),
]);

const check = z.enum(['MATCH', 'NO_MATCH', 'NOT_CHECKED', 'UNAVAILABLE']);
const succeeded = z.object({
  kind: z.literal('succeeded'),
  processorTransactionId: text,
  amount,
  currencyCode: text,
  authorization: z
    .object({ avsResult: check.optional(), cvcResult: check.optional(), holdExpiresAt: z.int().min(0).optional() })
    .optional(),
});
const declined = z.object({
  kind: z.literal('declined'),
  code: text,
  declineType: z.enum(['SOFT', 'HARD']),
  processorTransactionId: text.optional(),
});
const pending = z.object({ kind: z.literal('pending'), processorTransactionId: text });
const unknown = z.object({ kind: z.literal('unknown'), detail: text });
const notSent = z.object({ kind: z.literal('not_sent'), detail: text });
const unreachable = z.object({ kind: z.literal('unreachable'), detail: text });
const notFound = z.object({ kind: z.literal('not_found') });
const OutcomeAnswer: z.ZodType<Outcome> = z.discriminatedUnion('kind', [succeeded, declined, pending, unknown, notSent]);
const LookUpAnswer: z.ZodType<LookUp> = z.discriminatedUnion('kind', [succeeded, declined, pending, unknown, unreachable, notFound]);

const Line: z.ZodType<LedgerLine> = z.object({
  reference: text,
  paymentId: text,
  operation,
  amount,
  currencyCode: text,
  processorTransactionId: text.exactOptional(),
  outcome: z.enum(['succeeded', 'declined', 'pending']),
  at: z.int(),
});
const LedgerAnswer: z.ZodType<LedgerPage> = z.object({ lines: z.array(Line), next: z.int().exactOptional() });

const AccountQuestion = z.strictObject({ accountId: text.exactOptional() });
const UndeliveredAnswer: z.ZodType<Undelivered> = z.object({ count: z.int().min(0), nextAt: z.int().exactOptional() });

interface Calls {
  readonly tokenize: readonly [question: TokenizationRequest, answer: Tokenized];
  readonly perform: readonly [question: OperationRequest, answer: Outcome];
  readonly 'look-up': readonly [question: OperationRequest, answer: LookUp];
  readonly connect: readonly [question: { readonly accountId: string; readonly apiKey: string }, answer: object];
  readonly connected: readonly [question: object, answer: { readonly accountIds: readonly string[] }];
  readonly ledger: readonly [question: LedgerQuestion, answer: LedgerPage];
  readonly faults: readonly [question: { readonly accountId: string }, answer: FaultReport];
  readonly 'set-faults': readonly [question: { readonly accountId: string; readonly plan: FaultPlan }, answer: FaultReport];
  readonly reset: readonly [question: z.infer<typeof AccountQuestion>, answer: object];
  readonly undelivered: readonly [question: z.infer<typeof AccountQuestion>, answer: Undelivered];
  readonly lines: readonly [question: { readonly references: readonly string[] }, answer: { readonly lines: readonly LedgerLine[] }];
}
interface LedgerQuestion {
  /** Without one: everybody's. */
  readonly accountId?: string;
  readonly limit: number;
  readonly after: number;
}
export type CallName = keyof Calls;
export type Question<N extends CallName> = Calls[N][0];
export type Answer<N extends CallName> = Calls[N][1];

export const CALLS: { readonly [N in CallName]: { readonly question: z.ZodType<Question<N>>; readonly answer: z.ZodType<Answer<N>> } } = {
  tokenize: { question: TokenizationQuestion, answer: TokenizationAnswer },
  perform: { question: OperationQuestion, answer: OutcomeAnswer },
  'look-up': { question: OperationQuestion, answer: LookUpAnswer },
  connect: { question: z.strictObject({ accountId: text, apiKey: text }), answer: z.object({}) },
  connected: { question: z.strictObject({}), answer: z.object({ accountIds: z.array(text) }) },
  ledger: {
    question: z.strictObject({ accountId: text.exactOptional(), limit: z.int().min(1).max(MAX_LINES), after: z.int().min(0) }),
    answer: LedgerAnswer,
  },
  lines: {
    question: z.strictObject({ references: z.array(z.string().max(128)).min(1).max(MAX_REFERENCES) }),
    answer: z.object({ lines: z.array(Line) }),
  },
  faults: { question: z.strictObject({ accountId: text }), answer: FaultReport },
  'set-faults': { question: z.strictObject({ accountId: text, plan: FaultPlan }), answer: FaultReport },
  reset: { question: AccountQuestion, answer: z.object({}) },
  undelivered: { question: AccountQuestion, answer: UndeliveredAnswer },
};

export const isCallName = (name: string): name is CallName => Object.hasOwn(CALLS, name);

/** A text as JSON of a shape; undefined when it is not. What is wrong with it stays unsaid: it may hold a card number. */
export function readAs<Shape>(shape: z.ZodType<Shape>, json: string): Shape | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

// The calls of a node to the node that has the sandbox, their questions and their answers.
import { z } from 'zod';
import {
  type Call,
  type CardData,
  type LookUp,
  OPERATIONS,
  type OperationRequest,
  type Outcome,
  type TokenizationRequest,
  type Tokenized,
} from '../../processor.ts';
import { FaultPlan, FaultReport } from '../rules/fault-plan.ts';
import type { LedgerLine, LedgerPage, Sandbox, Undelivered } from '../sandbox-interface.ts';

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
  z.strictObject({ ...about, operation: z.literal('refund'), authorization: known, captures: z.array(known).max(0) }),
  z.strictObject({ ...about, operation: operation.exclude(['authorization', 'capture', 'refund']), authorization: known }),
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

const UndeliveredAnswer: z.ZodType<Undelivered> = z.object({ count: z.int().min(0), nextAt: z.int().exactOptional() });

/** One call: what is asked, what is answered, and how the node that has the sandbox comes to its answer. */
export interface CallShape<Question, Answer> {
  readonly name: string;
  readonly question: z.ZodType<Question>;
  readonly answer: z.ZodType<Answer>;
  /** Undefined for a question that has not the shape of one. */
  readonly answered: (body: string, sandbox: Sandbox, call: Call) => Promise<Answer | undefined>;
}

function shape<Question, Answer>(
  name: string,
  question: z.ZodType<Question>,
  answer: z.ZodType<Answer>,
  ask: (sandbox: Sandbox, question: Question, call: Call) => Promise<Answer | undefined>,
): CallShape<Question, Answer> {
  return {
    name,
    question,
    answer,
    async answered(body, sandbox, call) {
      const asked = readAs(question, body);
      return asked === undefined ? undefined : ask(sandbox, asked, call);
    },
  };
}

const Nothing = z.object({});
const OfAccount = z.strictObject({ accountId: text });
const OfAccountOrAll = z.strictObject({ accountId: text.exactOptional() });
const PageQuestion = OfAccountOrAll.extend({ limit: z.int().min(1).max(MAX_LINES), after: z.int().min(0) });
const References = z.array(z.string().max(128)).min(1).max(MAX_REFERENCES);
const done = (work: Promise<void>): Promise<object> => work.then(() => ({}));

export const CALLS = {
  tokenize: shape('tokenize', TokenizationQuestion, TokenizationAnswer, (sandbox, request, call) => sandbox.tokenize(request, call)),
  perform: shape('perform', OperationQuestion, OutcomeAnswer, (sandbox, request, call) => sandbox.perform(request, call)),
  lookUp: shape('look-up', OperationQuestion, LookUpAnswer, (sandbox, request, call) => sandbox.lookUp(request, call)),
  connect: shape('connect', OfAccount.extend({ apiKey: text }), Nothing, (sandbox, connection) => done(sandbox.connect(connection))),
  connected: shape('connected', z.strictObject({}), z.object({ accountIds: z.array(text).readonly() }), async (sandbox) => ({
    accountIds: await sandbox.connected(),
  })),
  ledger: shape('ledger', PageQuestion, LedgerAnswer, (sandbox, { accountId, limit, after }) => sandbox.ledgerOf(accountId, limit, after)),
  lines: shape('lines', z.strictObject({ references: References }), z.object({ lines: z.array(Line).readonly() }), async (sandbox, of) => ({
    lines: await sandbox.linesOf(of.references),
  })),
  faults: shape('faults', OfAccount, FaultReport, (sandbox, { accountId }) => sandbox.faults(accountId)),
  setFaults: shape('set-faults', OfAccount.extend({ plan: FaultPlan }), FaultReport, async (sandbox, { accountId, plan }) => {
    const set = await sandbox.setFaults(accountId, plan);
    return set.kind === 'set' ? set.report : undefined;
  }),
  reset: shape('reset', OfAccountOrAll, Nothing, (sandbox, { accountId }) => done(sandbox.reset(accountId))),
  undelivered: shape('undelivered', OfAccountOrAll, UndeliveredAnswer, (sandbox, { accountId }) => sandbox.undelivered(accountId)),
};

/** A text as JSON of a shape; undefined when it is not. What is wrong with it stays unsaid: it may hold a card number. */
export function readAs<Shape>(shape: z.ZodType<Shape>, json: string): Shape | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

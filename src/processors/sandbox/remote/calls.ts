// The calls of a node to the node that has the sandbox, their questions and their answers.

import { z } from 'zod';
import { disputeTypes } from '../../../domain/dispute-status.ts';
import type { LookUp, Outcome, PaymentStanding, Unreachable } from '../../../domain/payment/outcome.ts';
import type { CardData } from '../../../domain/payment-instrument/recorded-data.ts';
import { PaymentMethodType, Wallet } from '../../../domain/payment-method.ts';
import {
  AGREEMENT_KINDS,
  type Call,
  type DisputeFound,
  type DisputeRequest,
  OPERATIONS,
  type OperationRequest,
  type StandingQuestion,
  type TokenizationRequest,
  type Tokenized,
} from '../../processor.ts';
import { ThreeDSecure } from '../entry.ts';
import { FaultPlan, FaultReport } from '../fault-plan.ts';
import { Dispute } from '../notifications.ts';
import { readAs } from '../read-as.ts';
import {
  Acted,
  Challenge,
  LedgerLine,
  LedgerPage,
  type Sandbox,
  SandboxAct,
  Undelivered,
} from '../sandbox-interface.ts';

/** Lines in one page of the ledger. */
const MAX_LINES = 1_000;
/** References in one question: they fit into the body that a call may have. */
export const MAX_REFERENCES = 100;

const text = z.string().max(2_048);
const amount = z.int().min(0);

const expiry = { expirationMonth: text, expirationYear: text, cardholderName: text.exactOptional() };
const card = z.strictObject({ ...expiry, number: text, cvc: text });
const TokenizationQuestion: z.ZodType<TokenizationRequest> = z.strictObject({
  reference: text,
  accountId: text,
  from: z.union([
    z.strictObject({ card }),
    z.strictObject({ fieldToken: text, fieldType: text }),
    z.strictObject({
      method: z.union([
        z.strictObject({ type: Wallet, token: text }),
        z.strictObject({
          type: z.literal('SEPA_DEBIT'),
          iban: text,
          accountHolderName: text,
          mandateAccepted: z.literal(true),
        }),
        z.strictObject({ type: PaymentMethodType.exclude(['PAYMENT_CARD', 'SEPA_DEBIT']) }),
      ]),
    }),
  ]),
});
const CardKept: z.ZodType<CardData> = z.object({
  ...expiry,
  network: z.enum(['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER', 'OTHER']),
  first6Digits: text,
  last4Digits: text,
  wallet: Wallet.exactOptional(),
});
const MethodKept = z.object({
  type: PaymentMethodType,
  data: z.object({
    bankName: text.exactOptional(),
    ibanLast4: text.exactOptional(),
    mandateReference: text.exactOptional(),
  }),
});
const kept = {
  kind: z.literal('token'),
  processorToken: text,
  fingerprint: text.exactOptional(),
  paysOnce: z.literal(true).exactOptional(),
};
const TokenizationAnswer: z.ZodType<Tokenized> = z.union([
  z.object({ ...kept, card: CardKept }),
  z.object({ ...kept, method: MethodKept }),
  z.object({ kind: z.literal('refused'), description: text }),
]);

const about = { reference: text, accountId: text, paymentId: text, amount, currencyCode: text };
const authorization = z.union([z.strictObject({ processorTransactionId: text }), z.strictObject({ reference: text })]);
type Bare<Request> = Request extends unknown ? Omit<Request, 'requestedAt' | 'processorTransactionId'> : never;
/** The sandbox makes nothing of the members that are left out here, so they are not sent. */
export type BareRequest = Bare<OperationRequest>;
const whole = (request: BareRequest): OperationRequest => ({ ...request, requestedAt: 0 });
const OperationQuestion: z.ZodType<BareRequest> = z.discriminatedUnion('operation', [
  z.strictObject({
    ...about,
    operation: z.literal('authorization'),
    processorToken: text,
    returnUrl: text.exactOptional(),
    threeDSecure: z.enum(['ask', 'if_needed']).exactOptional(),
    keeps: z.literal(true).exactOptional(),
    offSession: z.literal(true).exactOptional(),
    agreement: z
      .strictObject({
        kind: z.enum(AGREEMENT_KINDS),
        networkTransactionId: text.exactOptional(),
        transactionLinkId: text.exactOptional(),
      })
      .exactOptional(),
    billingAddress: z.strictObject({ postalCode: text }).exactOptional(),
  }),
  z.strictObject({ ...about, operation: z.literal('capture'), authorization, final: z.boolean() }),
  z.strictObject({ ...about, operation: z.literal('refund'), authorization, captures: z.array(authorization).max(0) }),
  z.strictObject({
    ...about,
    operation: z.enum(OPERATIONS).exclude(['authorization', 'capture', 'refund']),
    authorization,
  }),
]);

const check = z.enum(['MATCH', 'NO_MATCH', 'NOT_CHECKED', 'UNAVAILABLE']).optional();
const authorized = z.object({
  avsResult: check,
  cvcResult: check,
  holdExpiresAt: z.int().min(0).optional(),
  threeDSecure: ThreeDSecure.optional(),
  captured: z.literal(true).optional(),
  networkTransactionId: text.optional(),
  transactionLinkId: text.optional(),
});
const told = [
  z.object({
    kind: z.literal('succeeded'),
    processorTransactionId: text,
    amount,
    currencyCode: text,
    authorization: authorized.optional(),
  }),
  z.object({
    kind: z.literal('declined'),
    code: text,
    declineType: z.enum(['SOFT', 'HARD']),
    processorTransactionId: text.optional(),
    threeDSecure: ThreeDSecure.optional(),
  }),
  z.object({
    kind: z.literal('requires_action'),
    processorTransactionId: text,
    action: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('redirect'), url: text }),
      z.object({ kind: z.literal('show'), data: z.record(z.string(), text), expiresAt: z.int() }),
    ]),
  }),
  z.object({ kind: z.literal('pending'), processorTransactionId: text }),
  z.object({ kind: z.literal('unknown'), detail: text }),
] as const;
const notSent = z.object({ kind: z.literal('not_sent'), detail: text });
const unreachable = z.object({ kind: z.literal('unreachable'), detail: text });
const notFound = z.object({ kind: z.literal('not_found') });
const OutcomeAnswer: z.ZodType<Outcome> = z.discriminatedUnion('kind', [...told, notSent]);
const LookUpAnswer: z.ZodType<LookUp> = z.discriminatedUnion('kind', [...told, unreachable, notFound]);

/** Evidence has up to 20,000 characters. */
const Evidence = z.strictObject({
  text: z.string().max(40_000),
  customerEmail: text.exactOptional(),
  shippingTrackingNumber: text.exactOptional(),
});
const DisputeQuestionBody = z.strictObject({ disputeId: text, accountId: text });
const DisputeAnswering: z.ZodType<DisputeRequest> = DisputeQuestionBody.extend({
  reference: text,
  type: z.enum(disputeTypes).exactOptional(),
  answer: z.union([z.literal('accept'), z.strictObject({ evidence: Evidence, submit: z.boolean() })]),
});
const DisputeAnswer: z.ZodType<DisputeFound> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), dispute: Dispute }),
  unreachable,
  notFound,
]);

const StandingBody: z.ZodType<StandingQuestion> = z.strictObject({
  paymentId: text,
  processorTransactionId: text,
  accountId: text,
  currencyCode: text,
});
const refund = { name: text, reference: text.exactOptional(), amount };
const StandingAnswer: z.ZodType<PaymentStanding | Unreachable> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('standing'),
    processorTransactionId: text,
    currencyCode: text,
    captured: amount,
    capturable: amount,
    captureName: text,
    expired: z.literal(true).exactOptional(),
    ours: z.array(z.object({ reference: text, operation: z.enum(['capture', 'adjustment']), amount })),
    refunds: z.array(
      z.discriminatedUnion('state', [
        z.object({ ...refund, state: z.literal(['succeeded', 'pending']) }),
        z.object({ ...refund, state: z.literal('failed'), code: text, declineType: z.enum(['SOFT', 'HARD']) }),
      ]),
    ),
  }),
  unreachable,
]);

/** One call: its question, its answer, and how the node that has the sandbox comes to it. */
export interface RemoteCall<Question, Answer> {
  readonly name: string;
  readonly question: z.ZodType<Question>;
  readonly answer: z.ZodType<Answer>;
  /** Undefined for a question that has not the shape of one. */
  readonly answered: (body: string, sandbox: Sandbox, call: Call) => Promise<Answer | undefined>;
}

const remote = <Question, Answer>(
  name: string,
  question: z.ZodType<Question>,
  answer: z.ZodType<Answer>,
  ask: (sandbox: Sandbox, question: Question, call: Call) => Promise<Answer | undefined>,
): RemoteCall<Question, Answer> => ({
  name,
  question,
  answer,
  async answered(body, sandbox, call) {
    const asked = readAs(question, body);
    return asked === undefined ? undefined : ask(sandbox, asked, call);
  },
});

const Nothing = z.object({});
const OfAccount = z.strictObject({ accountId: text });
const OfAccountOrAll = z.strictObject({ accountId: text.exactOptional() });
const PageQuestion = OfAccountOrAll.extend({ limit: z.int().min(1).max(MAX_LINES), after: z.int().min(0) });
const References = z.strictObject({ references: z.array(z.string().max(128)).min(1).max(MAX_REFERENCES) });
const Lines = z.object({ lines: z.array(LedgerLine).readonly() });
const Accounts = z.object({ accountIds: z.array(text).readonly() });
const OfChallenge = z.strictObject({ id: text });
const Challenged = z.object({ challenge: Challenge.exactOptional() });
const challengedAnswer = (challenge: Challenge | undefined): z.infer<typeof Challenged> =>
  challenge === undefined ? {} : { challenge };
const done = (work: Promise<void>): Promise<object> => work.then(() => ({}));

export const CALLS = {
  tokenize: remote('tokenize', TokenizationQuestion, TokenizationAnswer, (sandbox, request, call) =>
    sandbox.tokenize(request, call),
  ),
  perform: remote('perform', OperationQuestion, OutcomeAnswer, (sandbox, request, call) =>
    sandbox.perform(whole(request), call),
  ),
  lookUp: remote('look-up', OperationQuestion, LookUpAnswer, (sandbox, request, call) =>
    sandbox.lookUp(whole(request), call),
  ),
  fence: remote('fence', OperationQuestion, LookUpAnswer, (sandbox, request, call) =>
    sandbox.fence(whole(request), call),
  ),
  challenge: remote('challenge', OfChallenge, Challenged, async (sandbox, { id }) =>
    challengedAnswer(await sandbox.challenge(id)),
  ),
  answerChallenge: remote(
    'answer-challenge',
    OfChallenge.extend({ isApproved: z.boolean() }),
    Challenged,
    async (sandbox, { id, isApproved }) => challengedAnswer(await sandbox.answerChallenge(id, isApproved)),
  ),
  dispute: remote('dispute', DisputeAnswering, OutcomeAnswer, (sandbox, request, call) =>
    sandbox.dispute(request, call),
  ),
  lookUpDispute: remote('look-up-dispute', DisputeQuestionBody, DisputeAnswer, (sandbox, request, call) =>
    sandbox.lookUpDispute(request, call),
  ),
  standing: remote('standing', StandingBody, StandingAnswer, (sandbox, question, call) =>
    sandbox.standing(question, call),
  ),
  act: remote('act', SandboxAct, Acted, (sandbox, act) => sandbox.act(act)),
  connect: remote('connect', OfAccount.extend({ apiKey: text }), Nothing, (sandbox, connection) =>
    done(sandbox.connect(connection)),
  ),
  connected: remote('connected', z.strictObject({}), Accounts, async (sandbox) => ({
    accountIds: await sandbox.connected(),
  })),
  ledger: remote('ledger', PageQuestion, LedgerPage, (sandbox, { accountId, limit, after }) =>
    sandbox.ledgerOf(accountId, limit, after),
  ),
  lines: remote('lines', References, Lines, async (sandbox, { references }) => ({
    lines: await sandbox.linesOf(references),
  })),
  faults: remote('faults', OfAccount, FaultReport, (sandbox, { accountId }) => sandbox.faults(accountId)),
  setFaults: remote(
    'set-faults',
    OfAccount.extend({ plan: FaultPlan }),
    FaultReport,
    async (sandbox, { accountId, plan }) => {
      const set = await sandbox.setFaults(accountId, plan);
      return set.kind === 'set' ? set.report : undefined;
    },
  ),
  reset: remote('reset', OfAccountOrAll, Nothing, (sandbox, { accountId }) => done(sandbox.reset(accountId))),
  undelivered: remote('undelivered', OfAccountOrAll, Undelivered, (sandbox, { accountId }) =>
    sandbox.undelivered(accountId),
  ),
};

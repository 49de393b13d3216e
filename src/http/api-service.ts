// What the HTTP layer asks of the service below it; service.ts, which knows all the parts, is one.
import type { z } from 'zod';
import type { KeyHolder, SessionHolder } from '../commands/access/authenticate.ts';
import type { deletePaymentInstrument, makeInstrumentDefault } from '../commands/instruments/change-instrument.ts';
import type { tokenizeCard } from '../commands/instruments/tokenize-card.ts';
import type { vaultInstrument } from '../commands/instruments/vault-instrument.ts';
import type { receiveNotification } from '../commands/notifications/receive-notification.ts';
import type { authorizeCheckoutPayment, authorizePayment } from '../commands/payments/authorize-payment.ts';
import type { adjustAuthorization, cancelPayment, capturePayment, refundPayment } from '../commands/payments/change-payment.ts';
import type { createClientSession } from '../commands/sessions/create-client-session.ts';
import type { issueClientToken } from '../commands/sessions/issue-client-token.ts';
import type { patchClientSession } from '../commands/sessions/patch-client-session.ts';
import type { listPayments } from '../queries/list-payments.ts';
import type { readClientSession, readOwnSession } from '../queries/read-client-session.ts';
import type { readPaymentInstrument, readWallet } from '../queries/read-payment-instruments.ts';
import type { readPayment, readPaymentHistory } from '../queries/read-payments.ts';
import type { World } from '../world.ts';

export interface Authentication {
  /**
   * Undefined for a text that is malformed, unknown, expired or revoked at `at` (ms). A change to a key holds at once (contract §2);
   * what is known without a read may be answered without a promise.
   */
  apiKey(text: string, at: number): KeyHolder | undefined | Promise<KeyHolder | undefined>;
  /** Undefined for a token that is forged or expired. */
  clientToken(text: string, at: number): SessionHolder | undefined;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is away or has stopped, for operators. */
  readonly reasons: readonly string[];
  /** Names of streams that are broken or parked; they stop nobody else. */
  readonly degraded: readonly string[];
}

/** What the frame needs, whatever routes there are. */
export interface FrameService {
  readonly authentication: Authentication;
  readonly world: World;
  readonly readiness: () => Readiness;
}

/** What the routes call. */
export interface ApiService extends FrameService {
  readonly createClientSession: ReturnType<typeof createClientSession>;
  readonly patchClientSession: ReturnType<typeof patchClientSession>;
  readonly issueClientToken: ReturnType<typeof issueClientToken>;
  readonly readClientSession: ReturnType<typeof readClientSession>;
  readonly readOwnSession: ReturnType<typeof readOwnSession>;
  readonly tokenizeCard: ReturnType<typeof tokenizeCard>;
  readonly vaultInstrument: ReturnType<typeof vaultInstrument>;
  readonly makeInstrumentDefault: ReturnType<typeof makeInstrumentDefault>;
  readonly deletePaymentInstrument: ReturnType<typeof deletePaymentInstrument>;
  readonly readPaymentInstrument: ReturnType<typeof readPaymentInstrument>;
  readonly readWallet: ReturnType<typeof readWallet>;
  readonly authorizePayment: ReturnType<typeof authorizePayment>;
  readonly authorizeCheckoutPayment: ReturnType<typeof authorizeCheckoutPayment>;
  readonly capturePayment: ReturnType<typeof capturePayment>;
  readonly cancelPayment: ReturnType<typeof cancelPayment>;
  readonly refundPayment: ReturnType<typeof refundPayment>;
  readonly adjustAuthorization: ReturnType<typeof adjustAuthorization>;
  readonly readPayment: ReturnType<typeof readPayment>;
  readonly listPayments: ReturnType<typeof listPayments>;
  readonly readPaymentHistory: ReturnType<typeof readPaymentHistory>;
  readonly receiveNotification: ReturnType<typeof receiveNotification>;
}

/** What a developer may look into and change of the sandbox processor (sandbox-processor.md). */
export interface SandboxInspection {
  /** What was done for an account, oldest first: up to `limit` lines behind `after`, the `next` of the page before. */
  readonly ledgerOf: (
    accountId: string,
    limit: number,
    after?: number,
  ) => Promise<{
    readonly lines: readonly {
      readonly reference: string;
      readonly operation: string;
      /** Minor units. */
      readonly amount: number;
      readonly currencyCode: string;
      readonly outcome: string;
      /** ms */
      readonly at: number;
    }[];
    readonly next?: number;
  }>;
  /** Of the body of PUT /sandbox/faults, and of what it and GET answer. */
  readonly faultPlan: z.ZodType<object>;
  readonly faultReport: z.ZodType<object>;
  readonly faults: (accountId: string) => Promise<object>;
  /** The plan is one by `faultPlan`. */
  readonly setFaults: (
    accountId: string,
    plan: unknown,
  ) => Promise<{ readonly kind: 'set'; readonly report: object } | { readonly kind: 'invalid'; readonly problems: readonly string[] }>;
  readonly scenarios: () => readonly { readonly numbers: readonly string[]; readonly title: string; readonly outcome: string }[];
}

/** The calls of other nodes to the sandbox that this one has. */
export interface SandboxCalls {
  /** `POST <path>/<name of the call>` */
  readonly path: string;
  readonly signatureHeader: string;
  /** The signal aborts when nobody waits any more. `no_answer`: the caller must not get one. */
  readonly answer: (
    called: { readonly name: string; readonly signature: string | undefined; readonly body: string },
    signal: AbortSignal,
  ) => Promise<
    | { readonly kind: 'answer'; readonly text: string }
    | { readonly kind: 'unauthorized' | 'no_such_call' | 'unreadable' }
    | { readonly kind: 'no_answer' }
  >;
}

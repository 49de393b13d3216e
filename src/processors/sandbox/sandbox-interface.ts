// The interface of the sandbox wherever it runs, in this process or on another node: the port, and a developer's views.
import { z } from 'zod';
import type { LookUp } from '../../domain/payment/outcome.ts';
import { PaymentMethodType } from '../../domain/payment-method.ts';
import { type Call, OPERATIONS, type OperationRequest, type Processor } from '../processor.ts';
import type { Scenario } from './cards.ts';
import { AbsentUse } from './entry.ts';
import type { FaultPlan, FaultReport } from './fault-plan.ts';

/** The outcomes of a dispute: its statuses of contract §13. */
const DISPUTED = ['open', 'challenged', 'accepted', 'expired', 'won', 'lost', 'prevented'] as const;

export const LedgerLine = z.object({
  /** For a dispute, the sandbox's own id. */
  reference: z.string(),
  /** The payment that it belongs to, as the request named it. */
  paymentId: z.string(),
  operation: z.enum([...OPERATIONS, 'dispute']),
  /** Minor units, of the effect. */
  amount: z.int().min(0),
  currencyCode: z.string(),
  /** The processor's own name for it; a node of an older version that has the sandbox does not tell. */
  processorTransactionId: z.string().exactOptional(),
  /** A person did it at the acquirer itself, in no call of ours. */
  byHand: z.literal(true).exactOptional(),
  /** An authorization that took the money with its success: whether the customer's bank has left it so. */
  capture: z.enum(['succeeded', 'declined']).exactOptional(),
  /** A charge of a card without its customer, as its network saw it; `card`: the id of the test card. */
  network: z
    .object({
      ...AbsentUse.shape,
      card: z.string(),
      /** The name of the network; absent for a test card with numbers of several. */
      name: z.string().exactOptional(),
      /** The code of a refusal: the issuer's, the network's own, and its advice. */
      code: z.string().exactOptional(),
      networkCode: z.string().exactOptional(),
      networkAdviceCode: z.string().exactOptional(),
    })
    .exactOptional(),
  /** As it is now: a pending operation has ended when its time had come. */
  outcome: z.enum(['succeeded', 'declined', 'pending', 'requires_action', ...DISPUTED]),
  /** ms since the epoch */
  at: z.int(),
});
export type LedgerLine = Readonly<z.infer<typeof LedgerLine>>;

/** `next`: where the next page begins; absent if there is none. */
export const LedgerPage = z.object({ lines: z.array(LedgerLine), next: z.int().exactOptional() });
export type LedgerPage = z.infer<typeof LedgerPage>;

/**
 * Notifications that were not accepted yet, those that are on their way among them; that something expires only once it
 * has. `nextAt`: when the first of them is due, ms; absent if there is none. A refused notification is due again
 * after its pause.
 */
export const Undelivered = z.object({ count: z.int().min(0), nextAt: z.int().exactOptional() });
export type Undelivered = z.infer<typeof Undelivered>;

/** `problems`: a sentence for each thing that is wrong, with where it stands. */
export type FaultsSet =
  | { readonly kind: 'set'; readonly report: FaultReport }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** A page that a customer is challenged on: what it shows, and how it stands. */
export const Challenge = z.object({
  /** Whose payment it is. Absent, as the digits, in the answer of a node of an earlier version. */
  accountId: z.string().exactOptional(),
  /** The method of payment whose page it is; absent for a card. */
  method: PaymentMethodType.exactOptional(),
  /** The last digits of the card. */
  last4Digits: z.string().exactOptional(),
  /** Minor units. */
  amount: z.int().min(0),
  currencyCode: z.string(),
  state: z.enum(['waiting', 'approved', 'failed', 'fenced']),
  /** Where the customer goes afterwards. */
  returnUrl: z.string().exactOptional(),
});
export type Challenge = z.infer<typeof Challenge>;

/** What a person does to a payment at the acquirer itself. */
export const SandboxAct = z.strictObject({
  /** The account, or the connection to a further sandbox. */
  accountId: z.string(),
  paymentId: z.string(),
  operation: z.enum(OPERATIONS).exclude(['authorization']),
  /** Minor units, of an adjustment the new total; all that is possible if it is missing. */
  amount: z.int().min(1).exactOptional(),
  /** No notification reports it. */
  isSilent: z.boolean().exactOptional(),
});
export type SandboxAct = z.infer<typeof SandboxAct>;

/** `declined`: by the rules of the acquirer, with its code; nothing was done. */
export const Acted = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), amount: z.int().min(0), currencyCode: z.string() }),
  z.object({ kind: z.literal('declined'), code: z.string() }),
]);
export type Acted = z.infer<typeof Acted>;

type Disputing = 'dispute' | 'lookUpDispute' | 'standing';

export interface Sandbox extends Omit<Processor, Disputing>, Required<Pick<Processor, Disputing>> {
  /** The challenge with this unguessable id; undefined if there is none. */
  challenge(id: string): Promise<Challenge | undefined>;
  /** The customer passes or fails it: the first answer counts. The challenge as it is then. */
  answerChallenge(id: string, isApproved: boolean): Promise<Challenge | undefined>;
  /** A person acts at the acquirer itself. Throws StoreUnavailable. */
  act(act: SandboxAct): Promise<Acted>;
  /** These two never take a success back. */
  lookUp(request: OperationRequest, call: Call): Promise<LookUp>;
  fence(request: OperationRequest, call: Call): Promise<LookUp>;
  /**
   * The key with which the notifications of this account are sent from now on, or the token of the path by which those
   * of this connection are; kept in the sandbox's own file.
   */
  connect(connection: { readonly accountId: string; readonly apiKey: string }): Promise<void>;
  /** Accounts that have connected a key. */
  connected(): Promise<readonly string[]>;
  /**
   * Sends due notifications to `<url>/webhooks/sandbox` until the signal aborts; ends at once where another node does.
   */
  run(url: string, signal: AbortSignal): Promise<void>;
  /**
   * Operations that were done or refused for one account, or for all, in the order of their requests: up to `limit` (1
   * to 1000) lines after `after`, which is the `next` of the previous page.
   */
  ledgerOf(accountId: string | undefined, limit: number, after?: number): Promise<LedgerPage>;
  /**
   * The lines of these references (1 to 1000), in no order; none for an unrecorded one. Also lines that a card hides
   * from look-ups.
   */
  linesOf(references: readonly string[]): Promise<readonly LedgerLine[]>;
  /** The schemas of the plan that setFaults takes and of the report that faults answers. */
  readonly faultPlan: typeof FaultPlan;
  readonly faultReport: typeof FaultReport;
  /** The rules by which calls of this account go wrong, and how often they have. */
  faults(accountId: string): Promise<FaultReport>;
  /** Replaces the rules and resets the counts, from the next call on; `{seed: 0, rules: []}` removes all rules. */
  setFaults(accountId: string, plan: unknown): Promise<FaultsSet>;
  /**
   * Empties the account's ledger, its notifications (waiting ones are never sent) and its faults; without an account,
   * those of all. Tokens of cards and keys stay. It forgets its operations, as no acquirer would: look-ups of older
   * payments say "not found" from then on, their captures and refunds are declined, and our records differ from its
   * ledger for ever.
   */
  reset(accountId?: string): Promise<void>;
  /**
   * The undelivered notifications of one account, or of all; `sandbox wait --until-settled` waits until there are none.
   */
  undelivered(accountId?: string): Promise<Undelivered>;
  scenarios(): Scenario[];
  close(): Promise<void>;
}

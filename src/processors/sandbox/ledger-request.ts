// What the sandbox asks of the thread that writes its file, and what it gets back.
import type { OperationRequest } from '../processor.ts';
import type { Fault } from './cards.ts';
import type { Entry } from './entry.ts';
import type { FaultPlan } from './fault-plan.ts';

export type LedgerRequest =
  | { readonly kind: 'keep_card'; readonly token: string; readonly accountId: string; readonly card: string }
  /** Decides and writes; `now` is business time in ms. */
  | { readonly kind: 'perform'; readonly request: OperationRequest; readonly now: number }
  /** Notifications due at `now`; they are the asker's until `leaseUntil`. */
  | { readonly kind: 'take'; readonly now: number; readonly leaseUntil: number; readonly limit: number }
  /** Of a notification that was taken: when it is due again; null when it was delivered. */
  | { readonly kind: 'finish'; readonly notificationId: string; readonly attempt: number; readonly nextAt: number | null }
  | { readonly kind: 'connect'; readonly accountId: string; readonly apiKey: string }
  /** Counting begins anew. */
  | { readonly kind: 'set_faults'; readonly accountId: string; readonly plan: FaultPlan }
  /** Without an account: everybody's. */
  | { readonly kind: 'reset'; readonly accountId: string | undefined };

export interface TakenNotification {
  readonly notificationId: string;
  readonly body: string;
  readonly apiKey: string;
  /** From 1. */
  readonly attempt: number;
}

export type LedgerReply =
  /** Recorded, now or when the reference was first asked for; the fault strikes after the effect. */
  | { readonly kind: 'performed'; readonly entry: Entry; readonly fault: Fault | undefined }
  /** Nothing was recorded: the fault strikes before the effect. */
  | { readonly kind: 'lost'; readonly fault: Fault }
  | { readonly kind: 'taken'; readonly notifications: readonly TakenNotification[] }
  | { readonly kind: 'done' };

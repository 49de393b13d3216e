// What the sandbox asks of the thread that writes its file, and what it gets back.
import type { OperationRequest } from '../../processor.ts';
import type { Entry } from '../entry.ts';
import type { Fault } from '../faults/fault.ts';
import type { Strike } from '../rules/fault-choice.ts';
import type { FaultPlan } from '../rules/fault-plan.ts';

export type LedgerRequest =
  /** `struck`: the fault that was chosen when it was first asked for; nothing strikes it again. */
  | {
      readonly kind: 'keep_card';
      readonly token: string;
      readonly accountId: string;
      readonly card: string;
      readonly struck?: Strike | undefined;
    }
  /** Decides and writes; `now` is business time in ms. `struck`: as above. */
  | { readonly kind: 'perform'; readonly request: OperationRequest; readonly now: number; readonly struck?: Strike | undefined }
  /** Counts a look-up of an operation that is recorded. */
  | { readonly kind: 'look_up'; readonly entry: Entry }
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
  /** This one is sent badly signed, and again whatever is answered. */
  readonly badlySigned: boolean;
}

export type LedgerReply =
  /** Recorded, now or when the reference was first asked for; the fault strikes after the effect. */
  | {
      readonly kind: 'performed';
      readonly entry: Entry;
      readonly fault: Fault | undefined;
      /** When the first notification that it led to is due, ms; undefined when it led to none. */
      readonly dueAt: number | undefined;
      /** The key of the notification that must be accepted before any answer. */
      readonly awaits: string | undefined;
    }
  /** Nothing was recorded: the fault strikes before the effect. */
  | { readonly kind: 'struck'; readonly strike: Strike; readonly fault: Fault }
  | { readonly kind: 'taken'; readonly notifications: readonly TakenNotification[] }
  /** Of a token or a look-up: the fault that strikes it. */
  | { readonly kind: 'done'; readonly fault?: Fault | undefined };

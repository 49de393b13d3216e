// A connection for the command line: its references, and never what they name.
import { type ExistingConnection, isProven } from '../../domain/connection/state.ts';
import { formatTime } from '../../world.ts';

export interface ConnectionView {
  readonly id: string;
  readonly processor: string;
  readonly name: string;
  readonly accountId: string;
  readonly status: 'active' | 'disabled';
  /** Name to `env:NAME` or `file:PATH`. */
  readonly secrets: { readonly [name: string]: string };
  readonly publishableKey: string | null;
  /** Null: the processor's own server. */
  readonly apiUrl: string | null;
  /** True if a run of `connections check --script` has passed at its server. */
  readonly burnProven: boolean;
  /** The key that its notifications come by; `webhooks incoming list` has its paths. */
  readonly webhookKeyId: string | null;
  readonly createdAt: string;
  readonly disabledAt: string | null;
}

export const connectionView = (id: string, doc: ExistingConnection): ConnectionView => ({
  id,
  processor: doc.processor,
  name: doc.name,
  accountId: doc.accountId,
  status: doc.status,
  secrets: doc.secrets,
  publishableKey: doc.publishableKey ?? null,
  apiUrl: doc.apiUrl ?? null,
  burnProven: isProven(doc),
  webhookKeyId: doc.webhookKeyId ?? null,
  createdAt: formatTime(doc.createdAt),
  disabledAt: doc.disabledAt === undefined ? null : formatTime(doc.disabledAt),
});

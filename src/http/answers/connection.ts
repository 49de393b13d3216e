// A connection as operators and users of the dashboard see it: its references, and never what they name.
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { isProven, validSecrets } from '../../domain/connection.ts';
import { formatTime } from '../../world.ts';

/** The members that the command line and the dashboard's API have in common. `at`: ms, when references must count. */
export function connectionMembers({ id, doc }: ConnectionRow, at: number) {
  const { previousWebhookSecretUntil: until, eventsSweptUntil: swept, disabledAt } = doc;
  const secrets = validSecrets(doc, at);
  return {
    id,
    processor: doc.processor,
    name: doc.name,
    status: doc.status,
    /** Name to `env:NAME` or `file:PATH`. */
    secrets,
    /** Null: no notification is accepted by a previous secret. */
    previousWebhookSecretUntil:
      secrets['previousWebhookSecret'] === undefined || until === undefined ? null : formatTime(until),
    publishableKey: doc.publishableKey ?? null,
    /** Null: the processor's own server. */
    apiUrl: doc.apiUrl ?? null,
    /** True if a run of `connections check --script` has passed at its server. */
    burnProven: isProven(doc),
    /** The key that its notifications come by; `webhooks incoming list` has its paths. */
    webhookKeyId: doc.webhookKeyId ?? null,
    /** How far the processor's own list of events was read; null: not yet, or it lists none. */
    eventsSweptUntil: swept === undefined ? null : formatTime(swept),
    createdAt: formatTime(doc.createdAt),
    disabledAt: disabledAt === undefined ? null : formatTime(disabledAt),
  };
}

// The functions that commands on client sessions need.
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import type { World } from '../../world.ts';
import type { Idempotency } from '../idempotency.ts';
import type { ClientTokens } from './client-tokens.ts';

export interface SessionNeeds {
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly tokens: ClientTokens;
  readonly world: World;
  /** Takes a session back from a payment that is over; false while the payment holds the session. */
  readonly displaceSessionClaim: (sessionId: string, context: Context) => Promise<boolean>;
}

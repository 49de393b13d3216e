// Client sessions as a subject: made, changed, and given fresh tokens by a merchant's backend; expired by a policy
// (contract §3).
import { expireSession } from '../../domain/client-session/decide.ts';
import { transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import { createClientSession } from './create-client-session.ts';
import { issueClientToken } from './issue-client-token.ts';
import type { SessionNeeds } from './needs.ts';
import { patchClientSession } from './patch-client-session.ts';
import {
  cancelPaymentLink,
  createPaymentLink,
  type LinkNeeds,
  openPaymentLink,
  paymentLinkUrl,
} from './payment-link.ts';

export type Sessions = ReturnType<typeof makeSessions>;

export const makeSessions = (needs: LinkNeeds) => ({
  createClientSession: createClientSession(needs),
  patchClientSession: patchClientSession(needs),
  issueClientToken: issueClientToken(needs),
  expireClientSession: expireClientSession(needs),
  createPaymentLink: createPaymentLink(needs),
  cancelPaymentLink: cancelPaymentLink(needs),
  openPaymentLink: openPaymentLink(needs),
  paymentLinkUrl: paymentLinkUrl(needs),
});

/** Records the expiry of a session that no payment holds. `policy`: the actor of the event. */
const expireClientSession =
  ({ sessions, world }: Pick<SessionNeeds, 'sessions' | 'world'>) =>
  async (due: Due, policy: string): Promise<void> => {
    const context = await dueContext(world, sessions, policy, due);
    await transact(sessions, due.id, context, expireSession(context.at));
  };

// Events of a user of the dashboard: never a password, a link or a session's secret, only hashes of them.
import { z } from 'zod';
import { category, event } from '../category.ts';

const SignedIn = z.strictObject({
  sessionId: z.string(),
  /** A keyed hash of the secret in the session's cookie. */
  secretHash: z.string(),
  /** The session ends then at the latest, by the machine's clock, ms. */
  expiresAt: z.number(),
  /** When it began, by the machine's clock, ms: people do not sign out because the business clock moves. */
  at: z.number(),
  by: z.string(),
  address: z.string(),
  /** Browser and system in a few words, for the list of sessions. */
  device: z.string(),
  /**
   * The thirty seconds that a code of the second factor was for: no code of them, or of earlier ones, is taken again.
   */
  codeStep: z.number().optional(),
});

export const userCategory = category(
  'user',
  z.discriminatedUnion('type', [
    event('UserInvited', z.strictObject({ accountId: z.string(), email: z.string(), role: z.string() })),
    /** A link to the page where the user sets a password: the newest one counts, once, until it expires (ms). */
    event('WelcomeLinkMade', z.strictObject({ tokenHash: z.string(), expiresAt: z.number() })),
    /** `by`: `link`, which is used up, or `change`. */
    event('PasswordSet', z.strictObject({ passwordHash: z.string(), by: z.string() })),
    event('SignedIn', SignedIn),
    event('SignedOut', z.strictObject({ sessionIds: z.array(z.string()), why: z.string() })),
    /** The password was given again in a session; `at` as of SignedIn. */
    event('PasswordConfirmed', z.strictObject({ sessionId: z.string(), at: z.number() })),
    /**
     * So many sign-ins failed that no more are tried until then, ms, from that address or, where they came from many,
     * from any.
     */
    event('SignInsBlocked', z.strictObject({ failures: z.number(), until: z.number() })),
    event('UserRoleChanged', z.strictObject({ role: z.string() })),
    /** Password, second factor and sessions end: only a new link opens the dashboard. */
    event('AccessReset', z.strictObject({})),
    event('UserDisabled', z.strictObject({})),
    event('UserEnabled', z.strictObject({})),
    /** `sealedSecret` under the store key; recovery codes as keyed hashes; `codeStep` of the code that proved it. */
    event(
      'TwoFactorSet',
      z.strictObject({ sealedSecret: z.string(), recoveryHashes: z.array(z.string()), codeStep: z.number() }),
    ),
    event('RecoveryCodeUsed', z.strictObject({ recoveryHash: z.string() })),
    event('TwoFactorRemoved', z.strictObject({})),
  ]),
);
export type UserEvent = z.infer<typeof userCategory.event>;

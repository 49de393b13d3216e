// Events of an account: operators make it, and everything else belongs to one (contract §2). It owns the list of its
// owners.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { NamedConnection, RecordedRules } from '../routing/recorded-rules.ts';

/** Before accounts were marked as operating the store or not. */
const AccountCreatedV1 = z.strictObject({ name: z.string() });

export const accountCategory = category(
  'account',
  z.discriminatedUnion('type', [
    /** `operator`: its users may change what concerns the whole store; null: made before that was recorded. */
    event('AccountCreated', z.strictObject({ name: z.string(), operator: z.boolean().nullable() })),
    event('AccountRenamed', z.strictObject({ name: z.string() })),
    /**
     * A link to the page where the account's first owner gives an e-mail and a password: of its token a keyed hash; ms.
     */
    event('OwnerLinkMade', z.strictObject({ tokenHash: z.string(), expiresAt: z.number() })),
    /** A user of the account is about to become an active owner; `tokenHash`: of the link that makes the first one. */
    event('OwnerJoined', z.strictObject({ userId: z.string(), tokenHash: z.string().optional() })),
    event('OwnerLeft', z.strictObject({ userId: z.string() })),
    /** All of them: pages of these origins may frame the account's checkout (contract §3). */
    event('AllowedOriginsSet', z.strictObject({ origins: z.array(z.string()) })),
    /** The rules by which new payments are routed, and the connections that they name. `version`: from 1. */
    event(
      'RoutingSet',
      z.strictObject({ version: z.number(), rules: RecordedRules, connections: z.array(NamedConnection) }),
    ),
    /** The rules were removed: new payments go where their tokens are good. `version`: the next after theirs. */
    event('RoutingCleared', z.strictObject({ version: z.number() })),
  ]),
  { AccountCreated: [upcast(AccountCreatedV1, (older) => ({ ...older, operator: null }))] },
);
export type AccountEvent = z.infer<typeof accountCategory.event>;

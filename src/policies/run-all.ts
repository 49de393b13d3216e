// All the work that falls due by itself.
import type { House } from '../commands/house.ts';
import { askAfterOutages } from './ask-after-outages.ts';
import { expireAuthorizations } from './expire-authorizations.ts';
import { expireInstruments } from './expire-instruments.ts';
import { expireSessions } from './expire-sessions.ts';
import { finishVaulting } from './finish-vaulting.ts';
import { handleNotifications, retryParkedNotifications } from './handle-notifications.ts';
import { runPolicy } from './policy.ts';
import { releaseClaimsOfEnded, releaseSessionClaims, releaseTokenClaims } from './release-claims.ts';
import { resolveUnknownOutcomes } from './resolve-unknown-outcomes.ts';
import { runSweep, type SweepParts } from './sweep.ts';

/** Does due work until the signal aborts. */
export async function runPolicies(house: House, parts: SweepParts, signal: AbortSignal): Promise<void> {
  const { readModels } = parts;
  const own = (): AbortSignal => AbortSignal.any([signal]); // Node warns of more than ten that wait for one
  await Promise.all([
    runPolicy(resolveUnknownOutcomes(house), parts, house, own()),
    askAfterOutages(house, parts, own()),
    runPolicy(expireAuthorizations(house), parts, house, own()),
    runPolicy(expireSessions(house), parts, house, own()),
    runPolicy(expireInstruments(house), parts, house, own()),
    runPolicy(finishVaulting(house), parts, house, own()),
    runPolicy(handleNotifications(house), parts, house, own()),
    runPolicy(retryParkedNotifications(house), parts, house, own()),
    runSweep(releaseSessionClaims(house, readModels), parts, house, own()),
    runSweep(releaseTokenClaims(house, readModels), parts, house, own()),
    runSweep(releaseClaimsOfEnded(house, readModels), parts, house, own()),
  ]);
}

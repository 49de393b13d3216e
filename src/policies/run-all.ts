// All work that becomes due without a request.
import type { Instruments } from '../commands/instruments/instruments.ts';
import type { Notifications } from '../commands/notifications/notifications.ts';
import type { Payments } from '../commands/payments/payments.ts';
import type { Sessions } from '../commands/sessions/sessions.ts';
import type { Alarm } from '../world.ts';
import { askAfterOutages, type OutageNeeds } from './ask-after-outages.ts';
import {
  type CheckpointingNeeds,
  makeCheckpoints,
  type QueueingCheckpointsNeeds,
  queueCheckpoints,
} from './checkpoints.ts';
import { deliverWebhooks, type WantedLanes } from './deliver-webhooks.ts';
import {
  attendDisputes,
  expireAuthorizations,
  expireInstruments,
  expireSessions,
  finishVaulting,
  handleNotifications,
  resolveUnknownOutcomes,
  retryDeclinedCharges,
  retryParkedNotifications,
} from './due-work.ts';
import { type LeavingNeeds, leaveAfterDays } from './leave-after-days.ts';
import { runPolicy } from './policy.ts';
import { type QueueingNeeds, type QueueingParts, queueWebhooks } from './queue-webhooks.ts';
import { type ReleaseNeeds, releaseClaimsOfEnded, releaseSessionClaims, releaseTokenClaims } from './release-claims.ts';
import { type ChargeSweepNeeds, settleClaimedCharges, settleEndedCharges } from './settle-charges.ts';
import { runSweep, type SweepingNeeds, type SweepParts, sweepEvents } from './sweep.ts';
import type { LaneNeeds } from './webhook-lane.ts';

/** The functions that policies call. */
export interface PolicyNeeds
  extends OutageNeeds,
    CheckpointingNeeds,
    LeavingNeeds,
    ReleaseNeeds,
    ChargeSweepNeeds,
    QueueingNeeds,
    QueueingCheckpointsNeeds,
    LaneNeeds,
    SweepingNeeds,
    Pick<Payments, 'expireAuthorization' | 'lookUpDisputes' | 'retryCharges'>,
    Pick<Sessions, 'expireClientSession'>,
    Pick<Instruments, 'expireInstrument' | 'finishVaulting'>,
    Pick<Notifications, 'handleStoredNotification'> {}

interface PolicyParts extends SweepParts, Pick<QueueingParts, 'followedTo' | 'beginOf' | 'parkedIn'> {
  /** Rung when the log has been followed further. */
  readonly moved: Alarm;
  readonly wanted: WantedLanes;
}

/** Does due work until the signal aborts. */
export async function runPolicies(needs: PolicyNeeds, parts: PolicyParts, signal: AbortSignal): Promise<void> {
  const { readModels } = parts;
  const own = (): AbortSignal => AbortSignal.any([signal]); // Node warns of more than ten that wait for one
  await Promise.all([
    runPolicy(resolveUnknownOutcomes(needs), parts, needs, own()),
    askAfterOutages(needs, parts, own()),
    runPolicy(expireAuthorizations(needs), parts, needs, own()),
    runPolicy(attendDisputes(needs), parts, needs, own()),
    runPolicy(retryDeclinedCharges(needs), parts, needs, own()),
    runPolicy(expireSessions(needs), parts, needs, own()),
    runPolicy(expireInstruments(needs), parts, needs, own()),
    runPolicy(finishVaulting(needs), parts, needs, own()),
    runPolicy(handleNotifications(needs), parts, needs, own()),
    runPolicy(retryParkedNotifications(needs), parts, needs, own()),
    queueWebhooks(needs, { ...parts, alarm: parts.moved }, own()),
    queueCheckpoints(needs, parts, own()),
    deliverWebhooks(needs, parts, own()),
    runSweep(releaseSessionClaims(needs, readModels), parts, needs, own()),
    runSweep(releaseTokenClaims(needs, readModels), parts, needs, own()),
    runSweep(releaseClaimsOfEnded(needs, readModels), parts, needs, own()),
    runSweep(settleClaimedCharges(needs), parts, needs, own()),
    runSweep(settleEndedCharges(needs), parts, needs, own()),
    sweepEvents(needs, parts, own()),
    makeCheckpoints(needs, parts, own()),
    leaveAfterDays(needs, parts, own()),
  ]);
}

// Events of an act: what a person asked the service itself to do, put on record before it is done.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';

/** `revision`: of the event that parks the stream. */
const OfParkedStream = z.strictObject({ projection: z.string(), stream: z.string(), revision: z.number() });
/** As version 1 has it: it released every event from there on. */
const ReleaseV1 = z.strictObject({ stream: z.string(), revision: z.number() });
/** A rule of the sandbox as it keeps it: a test card by its name, never by its number. */
const Rule = z.strictObject({ match: z.record(z.string(), z.unknown()), do: z.record(z.string(), z.unknown()) });

const SandboxFaultsV1 = z.strictObject({ seed: z.number(), rules: z.array(Rule) });
const SandboxResetV1 = z.strictObject({ allAccounts: z.boolean() });
/** A further sandbox of the account; absent: the first one, or all of them. */
const ofConnection = { connectionId: z.string().optional() };

export const actCategory = category(
  'act',
  z.discriminatedUnion('type', [
    event('RebuildRequested', z.strictObject({ projection: z.string(), dryRun: z.boolean() })),
    event('ParkedStreamRetryRequested', OfParkedStream),
    event('ParkedStreamDiscardRequested', OfParkedStream),
    /**
     * Everything goes on without the stream from this revision on, where an event of it cannot be read up to `upTo`,
     * its last one at that time; absent if none could be read. Its stream is named after it.
     */
    event('ParkedStreamReleaseRequested', ReleaseV1.extend({ upTo: z.number().optional() })),
    /** All rules of the account from now on; none ends them. */
    event('SandboxFaultsRequested', SandboxFaultsV1.extend(ofConnection)),
    /** The ledger, the waiting notifications and the rules of the account, or of all accounts, are forgotten. */
    event('SandboxResetRequested', SandboxResetV1.extend(ofConnection)),
    /**
     * An operator goes on with a log that ends at `end`, although stores beside it have seen it up to `seen`: events
     * after `end` are lost, and their positions are taken again. Positions in digits; `end` is -1 for an empty log.
     */
    event('ShorterLogAccepted', z.strictObject({ end: z.string(), seen: z.string() })),
    /**
     * Every message of the endpoint that was queued at `since` or later, and not taken by `asOf`, is delivered again;
     * ms.
     */
    event('WebhookResendRequested', z.strictObject({ endpointId: z.string(), since: z.number(), asOf: z.number() })),
    /**
     * The names of keys of personal data that are about to be destroyed: by an erasure, or by a restore whose register
     * names erasures that are newer than the backup. `earlier`: were destroyed before this event existed.
     */
    event(
      'KeyDestructionRequested',
      z.strictObject({ keyIds: z.array(z.string()), because: z.enum(['erasure', 'restore', 'earlier']) }),
    ),
  ]),
  {
    ParkedStreamReleaseRequested: [upcast(ReleaseV1, (older) => older)],
    SandboxFaultsRequested: [upcast(SandboxFaultsV1, (older) => older)],
    SandboxResetRequested: [upcast(SandboxResetV1, (older) => older)],
  },
);
export type ActEvent = z.infer<typeof actCategory.event>;

// An act: what a person asked the service itself to do, put on record once, before it is done.
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision } from './decider.ts';

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

/** The revisions of a stream at which a fault is released; without `upTo`: every one from there on. */
export interface Released {
  readonly from: number;
  readonly upTo?: number;
}

export type Act =
  | { readonly status: 'absent' }
  | {
      readonly status: 'requested';
      readonly request: ActEvent['type'];
      readonly at: number;
      /** The releases of a stream: one for each request. */
      readonly released?: readonly Released[];
    };

export const act: Decider<Act, ActEvent> = {
  category: actCategory,
  initial: { status: 'absent' },
  evolve: (state, { type, data }, { at }) => ({
    status: 'requested',
    request: type,
    at,
    ...(type === 'ParkedStreamReleaseRequested' && { released: [...releasedIn(state), releasedBy(data)] }),
  }),
};

const releasedBy = ({
  revision,
  upTo,
}: {
  readonly revision: number;
  readonly upTo?: number | undefined;
}): Released => ({
  from: revision,
  ...(upTo !== undefined && { upTo }),
});

export const releasedIn = (state: Act): readonly Released[] =>
  state.status === 'requested' ? (state.released ?? []) : [];

/** True if a fault at this revision is released: a later one, which nobody knew of, is not. */
export const isReleasedAt = (released: readonly Released[], revision: number): boolean =>
  released.some(({ from, upTo = Number.POSITIVE_INFINITY }) => from <= revision && revision <= upTo);

/** The id of the act that releases a stream: the stream is released once, and its name finds out whether it is. */
export const releaseOf = (stream: string): string => `released-${stream}`;

/** On record already: nothing. */
export const requestAct =
  (request: ActEvent) =>
  (act: Act): Decision<ActEvent> =>
    act.status === 'absent' ? accept(request) : accept();

interface ReleaseRequest {
  readonly stream: string;
  /** The revisions at which it is parked. */
  readonly parkedAt: readonly number[];
  /** The stream's last one; undefined if no event of it can be read. */
  readonly last: number | undefined;
}

/** Released at all of these revisions already: nothing. */
export const requestRelease =
  ({ stream, parkedAt, last }: ReleaseRequest) =>
  (act: Act): Decision<ActEvent> => {
    if (parkedAt.every((revision) => isReleasedAt(releasedIn(act), revision))) return accept();
    const upTo = last === undefined ? {} : { upTo: Math.max(last, ...parkedAt) };
    return accept({ type: 'ParkedStreamReleaseRequested', data: { stream, revision: Math.min(...parkedAt), ...upTo } });
  };

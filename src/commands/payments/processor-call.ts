// A call to a processor under its deadline: counted by the circuit, and never thrown for what the network or an adapter
// does.
import type { NotSent, Outcome, Preparation, Unknown } from '../../domain/payment/outcome.ts';
import type { Call } from '../../processors/processor.ts';
import { within } from '../../world.ts';
import type { AccountConnections, ConnectionRoute } from '../connections/connections.ts';
import { UnresolvedSecret } from '../connections/secret-reference.ts';
import { endedCall } from '../limits/ended-call.ts';
import { type SentCall, withoutCardNumbers } from './call-evidence.ts';
import type { CallNeeds } from './needs.ts';

/** The end of a call at its deadline, without card numbers. */
export interface CallMade<T extends Outcome | Preparation = Outcome | Preparation> {
  readonly outcome: T;
  /** Undefined if nothing was sent. */
  readonly call?: SentCall | undefined;
  /** The answer that missed the deadline; it may still come, or reject. */
  readonly late?: Promise<T>;
}

interface Needs extends Pick<CallNeeds, 'world' | 'timings' | 'deadlines' | 'circuits' | 'report'> {
  readonly connections: Pick<AccountConnections, 'of'>;
}

/** What a call that may have an effect is, when it is sent, and when it is over; World.monotonic. */
export interface CallBounds {
  /** For operators: "capture". */
  readonly what: string;
  /** Whose circuit counts it. */
  readonly accountId: string;
  /** Asked right before it is sent: true if the time to send it has passed. */
  readonly isLate: () => boolean;
  /** When it must be over, where that is sooner than `answerWithinMs` from now. */
  readonly endsAt?: number | undefined;
}

/**
 * A call that may have an effect. Without its secret, or after its time, nothing is sent, however long the secret took.
 * Never throws.
 */
export async function callProcessor<T extends Outcome | Preparation>(
  { world, timings, deadlines, circuits, connections, report }: Needs,
  route: ConnectionRoute,
  send: (call: Call) => Promise<T>,
  { what, accountId, isLate, endsAt }: CallBounds,
): Promise<CallMade<T | Unknown | NotSent>> {
  let sent: SentCall | undefined;
  let startedAt = 0;
  let answer: Promise<T> | undefined;
  const sendOnce = async (signal: AbortSignal): Promise<T | NotSent> => {
    const found = usableAt({ connections, report }, route);
    const connection = found instanceof Promise ? await found : found;
    if ('detail' in connection) return { kind: 'not_sent', detail: connection.detail };
    if (signal.aborted || isLate()) return TOO_LATE;
    sent = { sentAt: world.now() };
    startedAt = world.monotonic();
    answer = send({ connection, signal });
    return answer;
  };
  try {
    const { answerWithinMs } = timings;
    const leftMs =
      endsAt === undefined ? answerWithinMs : Math.min(answerWithinMs, Math.max(0, endsAt - world.monotonic()));
    const outcome = endsAt === undefined ? await deadlines.within(sendOnce) : await within(world, leftMs, sendOnce);
    if (answer === undefined) return { outcome: outcome === 'timeout' ? TOO_LATE : withoutCardNumbers(outcome) };
    const silent: Unknown = { kind: 'unknown', detail: `no answer within ${Math.round(leftMs)} ms` };
    const told = outcome === 'timeout' ? silent : outcome;
    const made = { what, at: sent?.sentAt ?? world.now(), tookMs: world.monotonic() - startedAt };
    circuits.ended({ accountId, connectionId: route.connectionId }, 'operation', told.kind, endedCall(made, told));
    if (outcome !== 'timeout') return { outcome: withoutCardNumbers(outcome), call: sent };
    return { outcome: silent, call: sent, late: answer.then((told) => withoutCardNumbers(told)) };
  } catch (fault) {
    report(fault); // an adapter's defect says nothing about the effect at the processor
    const detail = 'the call failed in a way that its adapter did not grade';
    return { outcome: { kind: 'unknown', detail }, call: sent };
  }
}

const TOO_LATE: NotSent = { kind: 'not_sent', detail: 'the time to send it had passed' };

interface CallWithoutEffect {
  readonly what: string;
  readonly accountId: string;
  readonly patienceMs: number;
  readonly isUncounted?: boolean;
}

interface UnreachableProcessor {
  readonly kind: 'unreachable';
  readonly detail: string;
}

/**
 * A call that has no effect on money, within `patienceMs` at most; `what`: of the call, in the detail of a failure.
 * `isUncounted`: a failure says nothing about payments, so the circuit does not hear of it. Never throws.
 */
export async function askProcessor<Found extends { readonly kind: string }>(
  { world, timings, circuits, connections, report }: Needs,
  route: ConnectionRoute,
  { what, accountId, patienceMs, isUncounted = false }: CallWithoutEffect,
  ask: (call: Call) => Promise<Found>,
): Promise<Found | UnreachableProcessor> {
  const [at, startedAt] = [world.now(), world.monotonic()];
  let isUsable = true;
  const askOnce = async (signal: AbortSignal): Promise<Found | UnreachableProcessor> => {
    const usable = usableAt({ connections, report }, route);
    const connection = usable instanceof Promise ? await usable : usable;
    isUsable = !('detail' in connection);
    return 'detail' in connection ? { kind: 'unreachable', detail: connection.detail } : ask({ connection, signal });
  };
  try {
    const found = await within(world, Math.min(timings.answerWithinMs, patienceMs), askOnce);
    const told: Found | UnreachableProcessor =
      found === 'timeout' ? { kind: 'unreachable', detail: `the ${what} was not answered in time` } : found;
    const tookMs = world.monotonic() - startedAt;
    // a secret that cannot be read says nothing about the processor
    if (isUsable && !isUncounted)
      circuits.ended(
        { accountId, connectionId: route.connectionId },
        'look_up',
        told.kind,
        endedCall({ what, at, tookMs }, told),
      );
    return told;
  } catch (fault) {
    report(fault);
    return { kind: 'unreachable', detail: `the ${what} failed` };
  }
}

/**
 * The connection with its secrets, or why it cannot be used; at once where nothing is read for it. Operators learn of a
 * secret that cannot be used by the readiness of the node, and not at every call.
 */
function usableAt({ connections, report }: Pick<Needs, 'connections' | 'report'>, route: ConnectionRoute) {
  const found = connections.of(route);
  if (!(found instanceof Promise)) return found;
  return found.catch((fault: unknown): { readonly detail: string } => {
    if (fault instanceof UnresolvedSecret) return { detail: 'the secret of the connection cannot be used' };
    report(fault);
    return { detail: 'the connection could not be read' };
  });
}

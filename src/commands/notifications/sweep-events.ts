// Reads a processor's own list of events, so that a notification that never came is received anyway (contract §8).
import { Notice } from '../../app-error.ts';
import { type ConnectionEvent, type ConnectionState, recordSweep } from '../../domain/connection.ts';
import { DAY_MS } from '../../domain/payment/look-up.ts';
import type { Context } from '../../journal/context.ts';
import { policyContext } from '../../journal/contexts.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { Processor } from '../../processors/processor.ts';
import { movedAheadMs } from '../../world.ts';
import type { AccountConnections, ConnectionRow } from '../connections/connections.ts';
import { askProcessor, type CallNeeds } from '../payments/processor-call.ts';
import type { NotificationNeeds } from './handle-notification.ts';
import { receiveListed } from './receive-notification.ts';

export interface SweepNeeds extends NotificationNeeds, Pick<CallNeeds, 'timings' | 'deadlines' | 'circuits'> {
  readonly connections: Pick<AccountConnections, 'of' | 'calledBy' | 'processor'>;
  /** Connections whose last list could not be read. */
  readonly failing: Set<string>;
  readonly connectionStreams: Streams<ConnectionState, ConnectionEvent>;
}

const MINUTE_MS = 60_000;
/** An event is left to its own notification for so long, ms: the next sweep takes it where none came. */
const LEFT_MS = 10 * MINUTE_MS;
/** How far before the last sweep one begins, ms: what was left to notifications, and as much for the two clocks. */
const OVERLAP_MS = 2 * LEFT_MS;
/** Where a connection was never swept, ms; `connections reconcile` reads what is older. */
const FIRST_MS = DAY_MS;
/** The place of the last sweep is recorded at least so often, ms, even if nothing was listed. */
const RECORDED_MS = DAY_MS;
const ASK_MS = 10_000;
/** Events that are received at once. */
const AT_ONCE = 20;

interface Swept {
  /** Events that the processor listed. */
  readonly listed: number;
  /** Requests that were sent to the processor for the list. */
  readonly calls: number;
}

/**
 * Receives the events of a connection that were listed since the last sweep and that no notification brought. Answers
 * undefined where the processor lists none or did not answer, which is reported when it begins; the next sweep begins
 * at the same place then. Throws StoreUnavailable.
 */
export async function sweepEvents(needs: SweepNeeds, row: ConnectionRow, policy: string): Promise<Swept | undefined> {
  const { processor: name } = row.doc;
  const processor = await needs.connections.processor(name);
  if (processor?.events === undefined) return undefined;
  const startedAt = needs.world.now() - movedAheadMs(needs.world); // a processor knows the machine's time alone
  const cause = await needs.connectionStreams.causeAt(row.id, 0);
  const contextOfNow = (): Context => policyContext(needs.world, policy, row.doc.accountId, cause);
  const listing = { processor, list: processor.events.bind(processor) };
  const swept = await sweep(needs, row, listing, startedAt, contextOfNow);
  if ('detail' in swept) {
    if (!needs.failing.has(row.id))
      needs.report(
        new Notice(
          `The list of events of the connection ${row.doc.name} could not be read: ${swept.detail}. A notification that is lost stays unknown until it can.`,
        ),
      );
    needs.failing.add(row.id);
    return undefined;
  }
  needs.failing.delete(row.id);
  const { eventsSweptUntil: before = 0 } = row.doc;
  if (swept.listed === 0 && startedAt - before < RECORDED_MS) return swept;
  await transact(needs.connectionStreams, row.id, contextOfNow(), recordSweep(startedAt));
  return swept;
}

interface Listing {
  readonly processor: Processor;
  readonly list: NonNullable<Processor['events']>;
}

async function sweep(
  needs: SweepNeeds,
  { id: connectionId, doc }: ConnectionRow,
  { processor, list }: Listing,
  startedAt: number,
  contextOfNow: () => Context,
): Promise<Swept | { readonly detail: string }> {
  const { accountId } = doc;
  const route = { processor: processor.name, connectionId };
  const asked = { what: 'list of events', accountId, patienceMs: ASK_MS, isUncounted: true };
  const from = (doc.eventsSweptUntil ?? startedAt - FIRST_MS) - OVERLAP_MS;
  let [listed, calls, after] = [0, 0, undefined as string | undefined];
  do {
    const question = { from, after };
    const page = await askProcessor(needs, route, asked, (call) => list(question, call));
    if (page.kind === 'unreachable') return page;
    calls += 1;
    listed += page.raws.length;
    const left = page.raws.filter((raw) => isOld(processor, raw, startedAt)).reverse();
    for (let first = 0; first < left.length; first += AT_ONCE)
      await Promise.all(left.slice(first, first + AT_ONCE).map(receive));
    after = page.next;
  } while (after !== undefined);
  return { listed, calls };

  async function receive(raw: string): Promise<void> {
    const received = await receiveListed(needs, processor, { connectionId }, raw, contextOfNow());
    if (received?.kind === 'received') await received.handled;
  }
}

/** An event that cannot be read is left out here; its notification was refused, too. */
const isOld = (processor: Processor, raw: string, startedAt: number): boolean =>
  processor.reread(raw)?.some(({ occurredAt = 0 }) => occurredAt <= startedAt - LEFT_MS) === true;

// counterfoil audit streams: the streams of the log, with their lengths and times.
import type { Command } from 'commander';
import { checkFollows } from '../../journal/chain.ts';
import { readLog } from '../../journal/read-log.ts';
import { recordedAtOf } from '../../projections/engine/health/recorded-at.ts';
import { breakView, eventView } from '../../queries/streams/event-view.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { categoryOf } from '../../stores/stream-name.ts';
import { formatTime, type World } from '../../world.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { EXIT } from '../exit.ts';
import { print, tell } from '../output.ts';
import { listing, toMinute } from '../table.ts';

interface AuditStreamsOptions extends CommonOptions {
  readonly prefix?: string;
}

interface StreamView {
  readonly stream: string;
  readonly events: number;
  /** null: it cannot be read, as in a stream that another program wrote. */
  readonly firstRecordedAt: string | null;
  readonly lastRecordedAt: string | null;
  /** The first event that cannot be read, or that does not follow. */
  readonly broken?: object;
}

export function auditStreams(parent: Command): void {
  declare(parent, {
    usage: 'streams',
    summary: 'The streams of the event log (reads all of it)',
    examples: ['audit streams --prefix payment-'],
    rules: [
      'Checks the chain of each stream, marks those that cannot be read (broken: {revision, fault}), lists all others and exits 1. Streams of other programs are counted, not checked.',
    ],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .option('--prefix <text>', 'only streams whose name begins with it')
    .action(async (options: AuditStreamsOptions) => {
      const { withEventLog } = await import('../open/with-stores.ts');
      await withEventLog(options, async (events, world) => {
        const found = await streamsIn(events, world, options.prefix ?? '');
        const data = found.map(viewOf);
        const rows = data.map((one) => [one.stream, String(one.events), timeIn(one)]);
        print({ json: { data }, text: listing('streams', ['stream', 'events', 'last recorded'], rows) }, options);
        const broken = found.flatMap((one) => one.broken ?? []);
        if (broken.length === 0) return;
        for (const { message } of broken.slice(0, FAULTS_SHOWN)) tell(message);
        tell(broken.length === 1 ? '1 stream cannot be read.' : `${broken.length} streams cannot be read.`);
        process.exitCode = EXIT.refused;
      });
    });
}

/** Lines on stderr; the list itself marks every one. */
const FAULTS_SHOWN = 20;

interface StreamSpan {
  readonly first: StoredEvent;
  last: StoredEvent;
  events: number;
  broken: BrokenStream | undefined;
}

/** The streams in the order of their first events. Streams of other programs are counted and not judged. */
async function streamsIn(events: EventStore, world: World, prefix: string): Promise<readonly StreamSpan[]> {
  const { openProgress } = await import('../progress.ts');
  const { replayOf } = await import('../../queries/streams/folds.ts');
  const head = await events.head();
  const progress = await openProgress('Reading the log', 'events', world);
  const spans = new Map<string, StreamSpan>();
  const categories = prefix.includes('-') ? [categoryOf(prefix)] : [];
  for await (const batch of readLog(events, { after: -1n, to: head, categories }, new AbortController().signal)) {
    for (const event of batch.events) {
      if (!event.stream.startsWith(prefix) || event.position > head) continue;
      const span = spans.get(event.stream) ?? { first: event, last: event, events: 0, broken: undefined };
      if (replayOf(event.stream) !== undefined)
        span.broken ??= breakBy(() => checkFollows(span.events === 0 ? undefined : span.last, event));
      span.last = event;
      span.events += 1;
      spans.set(event.stream, span);
    }
    progress.update(Number(batch.position) + 1, Number(head) + 1);
  }
  progress.stop();
  // No later event holds the hash of the last one.
  for (const span of spans.values())
    if (replayOf(span.last.stream) !== undefined) span.broken ??= breakBy(() => eventView(span.last));
  return [...spans.values()];
}

function breakBy(check: () => unknown): BrokenStream | undefined {
  try {
    check();
    return undefined;
  } catch (fault) {
    if (fault instanceof BrokenStream) return fault;
    throw fault;
  }
}

const viewOf = ({ first, last, events, broken }: StreamSpan): StreamView => ({
  stream: first.stream,
  events,
  firstRecordedAt: recordedAt(first),
  lastRecordedAt: recordedAt(last),
  ...(broken !== undefined && { broken: breakView(broken) }),
});

function recordedAt(stored: StoredEvent): string | null {
  const at = recordedAtOf(stored);
  return at === undefined ? null : formatTime(at);
}

function timeIn({ lastRecordedAt, broken }: StreamView): string {
  if (broken !== undefined) return 'cannot be read';
  return lastRecordedAt === null ? 'unknown' : toMinute(lastRecordedAt);
}

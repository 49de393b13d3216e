// counterfoil audit streams: the streams of the log, with their lengths and times.
import type { Command } from 'commander';
import { readLog } from '../../journal/read-log.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { categoryOf } from '../../stores/stream-name.ts';
import type { World } from '../../world.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toMinute } from '../table.ts';

interface Options extends CommonOptions {
  readonly prefix?: string;
}

interface StreamView {
  readonly stream: string;
  readonly events: number;
  readonly firstRecordedAt: string;
  readonly lastRecordedAt: string;
}

export function auditStreams(parent: Command): void {
  declare(parent, {
    usage: 'streams',
    summary: 'The streams of the event log (reads all of it)',
    examples: ['audit streams --prefix payment-'],
    settings: STORE_SETTINGS,
  })
    .option('--prefix <text>', 'only streams whose name begins with it')
    .action(async (options: Options) => {
      const { withEventLog } = await import('../open/with-stores.ts');
      await withEventLog(options, async (events, world) => {
        const data = await streamsIn(events, world, options.prefix ?? '');
        const rows = data.map((one) => [one.stream, String(one.events), toMinute(one.lastRecordedAt)]);
        print({ json: { data }, text: listing('streams', ['stream', 'events', 'last recorded'], rows) }, options);
      });
    });
}

interface Span {
  readonly first: StoredEvent;
  last: StoredEvent;
}

async function streamsIn(events: EventStore, world: World, prefix: string): Promise<readonly StreamView[]> {
  const { openProgress } = await import('../progress.ts');
  const { eventView } = await import('../../queries/streams/event-view.ts');
  const head = await events.head();
  const progress = await openProgress('Reading the log', 'events', world);
  const spans = new Map<string, Span>();
  const categories = prefix.includes('-') ? [categoryOf(prefix)] : [];
  for await (const batch of readLog(events, { after: -1n, to: head, categories }, new AbortController().signal)) {
    for (const event of batch.events) {
      if (!event.stream.startsWith(prefix) || event.position > head) continue;
      const span = spans.get(event.stream);
      if (span === undefined) spans.set(event.stream, { first: event, last: event });
      else span.last = event;
    }
    progress.update(Number(batch.position) + 1, Number(head) + 1);
  }
  progress.stop();
  return [...spans.values()].map(({ first, last }) => ({
    stream: first.stream,
    events: last.revision + 1,
    firstRecordedAt: eventView(first).recordedAt,
    lastRecordedAt: eventView(last).recordedAt,
  }));
}

// counterfoil audit show: the events of a stream, as they are stored.
import type { Command } from 'commander';
import type { BrokenStream } from '../../stores/broken-stream.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import { print, writeJson } from '../output.ts';
import { shortId, table, toSecond } from '../table.ts';

interface AuditShowOptions extends CommonOptions {
  readonly jsonl?: boolean;
}

export function auditShow(parent: Command): void {
  declare(parent, {
    usage: 'show <stream>',
    summary: 'The events of a stream, <category>-<id> or the id of a payment',
    examples: ['audit show pay_0123', 'audit show payment-pay_0123 --jsonl'],
    rules: ['A broken stream is shown up to the break, with exit code 1.'],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .option('--jsonl', 'one line of JSON for each event')
    .action(show);
}

async function show(name: string, options: AuditShowOptions): Promise<void> {
  const { streamNameOf, wholeStream } = await import('./stream-name.ts');
  const named = streamNameOf(name);
  const { withEventLog } = await import('../open/with-stores.ts');
  await withEventLog(options, async (events) => {
    const stream = await wholeStream(events, named);
    const { count, broken } =
      options.jsonl === true ? await printLines(events, stream) : await printAll(events, stream, options);
    if (broken !== undefined) throw broken;
    if (count === 0) throw new Refused(`There is no stream ${stream}.`);
  });
}

interface ShownStream {
  readonly count: number;
  /** Where the stream stops; nothing after it is shown. */
  readonly broken: BrokenStream | undefined;
}

async function printLines(events: EventStore, stream: string): Promise<ShownStream> {
  const { eventView } = await import('../../queries/streams/event-view.ts');
  const { readUntilBreak } = await import('../../journal/chain.ts');
  let count = 0;
  const broken = await readUntilBreak(events, stream, async (event) => {
    await writeJson(`${JSON.stringify(eventView(event))}\n`);
    count += 1;
    return true;
  });
  return { count, broken };
}

async function printAll(events: EventStore, stream: string, options: AuditShowOptions): Promise<ShownStream> {
  const { actorOf, breakView, eventView } = await import('../../queries/streams/event-view.ts');
  const { readUntilBreak } = await import('../../journal/chain.ts');
  const data: object[] = [];
  const rows: string[][] = [];
  const broken = await readUntilBreak(events, stream, (event) => {
    const view = eventView(event);
    data.push(view);
    rows.push([String(view.revision), toSecond(view.recordedAt), view.type, actorOf(event, shortId), cut(event.data)]);
    return true;
  });
  const json = { data, ...(broken !== undefined && { broken: breakView(broken) }) };
  if (data.length > 0 || broken !== undefined)
    print({ json, text: table(['#', 'recorded', 'type', 'actor', 'data'], rows) }, options);
  return { count: data.length, broken };
}

/** The part of an event that a line of a table has room for; --json and --jsonl have it whole. */
const DATA_WIDTH = 76;
const cut = (text: string): string => (text.length > DATA_WIDTH ? `${text.slice(0, DATA_WIDTH)}…` : text);

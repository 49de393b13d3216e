// counterfoil audit replay: folds a stream's events and prints its state at a time or revision, and the changes of each
// event.
import type { Command } from 'commander';
import type { EventView } from '../../queries/streams/event-view.ts';
import type { Step } from '../../queries/streams/replay-stream.ts';
import { formatTime, parseTime } from '../../world.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { compactJson } from '../compact-json.ts';
import { parseWholeNumber } from '../duration.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print } from '../output.ts';
import { shortId, toSecond } from '../table.ts';

interface AuditReplayOptions extends CommonOptions {
  readonly at?: string;
  readonly revision?: number;
  readonly diff?: boolean;
}

export function auditReplay(parent: Command): void {
  declare(parent, {
    usage: 'replay <stream>',
    summary: 'The state of a stream at a time or revision, folded from its events',
    examples: [
      'audit replay pay_0123 --diff',
      'audit replay pay_0123 --at 2026-01-31T12:00:00Z',
      'audit replay pay_0123 --revision 2',
    ],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .option('--at <time>', 'the state recorded at this time (RFC 3339)')
    .option(
      '--revision <n>',
      'the state after this event; the first event is 0',
      parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--diff', 'the changes of each event too')
    .action(replay);
}

async function replay(name: string, options: AuditReplayOptions): Promise<void> {
  const until = untilOf(options);
  const { streamNameOf, wholeStream } = await import('./stream-name.ts');
  const { replayOf } = await import('../../queries/streams/folds.ts');
  const named = streamNameOf(name);
  const start = replayOf(named);
  if (start === undefined) throw new WrongUsage(`This version does not know the category of ${named}.`);
  const { withReadableLog } = await import('../open/with-stores.ts');
  await withReadableLog(options, async (events) => {
    const { actorOf, breakView } = await import('../../queries/streams/event-view.ts');
    const { replayStream } = await import('../../queries/streams/replay-stream.ts');
    const stream = await wholeStream(events, named);
    const { state, steps, broken } = await replayStream(events, stream, start, until);
    const last = steps.at(-1);
    if (last === undefined) throw broken ?? new Refused(`There is no stream ${stream}, or it did not exist yet.`);
    const { revision, recordedAt } = last.event;
    if (broken === undefined && options.revision !== undefined && options.revision > revision)
      throw new Refused(`${stream} has no revision ${options.revision}: its last revision is ${revision}.`);
    const diff = options.diff === true && { events: steps.map(stepJson) };
    const json = {
      stream,
      revision,
      recordedAt,
      state,
      ...diff,
      ...(broken !== undefined && { broken: breakView(broken) }),
    };
    const heading = `${stream} at revision ${revision}, recorded ${recordedAt}`;
    const story =
      options.diff === true
        ? `${steps.map((step) => stepText(step, actorOf(step.stored, shortId))).join('\n\n')}\n\n`
        : '';
    print({ json, text: `${story}${heading}\n${compactJson(readable(state))}` }, options);
    if (broken !== undefined) throw broken;
  });
}

/** True if an event is still part of the story; time and revision only grow along a stream. */
function untilOf({ at, revision }: AuditReplayOptions): (event: EventView) => boolean {
  if (at !== undefined && revision !== undefined) throw new WrongUsage('--at and --revision exclude each other.');
  if (revision !== undefined) return (event) => event.revision <= revision;
  if (at === undefined) return () => true;
  const time = parseTime(at);
  if (time === undefined)
    throw new WrongUsage(`--at is ${JSON.stringify(at)}: allowed is an RFC 3339 time such as 2026-01-31T12:00:00Z.`);
  return (event) => (parseTime(event.recordedAt) ?? 0) <= time;
}

const stepJson = ({ event, changes }: Step): object => {
  const { revision, id, type, recordedAt, metadata } = event;
  return { revision, id, type, recordedAt, metadata, changes };
};

function stepText({ event, changes }: Step, actor: string): string {
  const lines = changes.map(({ path, before, after }) => {
    if (before === undefined) return `  + ${path}: ${shown(path, after)}`;
    return after === undefined
      ? `  - ${path}: ${shown(path, before)}`
      : `  ~ ${path}: ${shown(path, before)} -> ${shown(path, after)}`;
  });
  return [`${event.revision}  ${toSecond(event.recordedAt)}  ${event.type}  by ${actor}`, ...lines].join('\n');
}

const shown = (path: string, value: unknown): string => compactJson(readable(value, path), 4, 6 + path.length);

/** The names under which states keep times; an amount may be as large, but has none of them. */
const TIME_NAME = /(At|By|Until|Since|\.date|\.dateUpdated|\.at|^date|^dateUpdated|^at)$/;

/** `name`: the member's name or path. */
export function readable(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return TIME_NAME.test(name) && value > 0 ? formatTime(value) : value;
  if (Array.isArray(value)) return value.map((item) => readable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, readable(its, member)]));
}

// The work of counterfoil audit streams, show and replay: the streams of the log, the events of one as they are stored,
// and its state at a time or revision.
import { checkFollows, readUntilBreak } from '../../journal/chain.ts';
import { readLog } from '../../journal/read-log.ts';
import { recordedAtOf } from '../../projections/engine/health/lag.ts';
import {
  actorOf,
  breakView,
  type EventView,
  eventView,
  replayOf,
  replayStream,
  type Step,
} from '../../queries/replay-stream.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { categoryOf } from '../../stores/stream-name.ts';
import { formatTime, parseTime, type World } from '../../world.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { cutTo, roomHere } from '../lines.ts';
import { withEventLog, withReadableLog } from '../open/with-stores.ts';
import { type CommandResult, compactJson, jsonLine, print, writeJson } from '../output.ts';
import { openProgress } from '../progress.ts';
import type { audit as rows } from '../rows/audit.ts';
import { listing, shortId, table, toMinute, toSecond } from '../table.ts';
import { streamNameOf, wholeStream } from './stream-name.ts';

interface StreamView {
  readonly stream: string;
  readonly events: number;
  /** null: it cannot be read, as in a stream that another program wrote. */
  readonly firstRecordedAt: string | null;
  readonly lastRecordedAt: string | null;
  /** The first event that cannot be read, or that does not follow. */
  readonly broken?: object;
}

export async function streams(given: GivenValues<typeof rows.streams>): Promise<CommandResult> {
  return withEventLog(given, async (events, world) => {
    const found = await streamsIn(events, world, given.prefix ?? '');
    const data = found.map(viewOf);
    const lines = data.map((one) => [one.stream, String(one.events), timeIn(one)]);
    const text = listing('streams', ['stream', 'events', 'last recorded'], lines);
    const broken = found.flatMap((one) => one.broken ?? []);
    if (broken.length === 0) return { json: { data }, text };
    const warnings = [
      ...broken.slice(0, FAULTS_SHOWN).map(({ message }) => message),
      broken.length === 1 ? '1 stream cannot be read.' : `${broken.length} streams cannot be read.`,
    ];
    return { json: { data }, text, warnings, isRefused: true };
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

export async function show(given: GivenValues<typeof rows.show>): Promise<undefined> {
  const named = streamNameOf(given.stream);
  await withEventLog(given, async (events) => {
    const stream = await wholeStream(events, named);
    const { count, broken } =
      given.jsonl === true ? await printLines(events, stream) : await printAll(events, stream, given);
    if (broken !== undefined) throw broken;
    if (count === 0) throw new Refused(`There is no stream ${stream}.`, 'NotFound');
  });
}

interface ShownStream {
  readonly count: number;
  /** Where the stream stops; nothing after it is shown. */
  readonly broken: BrokenStream | undefined;
}

async function printLines(events: EventStore, stream: string): Promise<ShownStream> {
  let count = 0;
  const broken = await readUntilBreak(events, stream, async (event) => {
    await writeJson(`${JSON.stringify(eventView(event))}\n`);
    count += 1;
    return true;
  });
  return { count, broken };
}

async function printAll(events: EventStore, stream: string, options: CommonOptions): Promise<ShownStream> {
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

/**
 * A line for each event, or with --diff the members that each one changes; the state where its time or revision is
 * asked for. A broken stream is replayed up to its break.
 */
export async function replay(given: GivenValues<typeof rows.replay>): Promise<undefined> {
  const until = untilOf(given);
  const named = streamNameOf(given.stream);
  const start = replayOf(named);
  if (start === undefined) throw new WrongUsage(`This version does not know the category of ${named}.`);
  await withReadableLog(given, async (events) => {
    const stream = await wholeStream(events, named);
    const { state, steps, broken } = await replayStream(events, stream, start, until);
    const last = steps.at(-1);
    if (last === undefined)
      throw broken ?? new Refused(`There is no stream ${stream}, or it did not exist yet.`, 'NotFound');
    const { revision, recordedAt } = last.event;
    if (broken === undefined && given.revision !== undefined && given.revision > revision)
      throw new Refused(`${stream} has no revision ${given.revision}: its last revision is ${revision}.`);
    const isDiff = given.diff === true;
    const json = {
      stream,
      revision,
      recordedAt,
      state,
      ...(isDiff && { events: steps.map(stepJson) }),
      ...(broken !== undefined && { broken: breakView(broken) }),
    };
    const heading = `${stream} at revision ${revision}`; // the last line has its time
    const isAsked = given.at !== undefined || given.revision !== undefined;
    const told = isDiff ? changesText(steps) : storyText(steps);
    const then = isAsked && !isDiff ? ['', 'state', compactJson(readable(state))] : [];
    print({ json, text: [heading, '', told, ...then].join('\n') }, given);
    if (broken !== undefined) throw broken;
  });
}

/** True if an event is still part of the story; time and revision only grow along a stream. */
function untilOf({ at, revision }: GivenValues<typeof rows.replay>): (event: EventView) => boolean {
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

/** A line for each event, with the members of the state that it changes. */
const storyText = (steps: readonly Step[]): string =>
  table(
    [
      '#',
      'recorded',
      { cut: 'type', keeps: 'start', least: 20 },
      { spare: 'actor' },
      { cut: 'changes', keeps: 'start' },
    ],
    steps.map(({ event, changes, stored }) => [
      String(event.revision),
      toSecond(event.recordedAt),
      event.type,
      actorOf(stored, shortId),
      changedMembers(changes).join(', '),
    ]),
  );

/** The names of the outermost members that an event changes, each once. */
const changedMembers = (changes: Step['changes']): readonly string[] => [
  ...new Set(changes.map(({ path }) => /^\$\.([^.[]+)/.exec(path)?.[1] ?? path)),
];

/** The members that each event changes, and nothing else. */
const changesText = (steps: readonly Step[]): string =>
  steps.map((step) => stepText(step, actorOf(step.stored, shortId))).join('\n\n');

function stepText({ event, changes }: Step, actor: string): string {
  const head = `${event.revision}  ${toSecond(event.recordedAt)}  ${event.type}  by ${actor}`;
  return [head, ...changes.map((change) => lineOf(change))].join('\n');
}

/** A terminal has the beginning of a long value; a pipe has all of it. */
function lineOf({ path, before, after }: Step['changes'][number]): string {
  const shown = (value: unknown): string => jsonLine(readable(value, path));
  const line =
    before === undefined
      ? `  + ${path}: ${shown(after)}`
      : after === undefined
        ? `  - ${path}: ${shown(before)}`
        : `  ~ ${path}: ${shown(before)} -> ${shown(after)}`;
  return process.stdout.isTTY === true ? cutTo(line, roomHere()) : line;
}

/** The names under which states keep times; an amount may be as large, but has none of them. */
const TIME_NAME = /(At|By|Until|Since|\.date|\.dateUpdated|\.at|^date|^dateUpdated|^at)$/;

/** `name`: the member's name or path. */
export function readable(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return TIME_NAME.test(name) && value > 0 ? formatTime(value) : value;
  if (Array.isArray(value)) return value.map((item) => readable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, readable(its, member)]));
}

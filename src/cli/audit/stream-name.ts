// The stream that an argument names; a text that names none is wrong usage.
import { readLog } from '../../journal/read-log.ts';
import { namedStream } from '../../queries/replay-stream.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { categoryOf } from '../../stores/stream-name.ts';
import { WrongUsage } from '../exit.ts';

/** `payment-pay_…` for `payment-pay_…` and for `pay_…`. Throws WrongUsage for a text that is neither. */
export function streamNameOf(text: string): string {
  const stream = namedStream(text);
  if (stream === undefined)
    throw new WrongUsage(
      `${JSON.stringify(text)} is not a stream: allowed is <category>-<id>, or the id of a payment or an agreement.`,
    );
  return stream;
}

/** A stream whose id has fewer digits than an id has. */
const BEGINNING = /^[A-Za-z]+-[a-z]+_[0-9a-f]{4,31}$/;

/**
 * The whole name of a stream, of whose id the text may have the beginning; the name as it is if no stream begins so.
 * Reads the streams of the category then, because the log alone is open. Throws WrongUsage where several begin so.
 */
export async function wholeStream(events: EventStore, stream: string): Promise<string> {
  if (!BEGINNING.test(stream)) return stream;
  const found = new Set<string>();
  const part = { after: -1n, to: await events.head(), categories: [categoryOf(stream)] };
  for await (const batch of readLog(events, part, new AbortController().signal))
    for (const event of batch.events) if (event.stream.startsWith(stream)) found.add(event.stream);
  return onlyOne(stream, [...found]);
}

/** Ids that are named where several begin alike. */
export const CANDIDATES = 5;

/** The only id that begins with the text; the text if there is none. Throws WrongUsage if there are several. */
export function onlyOne(text: string, ids: readonly string[]): string {
  const [only = text, another] = ids;
  if (another === undefined) return only;
  const shown = ids.slice(0, CANDIDATES).map((id) => `  ${id}`);
  const more = ids.length > CANDIDATES ? '\n  and others' : '';
  throw new WrongUsage(`Several ids begin with ${text}:\n${shown.join('\n')}${more}`);
}

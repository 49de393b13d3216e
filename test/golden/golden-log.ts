// The golden log: events as every version of this schema has written them, one JSON object a line. Lines are added, and
// never changed.
import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Link, linkOf } from '../../src/journal/chain.ts';
import { beforeFirst } from '../../src/journal/envelope.ts';
import { keyedBy } from '../../src/journal/personal-keys.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { ROOT } from '../support/root.ts';

const FILE = join(ROOT, 'test/golden/log.jsonl');

/** The place in the stream and in the log follows from the order of the lines. */
const Line = z.strictObject({
  stream: z.string(),
  id: z.uuid(),
  type: z.string(),
  data: z.string(),
  metadata: z.string(),
});
export type Line = z.infer<typeof Line>;

/** The keys of the golden log's personal data; those of erased people are destroyed. */
const goldenKey = (id: string): Uint8Array | 'destroyed' => (id.startsWith('erased') ? 'destroyed' : goldenBytes(id));
export const goldenBytes = (id: string): Uint8Array => createHash('sha256').update(`the golden key ${id}`).digest();

/** The text of the log; empty if there is none yet. */
export const readGoldenLog = (): Promise<string> =>
  readFile(FILE, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return '';
    throw fault;
  });

export const appendToGoldenLog = (lines: readonly Line[]): Promise<void> =>
  appendFile(FILE, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** The events of the log's text in its order. Throws BrokenStream if the chain of a stream does not hold. */
export function goldenEvents(text: string): readonly StoredEvent[] {
  const links = new Map<string, Link>();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const { stream, ...event } = Line.parse(JSON.parse(line));
      const before = links.get(stream) ?? beforeFirst;
      const stored = keyedBy({ stream, revision: before.revision + 1, position: BigInt(index), ...event }, goldenKey);
      links.set(stream, linkOf(before, stored));
      return stored;
    });
}

/** The events of streams that nothing is encrypted in: a store that gets them needs no keys. */
export function plainGoldenEvents(text: string): readonly StoredEvent[] {
  const events = goldenEvents(text);
  const keyed = new Set(events.filter(({ key }) => key !== undefined).map(({ stream }) => stream));
  return events.filter(({ stream }) => !keyed.has(stream));
}

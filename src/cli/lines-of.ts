// The lines of a text that arrives in pieces. They end at \n alone: node:readline also ends them at U+2028 and U+2029,
// in newer versions of Node, and JSON has those inside a line.
import type { Readable } from 'node:stream';

/** Each line without its end, the last one even if it has none. */
export async function* linesOf(bytes: Readable): AsyncGenerator<string, void> {
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

// stderr as the log writes to it: no write holds the thread that answers requests, and no slow reader keeps the process from ending.
import { fstatSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Sink } from './bounded-writer.ts';

const STDERR = 2;

/**
 * Pipes and sockets go through Node's own stream, which never blocks: a write that a thread of the pool made into a full pipe
 * would keep the process from ending until it is read. Files and terminals go through the pool, where Node's stream would block.
 */
export function stderrSink(): Sink {
  const kind = fstatSync(STDERR);
  return kind.isFIFO() || kind.isSocket() ? throughStream : throughPool;
}

const throughStream: Sink = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stderr.write(bytes, (fault) => (fault instanceof Error ? reject(fault) : resolve(bytes.length)));
    }),
  writeNow: () => undefined, // the reader has no room for bytes that the stream has not taken
};

const writeInPool = promisify(write);

const throughPool: Sink = {
  write: async (bytes) => (await writeInPool(STDERR, bytes)).bytesWritten,
  writeNow(bytes) {
    try {
      writeSync(STDERR, bytes);
    } catch {
      // The disk is full to the end: there is no place left to tell it.
    }
  },
};

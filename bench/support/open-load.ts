// An open load: calls are due at fixed times, whether or not earlier ones were answered, and each waits from the time
// at which it was due.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Call, Load } from './load.ts';

export interface OpenLoad extends Load {
  readonly perSecond: number;
}
export interface Waited {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly calls: number;
  /** Answers other than 2xx, and calls without one. */
  readonly refused: number;
}

const [, , file] = process.argv;
if (file !== undefined)
  process.stdout.write(`Waited ${JSON.stringify(await run(JSON.parse(readFileSync(file, 'utf8'))))}\n`);

async function run({ url, ms, perSecond, connections }: OpenLoad): Promise<Waited> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections.length });
  const waits: number[] = [];
  const under: Promise<void>[] = [];
  let refused = 0;
  const count = Math.floor((ms * perSecond) / 1_000);
  const startedAt = performance.now();
  const dueAt = (n: number): number => startedAt + (n * 1_000) / perSecond;
  for (let n = 0; n < count; ) {
    for (; n < count && dueAt(n) <= performance.now(); n += 1) {
      const calls = connections[n % connections.length] ?? [];
      const call = calls[Math.floor(n / connections.length) % calls.length];
      const due = dueAt(n);
      if (call === undefined) continue;
      under.push(
        answered(url, agent, call).then((isFine) => {
          waits.push(performance.now() - due);
          if (!isFine) refused += 1;
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  agent.destroy();
  waits.sort((a, b) => a - b);
  const at = (share: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), calls: waits.length, refused };
}

function answered(url: string, agent: Agent, { method, path, headers, body = '' }: Call): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(
      new URL(path, url),
      { method, agent, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
      (answer) => {
        answer.resume().on('end', () => resolve((answer.statusCode ?? 0) < 300));
      },
    );
    sent.on('error', () => resolve(false));
    sent.end(body);
  });
}

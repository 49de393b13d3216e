// The load: a process that keeps connections busy for a while, and prints how many calls a second were answered.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

/** The parent writes the load to a file, whose name is this process's argument. */
export interface Load {
  readonly url: string;
  readonly ms: number;
  /** Calls before these that do not count, while V8 compiles this process's own code. A line `Warm` marks their end. */
  readonly warmMs?: number;
  /** A list of calls for each connection, which sends them in turn, again and again. */
  readonly connections: readonly (readonly Call[])[];
}
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface Loaded {
  readonly perSecond: number;
  /** Answers other than 2xx. */
  readonly refused: number;
  /** The share of a core that this process used. Near 1 the load is the limit, not the server. */
  readonly busy: number;
}

const [, , file] = process.argv;
if (file !== undefined)
  process.stdout.write(`Loaded ${JSON.stringify(await run(JSON.parse(readFileSync(file, 'utf8'))))}\n`);

async function run({ warmMs, ...load }: Load): Promise<Loaded> {
  if (warmMs !== undefined) {
    await busy({ ...load, ms: warmMs });
    process.stdout.write('Warm\n');
  }
  const before = process.cpuUsage();
  const started = performance.now();
  const result = await busy(load);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: result['2xx'] / seconds,
    refused: result.non2xx + result.errors,
    busy: (user + system) / 1e6 / seconds,
  };
}

function busy({ url, ms, connections }: Load): ReturnType<typeof autocannon> {
  let next = 0;
  return autocannon({
    url,
    connections: connections.length,
    duration: ms / 1_000,
    setupClient: (client: { setRequests(calls: readonly Call[]): void }) =>
      client.setRequests(connections[next++] ?? []),
  });
}

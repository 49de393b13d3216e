// The load: a process of its own that keeps connections busy for a while, and prints how many calls a second were answered.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

/** As the parent writes it to a file, whose name is this process's argument. */
export interface Load {
  readonly url: string;
  readonly ms: number;
  /** One list of calls a connection, sent in turn, again and again. */
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
  /** Of this process, 1 = a whole core: near 1 the load is the limit, not the server. */
  readonly busy: number;
}

const [, , file] = process.argv;
if (file !== undefined) process.stdout.write(`Loaded ${JSON.stringify(await run(JSON.parse(readFileSync(file, 'utf8'))))}\n`);

async function run({ url, ms, connections }: Load): Promise<Loaded> {
  const before = process.cpuUsage();
  let next = 0;
  const started = performance.now();
  const result = await autocannon({
    url,
    connections: connections.length,
    duration: ms / 1_000,
    setupClient: (client: { setRequests(calls: readonly Call[]): void }) => client.setRequests(connections[next++] ?? []),
  });
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: result['2xx'] / seconds, refused: result.non2xx + result.errors, busy: (user + system) / 1e6 / seconds };
}

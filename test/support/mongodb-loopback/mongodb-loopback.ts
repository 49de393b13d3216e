// A MongoDB server for tests, in a process of its own: the real driver talks to it, and it can be told to misbehave.
import { LoopbackServer } from '../loopback-server.ts';
import { scriptBeside } from '../script.ts';
import { SET_NAME } from './membership.ts';
import { type Count, isCounts, type Order } from './orders.ts';

type Question = { readonly counts: true } | { readonly resetCounts: true } | { readonly cursors: true };

export class MongoDbLoopback {
  /** Starts, freezes, kills and orders it; see there and orders.ts. */
  readonly server: LoopbackServer<Order>;

  constructor(server: LoopbackServer<Order>) {
    this.server = server;
  }

  /** The same for its whole life. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.server.port}/counterfoil?replicaSet=${SET_NAME}`;
  }

  async order(order: Exclude<Order, Question>): Promise<void> {
    await this.server.order(order);
  }

  /** What was asked for since the start or the last reset, also what was refused. */
  async counts({ reset = false }: { readonly reset?: boolean } = {}): Promise<readonly Count[]> {
    const answer = await this.server.order(reset ? { resetCounts: true } : { counts: true });
    if (!isCounts(answer)) throw new Error('it answered no counts');
    return answer;
  }

  /** How many cursors were neither read to their end nor killed. */
  async openCursors(): Promise<number> {
    return Number(await this.server.order({ cursors: true }));
  }

  /** Kills it; its directory is the caller's to remove. */
  async close(): Promise<void> {
    await this.server.kill();
  }
}

/** Starts it on what the directory holds; resolves when it listens. */
export async function openMongoDbLoopback({ directory }: { readonly directory: string }): Promise<MongoDbLoopback> {
  const server = new LoopbackServer<Order>({ script: scriptBeside('./main', import.meta.url), directory });
  await server.start();
  return new MongoDbLoopback(server);
}

// A stand-in of MongoDB in a process of its own, for the real driver. Tests order it to misbehave, freeze, kill and
// start it again.
import { LoopbackServer } from '../loopback-server.ts';
import { scriptBeside } from '../script.ts';
import { SET_NAME } from './membership.ts';
import { type Count, isCounts, type Order } from './orders.ts';

type Question = { readonly counts: true } | { readonly resetCounts: true } | { readonly cursors: true };

export class MongoDbLoopback {
  /** The process, which can be ordered, frozen, killed and started again; see `LoopbackServer` and orders.ts. */
  readonly server: LoopbackServer<Order>;

  constructor(server: LoopbackServer<Order>) {
    this.server = server;
  }

  /** The URL over all restarts. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.server.port}/counterfoil?replicaSet=${SET_NAME}`;
  }

  async order(order: Exclude<Order, Question>): Promise<void> {
    await this.server.order(order);
  }

  /** The counts of commands since the start or the last reset, refused ones too. */
  async counts({ reset = false }: { readonly reset?: boolean } = {}): Promise<readonly Count[]> {
    const answer = await this.server.order(reset ? { resetCounts: true } : { counts: true });
    if (!isCounts(answer)) throw new Error('the stand-in answered no counts');
    return answer;
  }

  /** The number of cursors that were neither read to their end nor killed. */
  async openCursors(): Promise<number> {
    return Number(await this.server.order({ cursors: true }));
  }

  /** Kills the process. The caller removes the directory. */
  async close(): Promise<void> {
    await this.server.kill();
  }
}

/** Starts a server with the data in the directory. Resolves when it listens. */
export async function openMongoDbLoopback({ directory }: { readonly directory: string }): Promise<MongoDbLoopback> {
  const server = new LoopbackServer<Order>({ script: scriptBeside('./main', import.meta.url), directory });
  await server.start();
  return new MongoDbLoopback(server);
}

// The server: listens, keeps its connections, and carries out orders.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { encode } from './bson/elements.ts';
import { Connection, type Shared } from './connection.ts';
import { Counts } from './counts.ts';
import { Faults } from './faults.ts';
import { Membership } from './membership.ts';
import type { Order } from './orders.ts';
import { Store } from './storage/store.ts';

export class MongoDbServer {
  readonly port: number;
  readonly #server: Server;
  readonly #shared: Shared;
  readonly #connections = new Map<Socket, Connection>();

  private constructor(server: Server, port: number, store: Store) {
    this.port = port;
    this.#server = server;
    this.#shared = { store, faults: new Faults(), counts: new Counts(), membership: new Membership(port) };
    server.on('connection', (socket) => this.#serve(socket));
  }

  /** Listens and serves the data in the directory. Port 0 takes any free port. */
  static async open(port: number, directory: string): Promise<MongoDbServer> {
    const store = await Store.open(directory);
    const server = createServer();
    await listen(server, port);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
    return new MongoDbServer(server, address.port, store);
  }

  /** Carries out an order. Most orders have no answer; see `Order`. */
  async carryOut(order: Order): Promise<unknown> {
    const { store, faults, counts, membership } = this.#shared;
    if ('unavailable' in order) return this.#setUnavailable(order.unavailable);
    if ('slowMs' in order) faults.slowMs = order.slowMs;
    else if ('slowReads' in order) faults.slowReads = order.slowReads;
    else if ('lagMs' in order) faults.lagMs = order.lagMs;
    else if ('silence' in order) for (const connection of this.#connections.values()) connection.silence();
    else if ('primary' in order) membership.primary = order.primary;
    else if ('standalone' in order) membership.standalone = order.standalone;
    else if ('fail' in order) faults.order(order);
    else if ('overtake' in order) store.overtaking.order(order.overtake.collection, encode(order.overtake.doc));
    else if ('cursors' in order) return store.cursors.size;
    else if ('behave' in order) {
      faults.clear();
      store.overtaking.clear();
      membership.primary = true;
      membership.standalone = false;
      await this.#setUnavailable(false);
    } else {
      const counted = counts.list();
      if ('resetCounts' in order) counts.reset();
      return counted;
    }
    return undefined;
  }

  async #setUnavailable(unavailable: boolean): Promise<void> {
    if (unavailable === !this.#server.listening) return;
    if (!unavailable) return listen(this.#server, this.port);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#connections.keys()) socket.resetAndDestroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#connections.set(socket, new Connection(socket, this.#shared));
    socket.on('close', () => this.#connections.delete(socket));
  }
}

async function listen(server: Server, port: number): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  await listening;
}

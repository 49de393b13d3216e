// A TCP proxy in front of a server: cuts its connections, refuses new ones, or holds everything, as a server does that
// is frozen.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class TcpProxy {
  readonly #target: Address;
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  #isHeld = false;
  #port = 0;

  private constructor(target: Address) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client));
  }

  static async open(target: Address): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.listen();
    return proxy;
  }

  /** The port for its whole life. */
  get port(): number {
    return this.#port;
  }

  /** Takes connections, again after `close`. */
  async listen(): Promise<void> {
    if (this.#listener.listening) return;
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    this.#port = address.port;
  }

  /** Ends all connections; new ones are taken. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Nothing passes until `release`; connections stay open, and new ones are taken. */
  hold(): void {
    this.#isHeld = true;
    for (const { client, server } of this.#pairs) {
      for (const socket of [client, server]) socket.unpipe().pause();
    }
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const pair of this.#pairs) flow(pair);
  }

  /** Ends all connections and refuses new ones, as the machine does of a server that is dead. */
  async close(): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.cut();
    await closed;
  }

  #join(client: Socket): void {
    const pair = { client, server: connect(this.#target) };
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      pair.client.destroy();
      pair.server.destroy();
    };
    for (const socket of [pair.client, pair.server]) socket.on('error', end).on('close', end);
    if (!this.#isHeld) flow(pair);
  }
}

function flow({ client, server }: Pair): void {
  client.pipe(server);
  server.pipe(client);
}

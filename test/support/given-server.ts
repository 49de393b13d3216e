// A real server that the environment names, with a proxy in front: <NAME>_URL, a command that starts it, and one that
// kills it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { leaveOut } from './left-out.ts';
import { type Address, TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

export interface Given {
  readonly name: string;
  /** The URL of one server, without TLS: the tests reach it through a proxy. */
  readonly url: string;
  /** Runs the server in the foreground, at the address of the URL, with the same data each time. */
  readonly start?: string | undefined;
  /** Kills it; left out: the process of `start` and its children are killed. */
  readonly kill?: string | undefined;
}

/** The server that the environment names; undefined: none. */
export function givenIn(name: 'EVENTSTOREDB' | 'MONGODB'): Given | undefined {
  const { [`${name}_URL`]: url, [`${name}_START`]: start, [`${name}_KILL`]: kill } = process.env;
  return url === undefined || url === '' ? undefined : { name, url, start, kill };
}

/** Started servers, by URL: the files of tests of one process share them. */
const running = new Map<string, ChildProcess>();
after(() => {
  for (const child of running.values()) killGroup(child);
});

export class GivenServer {
  readonly #given: Given;
  readonly #address: Address;
  readonly #proxy: TcpProxy;

  private constructor(given: Given, address: Address, proxy: TcpProxy) {
    this.#given = given;
    this.#address = address;
    this.#proxy = proxy;
  }

  /** Starts the server where a command is given and it does not run. `port`: the default one of such servers. */
  static async open(given: Given, port: number): Promise<GivenServer> {
    const [, host = '', digits = String(port)] = /^\w+:\/\/(?:[^@/]*@)?([^:/?,]+)(?::(\d+))?/.exec(given.url) ?? [];
    const address = { host, port: Number(digits) };
    const server = new GivenServer(given, address, await TcpProxy.open(address));
    await server.start();
    return server;
  }

  /** The given URL, through the proxy. */
  get url(): string {
    return this.#given.url.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${this.#proxy.port}`);
  }

  /** Ends the test as left out where the server cannot be killed and started again. */
  needsKill(): void {
    if (this.#given.start === undefined) leaveOut(`it kills the server, and ${this.#given.name}_START is not given`);
  }

  async start(): Promise<void> {
    const { name, url, start } = this.#given;
    if (start !== undefined && !running.has(url)) {
      if (await answers(this.#address))
        throw new Error(`${name}_START is given, and a server answers already: end it, the tests start it`);
      const child = spawn(start, { shell: true, detached: true, stdio: 'ignore' });
      child.unref(); // it ends with the tests, not the other way round
      running.set(url, child);
    }
    await until(() => answers(this.#address));
    this.#proxy.release(); // a server that was killed while it was frozen starts as any other
    await this.#proxy.listen();
  }

  async kill(): Promise<void> {
    this.needsKill();
    const { url, kill } = this.#given;
    const child = running.get(url);
    running.delete(url);
    if (child === undefined) return;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    if (kill === undefined) killGroup(child);
    else await once(spawn(kill, { shell: true, stdio: 'ignore' }), 'exit');
    await gone;
    await this.#proxy.close();
    await until(async () => !(await answers(this.#address)));
  }

  freeze(): void {
    this.#proxy.hold();
  }

  thaw(): void {
    this.#proxy.release();
  }

  cut(): void {
    this.#proxy.cut();
  }

  /** The server itself goes on, for the next test. */
  async end(): Promise<void> {
    this.#proxy.release();
    await this.#proxy.close();
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended on its own
  }
}

function answers(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const tell = (does: boolean) => (): void => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', tell(true)).once('error', tell(false));
  });
}

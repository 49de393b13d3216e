// A stand-in of a store in a process of its own. It can be told to misbehave, frozen, killed, and started again on its
// port with its data.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { pause } from './calm-world.ts';
import type { Script } from './script.ts';

/** The first message of a child to its parent. */
interface Listening {
  readonly listening: { readonly port: number };
}
/** The child answers every order, in turn. */
interface Done {
  readonly done: unknown;
}

const isListening = (message: unknown): message is Listening =>
  typeof message === 'object' && message !== null && 'listening' in message;
const isDone = (message: unknown): message is Done =>
  typeof message === 'object' && message !== null && 'done' in message;

/** How often a start on its former port is tried. */
const STARTS = 20;

export interface LoopbackOptions {
  /** The script that serves. Its arguments are the port and the directory; it calls `serveLoopback`. */
  readonly script: Script;
  /** The directory of the data that survives a kill. The caller removes it. */
  readonly directory: string;
}

/** `Order`: the orders that its script understands. */
export class LoopbackServer<Order extends object> {
  readonly #options: LoopbackOptions;
  #child: ChildProcess | undefined;
  #port = 0;
  #ordered: Promise<unknown> = Promise.resolve();

  constructor(options: LoopbackOptions) {
    this.#options = options;
  }

  /** The port, which stays the same over all restarts. */
  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#running().pid ?? -1;
  }

  /** Starts the process, or starts it again. Resolves when it listens. */
  async start(): Promise<void> {
    const { script, directory } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const child = fork(script.path, [String(this.#port), directory], { execArgv: [...script.execArgv] });
      this.#child = child;
      const message = await messageOf(child);
      if (isListening(message)) {
        this.#port = message.listening.port;
        return;
      }
      // The port is free while the process is down: another program may take it for a moment.
      if (this.#port === 0 || tries === STARTS) throw new Error(`${script.path} ended before it listened`);
      await pause(200);
    }
  }

  /** Sends an order and resolves to its answer. Orders are carried out in turn, and not while the process is frozen. */
  order(order: Order): Promise<unknown> {
    const carriedOut = this.#ordered.then(() => this.#send(order));
    this.#ordered = carriedOut.catch(() => undefined);
    return carriedOut;
  }

  async #send(order: Order): Promise<unknown> {
    const child = this.#running();
    const answered = messageOf(child);
    child.send(order);
    const message = await answered;
    if (!isDone(message)) throw new Error('the stand-in ended before it answered');
    return message.done;
  }

  /** SIGSTOP: the sockets stay open and do not answer. */
  freeze(): void {
    this.#running().kill('SIGSTOP');
  }

  thaw(): void {
    this.#running().kill('SIGCONT');
  }

  /** SIGKILL; resolves when the process has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGTERM; resolves when the process has ended, which its script decides. */
  async terminate(): Promise<void> {
    const child = this.#running();
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }

  #running(): ChildProcess {
    if (this.#child === undefined) throw new Error('the stand-in is not running');
    return this.#child;
  }
}

/** The next message of the child; undefined if it ended. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController();
  const { signal } = heard;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([first]: unknown[]) => first),
      once(child, 'exit', { signal }).then(() => undefined),
    ]);
  } finally {
    heard.abort();
  }
}

/** Runs in the child: tells the parent the port, carries out its orders, and ends when the parent ends. */
export function serveLoopback(port: number, carryOut: (order: unknown) => unknown): void {
  process.on('message', (order) => {
    void Promise.resolve(carryOut(order)).then((done) => process.send?.({ done: done ?? null }));
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ listening: { port } });
}

// A store's stand-in in a process of its own: told to misbehave, frozen, killed, started again on the same port with its data.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { pause } from './calm-world.ts';
import type { Script } from './script.ts';

/** The first message of a child to its parent. */
interface Listening {
  readonly listening: { readonly port: number };
}
/** Every order is answered in turn. */
interface Done {
  readonly done: unknown;
}

const isListening = (message: unknown): message is Listening => typeof message === 'object' && message !== null && 'listening' in message;
const isDone = (message: unknown): message is Done => typeof message === 'object' && message !== null && 'done' in message;

/** How often it is started again on a port that it had. */
const STARTS = 20;

export interface LoopbackOptions {
  /** The script that serves: it is given the port and the directory as arguments, and serves as `serveLoopback` says. */
  readonly script: Script;
  /** Where it keeps what must survive its death; it is the caller's to remove. */
  readonly directory: string;
}

/** `Order` is what its script understands; see there. */
export class LoopbackServer<Order extends object> {
  readonly #options: LoopbackOptions;
  #child: ChildProcess | undefined;
  #port = 0;
  #ordered: Promise<unknown> = Promise.resolve();

  constructor(options: LoopbackOptions) {
    this.#options = options;
  }

  /** The same for its whole life, however often it is started again. */
  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#running().pid ?? -1;
  }

  /** Starts it, or starts it again; resolves when it listens. */
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
      // The port is free while it is down: another program may have it for a moment.
      if (this.#port === 0 || tries === STARTS) throw new Error(`${script.path} ended before it listened`);
      await pause(200);
    }
  }

  /** Orders are carried out in turn; resolves to the answer when it was. Not while it is frozen. */
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
    if (!isDone(message)) throw new Error('it ended before it answered');
    return message.done;
  }

  /** SIGSTOP: its sockets stay open and do not answer. */
  freeze(): void {
    this.#running().kill('SIGSTOP');
  }

  thaw(): void {
    this.#running().kill('SIGCONT');
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGTERM; resolves when it is gone, which is when its script sees fit. */
  async terminate(): Promise<void> {
    const child = this.#running();
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }

  #running(): ChildProcess {
    if (this.#child === undefined) throw new Error('it is not running');
    return this.#child;
  }
}

/** The next message of the child; undefined: it ended. */
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

/** In the child: tells the parent where it listens, carries out its orders, and ends when the parent does. */
export function serveLoopback(port: number, carryOut: (order: unknown) => unknown): void {
  process.on('message', (order) => {
    void Promise.resolve(carryOut(order)).then((done) => process.send?.({ done: done ?? null }));
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ listening: { port } });
}

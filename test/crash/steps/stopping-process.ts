// The parent's side of a process whose requests stop at a step: starts it, calls it, lets time pass, and kills it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '../../support/load-client.ts';
import { scriptBeside } from '../../support/script.ts';
import type { Walked } from './stepper.ts';
import { FromChild, type Settings, type ToChild } from './stopping-messages.ts';

type Told<Kind extends FromChild['kind']> = Extract<FromChild, { readonly kind: Kind }>;

export class StoppingProcess {
  readonly #child: ChildProcess;
  readonly #told: FromChild[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  private constructor(settings: Settings) {
    const { path, execArgv } = scriptBeside('./stopping-child', import.meta.url);
    this.#child = fork(path, [JSON.stringify(settings)], { execArgv: [...execArgv] });
    this.#child.on('message', (message) => {
      this.#told.push(FromChild.parse(message));
      this.#wake();
    });
    this.#child.once('exit', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** Starts the process. Resolves when it serves. */
  static async start(
    settings: Settings,
  ): Promise<{ readonly process: StoppingProcess; readonly client: Client; readonly key: string }> {
    const started = new StoppingProcess(settings);
    const { url, key } = await started.#hear('serving');
    return { process: started, client: new Client(url, key), key };
  }

  /** The result of the one request under way that names a step. */
  walked(): Promise<Walked> {
    return this.#hear('walked');
  }

  /** Lets all work fall due that a crash can have left, and does it. */
  async fallDue(): Promise<void> {
    this.#send({ kind: 'fallDue' });
    await this.#hear('fallenDue');
  }

  async faults(): Promise<readonly string[]> {
    this.#send({ kind: 'faults' });
    return (await this.#hear('faults')).faults;
  }

  /** SIGKILL; resolves when the process has ended. */
  async kill(): Promise<void> {
    if (this.#ended) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #send(message: ToChild): void {
    this.#child.send(message);
  }

  async #hear<Kind extends FromChild['kind']>(kind: Kind): Promise<Told<Kind>> {
    for (;;) {
      const place = this.#told.findIndex((told) => told.kind === kind);
      const [told] = place < 0 ? [] : this.#told.splice(place, 1);
      if (told !== undefined && isOf(told, kind)) return told;
      if (this.#ended) throw new Error(`the process ended before it told ${kind}`);
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}

const isOf = <Kind extends FromChild['kind']>(told: FromChild, kind: Kind): told is Told<Kind> => told.kind === kind;

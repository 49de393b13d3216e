// Processes that run commands one after the other (command-host.mjs). A command gets one to itself; several at once get
// several.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Asked {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const MAIN = join(ROOT, 'dist/command-line/main.cjs');
/** After so many commands a host ends: what commands leave in their process must not grow for good. */
const COMMANDS_EACH = 100;

/** Only compiled tests have a host; from source each command is a process of its own, as users start it. */
export const hasHosts = (): boolean => !import.meta.url.endsWith('.ts') && existsSync(MAIN);

class Host {
  readonly #child: ChildProcess;
  #left = COMMANDS_EACH;

  constructor() {
    this.#child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    // The tests do not wait for it: it ends when they do.
    this.#child.unref();
    this.#child.channel?.unref();
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8');
      if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
    }
  }

  get isUsable(): boolean {
    return this.#left > 0 && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the output and the exit code; those of the process where the command ended it. */
  run(asked: Asked): Promise<Ran> {
    this.#left -= 1;
    const end = `\n${randomUUID()} `;
    return new Promise((resolve) => {
      const { stdout, stderr } = this.#child;
      let [out, err] = ['', ''];
      const keepAlive = setInterval(() => undefined, 60_000);
      const finish = (code: number | null): void => {
        clearInterval(keepAlive);
        stdout?.off('data', takeOut);
        stderr?.off('data', takeErr);
        this.#child.off('close', finish);
        resolve({ code, stdout: out.split(end)[0] ?? '', stderr: err.split(end)[0] ?? '' });
      };
      const look = (): void => {
        const [, code] = out.split(end);
        if (code?.endsWith('\n') === true && err.includes(end)) finish(Number(code));
      };
      const takeOut = (text: string): void => {
        out += text;
        look();
      };
      const takeErr = (text: string): void => {
        err += text;
        look();
      };
      stdout?.on('data', takeOut);
      stderr?.on('data', takeErr);
      this.#child.once('close', finish);
      this.#child.send({ ...asked, end });
    });
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

const idle: Host[] = [];

/** Runs a command in a host that is free, or in a new one. */
export async function runInHost(asked: Asked): Promise<Ran> {
  const host = idle.pop() ?? new Host();
  const ran = await host.run(asked);
  if (host.isUsable) idle.push(host);
  else host.end();
  return ran;
}

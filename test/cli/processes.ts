// Real processes of the command line in a directory of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledMain, quickMain } from './built.ts';
import { hasHosts, type Ran, runInHost } from './command-hosts.ts';

/** A command that was started, with its output up to now. */
export interface Begun {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when it has ended. */
  ended(): Promise<Ran>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ran>;
}

export interface Serving {
  readonly url: string;
  /** The output up to now. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ran>;
}

type Environment = { readonly [variable: string]: string };

/** As src/cli/progress.ts writes a line every few seconds. */
const withoutProgress = (stderr: string): string =>
  stderr.replaceAll(/^.+: \d+ of (?:about )?\d+ [a-z]+, \d+\/s(?:, \d+ s left)?\n/gim, '');

/** A working directory, where `data` is made; everything that was started in it ends with it. */
export class Place {
  readonly dir = mkdtempSync(join(tmpdir(), 'counterfoil-cli-'));
  readonly #running = new Set<ChildProcess>();
  readonly #main: string;
  readonly #usesHosts: boolean;

  /**
   * `main`: the main.js that is started, `compiledMain()` where a test is about the one that users run. Without it
   * commands share processes where they can; `serve` always has one of its own.
   */
  constructor(main?: string) {
    this.#main = main ?? quickMain();
    this.#usesHosts = main === undefined && hasHosts();
  }

  /**
   * Runs a command to its end; its progress, which a slow machine sees, is not in stderr. `errorsTo`: the descriptor
   * that is its stderr, whose text is then not known.
   */
  async run(
    command: string,
    {
      env = {},
      args = [],
      errorsTo,
    }: { readonly env?: Environment; readonly args?: readonly string[]; readonly errorsTo?: number } = {},
  ): Promise<Ran> {
    const all = [...words(command), ...args];
    if (this.#usesHosts && errorsTo === undefined && all[0] !== 'serve' && !('NODE_OPTIONS' in env)) {
      const ran = await runInHost({ args: all, env: { ...cleanEnvironment(), ...env }, cwd: this.dir });
      return { ...ran, stderr: withoutProgress(ran.stderr) };
    }
    const { child, stdout, stderr } = this.#start(all, env, errorsTo);
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : null, stdout: stdout(), stderr: withoutProgress(stderr()) };
  }

  /** Starts a command in a process of its own. */
  begin(command: string, env: Environment = {}): Begun {
    const { child, stdout, stderr } = this.#start(words(command), env);
    const closed = once(child, 'close');
    const ended = async (): Promise<Ran> => {
      const [code] = await closed;
      return { code: typeof code === 'number' ? code : null, stdout: stdout(), stderr: stderr() };
    };
    const end = (signal: NodeJS.Signals): Promise<Ran> => {
      child.kill(signal);
      return ended();
    };
    return { stdout, stderr, ended, end };
  }

  /** The result of a command that has to succeed, read as JSON. */
  async json(command: string): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(`${command} --json`);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** The exit codes of commands that run at the same time. */
  async codes(commands: readonly string[]): Promise<readonly (number | null)[]> {
    return (await Promise.all(commands.map((command) => this.run(command)))).map(({ code }) => code);
  }

  /** A service on a free port, when it says that it listens; rejects with its output when it ends before. */
  serve(flags = '', env: Environment = {}, errorsTo?: number): Promise<Serving> {
    return this.#listening(
      ['serve', '--port', '0', ...words(flags)],
      /(?:Listening on |"url":")(http:[^\s"]+)/,
      env,
      errorsTo,
    );
  }

  /**
   * The demo shop, when it says that it listens; `url` is the shop's. A bundle cannot load the shop's module: the real
   * command does.
   */
  shop(flags = '', env: Environment = {}): Promise<Serving> {
    return this.#listening(
      ['demo', '--shop', ...words(flags)],
      /(?:Shop: |"shopUrl": ")(http:[^\s"]+)/,
      env,
      undefined,
      compiledMain(),
    );
  }

  /** `listen`, when its endpoint is there; `url` is the receiver's. */
  listen(flags: string, env: Environment = {}): Promise<Serving> {
    return this.#listening(
      ['listen', ...words(flags)],
      /(?:To: +|"forwardTo":")(http[^\s"]+)(?=[\s\S]*(?:ANSWER|\})\n)/,
      env,
    );
  }

  async #listening(
    args: readonly string[],
    announced: RegExp,
    env: Environment,
    errorsTo?: number,
    main: string = this.#main,
  ): Promise<Serving> {
    const { child, stdout, stderr } = this.#start(args, env, errorsTo, main);
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', () => {
        const [, found] = announced.exec(stdout()) ?? [];
        // Everything is written at once, and ends with a line.
        if (found !== undefined && stdout().endsWith('\n')) resolve(found);
      });
      child.once('close', (code) => reject(new Error(`${args[0]} ended with ${code}: ${stderr()}`)));
    });
    const end = async (signal: NodeJS.Signals): Promise<Ran> => {
      const closed = once(child, 'close');
      child.kill(signal);
      const [code] = await closed;
      return { code: typeof code === 'number' ? code : null, stdout: stdout(), stderr: stderr() };
    };
    return { url, stdout, stderr, process: child, end };
  }

  /** Ends the running processes, and removes the directory. */
  async remove(): Promise<void> {
    const ended = [...this.#running].map((child) => once(child, 'close'));
    for (const child of this.#running) child.kill('SIGKILL');
    await Promise.all(ended);
    rmSync(this.dir, { recursive: true, force: true });
  }

  #start(
    args: readonly string[],
    env: Environment,
    errorsTo: number | 'pipe' = 'pipe',
    main: string = this.#main,
  ): { readonly child: ChildProcess; stdout(): string; stderr(): string } {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.dir,
      env: { ...cleanEnvironment(), ...env },
      // The demo shop takes lines; any other command finds its input at an end.
      stdio: [args[0] === 'demo' ? 'pipe' : 'ignore', 'pipe', errorsTo],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    const out: string[] = [];
    const err: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => err.push(text));
    return { child, stdout: () => out.join(''), stderr: () => err.join('') };
  }
}

/**
 * Without settings of the service, what mocha hands to its children, and what else decides about colours and commands.
 * Tables are as wide as in the narrowest terminal.
 */
const cleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_OURS.test(name))),
  COLUMNS: '80',
});
const NOT_OURS = /^(COUNTERFOIL_.*|npm_command|NODE_OPTIONS|CI|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS)$/;

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** The key in the output of the first start. */
export function firstKeyIn(stdout: string): string {
  const [, key] = /^API key: (\S+)$/m.exec(stdout) ?? [];
  if (key === undefined) throw new Error(`no key in ${stdout}`);
  return key;
}

/** POST with a key; answers the status. */
export async function createSession(url: string, key: string): Promise<number> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/client-session`, {
    method: 'POST',
    headers,
    body: '{"orderId":"o","currencyCode":"EUR","amount":100}',
  });
  await response.arrayBuffer();
  return response.status;
}

// A built checkout, as people and programs use it: its command line, and its service over HTTP.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

export type Credential = { readonly [header: string]: string };

export interface Ran {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const Body = z.looseObject({
  id: z.string().optional(),
  token: z.string().optional(),
  clientToken: z.string().optional(),
  key: z.string().optional(),
  data: z.array(z.looseObject({})).catch([]).default([]),
});

/** An answer, or the `--json` of a command. */
export interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: z.output<typeof Body>;
}

const First = z.looseObject({ url: z.string(), accountId: z.string().optional(), key: z.string().nullish() });

/** `cwd`: where `data` is, or is made. */
export class Checkout {
  readonly #main: string;
  readonly #cwd: string;

  constructor(checkout: string, cwd: string) {
    this.#main = join(checkout, 'dist/cli/main.js');
    this.#cwd = cwd;
  }

  async run(args: readonly string[]): Promise<Ran> {
    const child = this.#start(args);
    const printed = outputOf(child);
    const [code] = await once(child, 'close');
    return { code, ...printed() };
  }

  /** The `--json` of a command that has to succeed. */
  async json(line: string): Promise<z.output<typeof Body>> {
    const { code, stdout, stderr } = await this.run([...line.split(' '), '--json']);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
    return Body.parse(JSON.parse(stdout));
  }

  async serve(): Promise<Service> {
    const metricsPort = await freePort();
    const child = this.#start(['serve', '--port', '0', '--metrics-port', String(metricsPort), '--json']);
    const printed = outputOf(child);
    await until(() => printed().stdout.includes('\n') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(`serve ended: ${printed().stderr}`);
    return new Service(child, First.parse(JSON.parse(printed().stdout)), metricsPort);
  }

  #start(args: readonly string[]): ChildProcess {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERFOIL_')));
    return spawn(process.execPath, [this.#main, ...args], {
      cwd: this.#cwd,
      env: { ...env, COLUMNS: '80', NO_COLOR: '1', COUNTERFOIL_LOG_LEVEL: 'error', COUNTERFOIL_RATE_LIMIT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

function outputOf(child: ChildProcess): () => { readonly stdout: string; readonly stderr: string } {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  return () => texts;
}

export class Service {
  readonly first: z.output<typeof First>;
  readonly #child: ChildProcess;
  readonly #metricsPort: number;

  constructor(child: ChildProcess, first: z.output<typeof First>, metricsPort: number) {
    this.#child = child;
    this.first = first;
    this.#metricsPort = metricsPort;
  }

  /** `body`: an object is sent as JSON, a form as a form. */
  async ask(method: string, path: string, credential: Credential = {}, body?: object): Promise<Given> {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(new URL(path, this.first.url), {
      method,
      redirect: 'manual',
      headers: { ...credential, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^[[{]/.test(text);
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: Body.parse(isJson ? JSON.parse(text) : {}),
    };
  }

  /** The names and kinds of the metrics. */
  async metricNames(): Promise<readonly string[]> {
    const text = await (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith('# '))
      .toSorted();
  }

  async end(): Promise<void> {
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await closed;
  }
}

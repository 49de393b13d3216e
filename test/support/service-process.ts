// `serve` processes on one data directory, reached through clients of one key; and the directory's stores, opened
// beside them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import { Secrets } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import type { World } from '../../src/world.ts';
import { quickMain } from '../cli/built.ts';
import { Place, type Serving } from '../cli/processes.ts';
import { calmWorld } from './calm-world.ts';
import { Client } from './load-client.ts';
import type { Stores } from './node.ts';

const First = z.looseObject({ url: z.string(), accountId: z.string().optional(), key: z.string().nullish() });

export interface ServiceProcess {
  readonly serving: Serving;
  readonly client: Client;
}

/** A data directory and the processes on it. Rate limits are off, and the log has warnings only. */
export class DataDirectory {
  readonly place = new Place();
  readonly dir = join(this.place.dir, 'data');
  #key: string | undefined;
  #accountId: string | undefined;
  readonly #clients: Client[] = [];

  /** Starts a process. All processes use the key that the first one makes. */
  async serve(env: { readonly [name: string]: string } = {}): Promise<ServiceProcess> {
    const serving = await this.place.serve('--json --log-level warn', { COUNTERFOIL_RATE_LIMIT: '0', ...env });
    this.#learn(serving);
    return { serving, client: this.client(serving.url) };
  }

  /** Starts a command that the test will kill; `kill` answers its output so far. */
  startToKill(command: string): { readonly kill: () => Promise<string> } {
    const child = spawn(process.execPath, [quickMain(), ...command.split(' ')], {
      cwd: this.place.dir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const closed = once(child, 'close');
    return {
      async kill() {
        child.kill('SIGKILL');
        await closed;
        return printed;
      },
    };
  }

  /** Starts several processes at once. */
  async serveAtOnce(count: number): Promise<readonly ServiceProcess[]> {
    const starting = Array.from({ length: count }, () =>
      this.place.serve('--json --log-level warn', { COUNTERFOIL_RATE_LIMIT: '0' }),
    );
    const all = await Promise.all(starting);
    for (const serving of all) this.#learn(serving);
    return all.map((serving) => ({ serving, client: this.client(serving.url) }));
  }

  client(url: string, key = this.key): Client {
    const client = new Client(url, key);
    this.#clients.push(client);
    return client;
  }

  get key(): string {
    if (this.#key === undefined) throw new Error('no process has made a key yet');
    return this.#key;
  }

  get accountId(): string {
    if (this.#accountId === undefined) throw new Error('no process has made an account yet');
    return this.#accountId;
  }

  /** Opens the event log. The test closes it. */
  events(): Promise<EventStore> {
    return openSqliteEventStore({ file: join(this.dir, 'events.db'), world: calmWorld, report: raise });
  }

  /** Opens all stores for a service in the test's own process, with its own clock. */
  async stores(world: World): Promise<Stores> {
    const stored = await readSecretFile(secretFileIn(this.dir));
    if (stored === undefined) throw new Error('there is no secret');
    const secrets = new Secrets([stored.secret]);
    const common = { world, report: raise };
    return {
      world,
      secrets,
      events: await openSqliteEventStore({ file: join(this.dir, 'events.db'), ...common }),
      keys: await openSqliteKeyStore({ file: join(this.dir, 'keys.db'), world }),
      readModels: await openSqliteReadModels({ file: join(this.dir, 'read-models.db'), ...common }),
      sandbox: await openSandbox({
        file: join(this.dir, 'sandbox.db'),
        secrets: secrets.keys('sandbox-signature'),
        ...common,
      }),
    };
  }

  /** Ends the running processes, and removes everything. */
  async remove(): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.place.remove();
  }

  #learn(serving: Serving): void {
    const { key, accountId } = First.parse(JSON.parse(serving.stdout()));
    this.#key ??= key ?? undefined;
    this.#accountId ??= accountId;
  }
}

/** A fault that a store reports fails the test. */
function raise(fault: unknown): void {
  throw fault;
}

/** Lines of a process's log at error level and above. */
export const errorsIn = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => /"level":(50|60)\b/.test(line));

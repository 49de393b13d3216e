// The keys of personal data go with every backup, restore and copy, whichever stores have the log and the keys.
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openDatabase, prepareRows } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { inDatabase } from '../stores/mongodb-server.ts';
import { calmWorld } from '../support/calm-world.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64url');
const PERSON = 'Zerlina';
const First = z.looseObject({ key: z.string() });
const Opened = z.looseObject({ clientToken: z.string() });
const Made = z.looseObject({ parts: z.array(z.looseObject({ part: z.string(), file: z.string() })) });

interface Stores {
  readonly dir: string;
  readonly env: { readonly [variable: string]: string };
}
/** How a log and its keys are kept; each call makes stores of their own. */
interface Kept {
  readonly what: string;
  readonly log: 'sqlite' | 'eventstoredb';
  readonly env: (name: string) => { readonly [variable: string]: string };
}

describe('the keys of personal data, with', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  const at = (name: string): string => join(place.dir, name);
  const servers: EventStoreDbLoopback[] = [];
  let mongo: MongoDbLoopback;
  let apiKey = '';
  before(async () => {
    await mkdir(at('mongo'));
    mongo = await openMongoDbLoopback({ directory: at('mongo') });
  });
  after(async () => {
    for (const server of servers) await server.kill();
    await mongo.close();
    await directory.remove();
  });

  const database = (name: string): string => inDatabase(mongo.url, name);
  const kinds: readonly Kept[] = [
    {
      what: 'EventStoreDB, and keys with the read models in MongoDB',
      log: 'eventstoredb',
      env: (name) => ({ COUNTERFOIL_READ_MODELS: database(name) }),
    },
    {
      what: 'EventStoreDB, and a key store of its own in MongoDB',
      log: 'eventstoredb',
      env: (name) => ({ COUNTERFOIL_READ_MODELS: database(name), COUNTERFOIL_KEY_STORE: database(`${name}-keys`) }),
    },
    { what: 'EventStoreDB, and keys in the data directory', log: 'eventstoredb', env: () => ({}) },
    {
      what: 'an embedded log, and a key store in MongoDB',
      log: 'sqlite',
      env: (name) => ({ COUNTERFOIL_KEY_STORE: database(`${name}-keys`) }),
    },
    { what: 'an embedded log, and keys next to it', log: 'sqlite', env: () => ({}) },
  ];

  const stores = async (name: string, { log, env }: Kept): Promise<Stores> => {
    const common = { COUNTERFOIL_SECRET: SECRET, COUNTERFOIL_RATE_LIMIT: '0', ...env(name) };
    if (log === 'sqlite') return { dir: name, env: common };
    await mkdir(at(`${name}-log`));
    const server = await openEventStoreDbLoopback({ directory: at(`${name}-log`) });
    servers.push(server);
    return { dir: name, env: { ...common, COUNTERFOIL_EVENT_STORE: server.url } };
  };
  const logOf = ({ dir, env }: Stores): string =>
    env['COUNTERFOIL_EVENT_STORE'] ?? `sqlite:${join(at(dir), 'events.db')}`;
  /** Undefined where it is next to the log. */
  const keyStoreOf = ({ dir, env }: Stores): string | undefined =>
    env['COUNTERFOIL_KEY_STORE'] ??
    (env['COUNTERFOIL_EVENT_STORE'] === undefined
      ? undefined
      : (env['COUNTERFOIL_READ_MODELS'] ?? `sqlite:${at(`${dir}/keys.db`)}`));
  const run = async (command: string, { dir, env }: Stores): Promise<string> => {
    const ran = await place.run(`${command} --data-dir ${dir}`, { env });
    expect(ran, ran.stderr).to.include({ code: 0 });
    return ran.stdout;
  };
  const personIn = async ({ dir, env }: Stores, token: string): Promise<string> => {
    const serving = await place.serve(`--json --log-level warn --data-dir ${dir}`, env);
    await until(async () => (await fetch(`${serving.url}/health/ready`)).status === 200);
    const { text } = await directory.client(serving.url, apiKey).call('GET', `/client-session?clientToken=${token}`);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    return text;
  };

  for (const [n, kind] of kinds.entries())
    it(`${kind.what}, are in a backup, a restored store and a copy`, async () => {
      const first = await stores(`s${n}`, kind);
      const serving = await place.serve(`--json --log-level warn --data-dir ${first.dir}`, first.env);
      const body = {
        orderId: 'o-1',
        currencyCode: 'EUR',
        amount: 100,
        customerId: 'c-1',
        customer: { firstName: PERSON },
      };
      apiKey = First.parse(JSON.parse(serving.stdout())).key;
      const client = directory.client(serving.url, apiKey);
      const { clientToken } = Opened.parse((await client.call('POST', '/client-session', body)).body);
      expect((await serving.end('SIGTERM')).code).to.equal(0);

      const made = Made.parse(JSON.parse(await run(`backup --out b${n} --json`, first)));
      const keys = made.parts.find(({ part }) => part === 'keys');
      expect(await rowsIn(at(`b${n}/${keys?.file}`))).to.be.least(2);
      const restored = await stores(`r${n}`, kind);
      await run(`restore --from b${n}`, restored);
      expect(await personIn(restored, clientToken)).to.include(PERSON);

      const copied = await stores(`c${n}`, kind);
      const between = `copy --from ${logOf(first)} --to ${logOf(copied)}`;
      const keyStore = keyStoreOf(copied);
      if (keyStore === undefined) await run(between, first);
      else {
        const refused = await place.run(`${between} --data-dir ${first.dir}`, { env: first.env });
        expect(refused.code).to.equal(1);
        expect(refused.stderr).to.include('Both logs would have one key store').and.include('--to-key-store');
        await run(`${between} --to-key-store ${keyStore}`, first);
      }
      await run('doctor', copied); // it looks for every key that the log names
    });

  it('an embedded log, are missed by every command if one of them is gone', async () => {
    const { dir, env } = await stores('lost', { what: '', log: 'sqlite', env: () => ({}) });
    await cp(at('s4'), at(dir), { recursive: true });
    const keys = await openSqliteKeyStore({ file: at(`${dir}/keys.db`), world: calmWorld });
    const named = (await keys.list('', 10)).map(({ id }) => id).filter((id) => id.includes('.'));
    await keys.close();
    const file = await openDatabase({
      file: at(`${dir}/keys.db`),
      synchronous: 'full',
      busyTimeoutMs: 0,
      cacheKiB: 64,
    });
    file.prepare('DELETE FROM keys WHERE id = ?').run(named[0] ?? '');
    file.close();
    const isMissed = async (command: string, code: number, more = {}): Promise<void> => {
      const ran = await place.run(command, { env: { ...env, ...more } });
      expect(ran.code, `${command}: ${ran.stderr}`).to.equal(code);
      expect((ran.stdout + ran.stderr).replaceAll(/\s+/g, ' ')).to.include('it misses 1 key that events name');
    };
    await isMissed(`doctor --data-dir ${dir}`, 1);
    await isMissed(`audit verify --data-dir ${dir}`, 0);
    await isMissed(`audit verify --data-dir ${dir}`, 1, { COUNTERFOIL_KEY_STORE: `sqlite:${at(`${dir}/keys.db`)}` });
    await isMissed(`backup --out b-lost --data-dir ${dir}`, 1);
    await isMissed('restore --from b-lost --data-dir back-lost', 1);
    await isMissed(`copy --from sqlite:${at(`${dir}/events.db`)} --to sqlite:${at('copy-lost/events.db')}`, 1);
  });
});

/** The rows in the file alone. */
async function rowsIn(file: string): Promise<number> {
  const keys = await openDatabase({ file, mustExist: true, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 1_024 });
  try {
    return prepareRows<readonly [number]>(keys, 'SELECT count(*) FROM keys').get()?.[0] ?? 0;
  } finally {
    keys.close();
    for (const end of ['-wal', '-shm']) await rm(file + end, { force: true });
  }
}

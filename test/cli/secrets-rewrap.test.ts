// counterfoil secrets rewrap: after it, and once nothing of the old secret is in use, the old one goes and all is read.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { SECRET_LABELS, Secrets, unwrapped } from '../../src/secrets.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { openSqliteKeyStore } from '../../src/stores/sqlite/key-store.ts';
import { calmWorld } from '../support/calm-world.ts';
import type { Client } from '../support/load-client.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const PERSON = { firstName: 'Zerlina', emailAddress: 'zerlina.quux@mail.example' };
const Opened = z.looseObject({ clientToken: z.string() });
/** Where these tests walk what derives from the secret, by its label. */
const WALKED: { readonly [label in (typeof SECRET_LABELS)[number]]: string } = {
  'api-key-hash': 'the key is rotated, and calls',
  'client-token': 'ends a day after the rotation; a new session pays',
  'store-key-wrap': 'the service starts',
  'sandbox-signature': 'the late payment is confirmed by a notification',
  'sandbox-call': 'signs a call between two nodes, and is kept nowhere',
  'webhook-token': 'the path is listed, and revoked',
  'session-hash': 'ends after 12 h; is in endsAt',
  'welcome-link': 'is in endsAt',
  'recovery-code': 'the user is listed',
  checkpoint: 'is verified with its public key',
  'personal-key-wrap': 'the payment shows its customer',
  'erasure-register': 'the next backup signs another register',
};
/** So many keys that a run takes several steps. */
const ADDED = 60_000;
const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), name: z.string() })) });
const Report = z.looseObject({
  keys: z.int(),
  rewrapped: z.int(),
  unopened: z.int(),
  older: z.int(),
  apiKeys: z.array(z.string()),
  incomingWebhooks: z.array(z.string()),
  recoveryCodes: z.array(z.string()),
  endsAt: z.string().nullable(),
});

describe('counterfoil secrets rewrap', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  after(() => directory.remove());

  const session = async (client: Client, customerId: string): Promise<string> => {
    const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId, customer: PERSON };
    const answer = await client.call('POST', '/client-session', body);
    expect(answer.status, answer.text).to.equal(200);
    return Opened.parse(answer.body).clientToken;
  };
  const rewrap = async (): Promise<z.output<typeof Report>> => Report.parse(await place.json('secrets rewrap'));
  const secretsHere = async (): Promise<readonly Buffer[]> =>
    (await readFile(secretFileIn(directory.dir), 'utf8'))
      .trim()
      .split(',')
      .map((one) => Buffer.from(one, 'base64url'));
  /** How many keys each secret of the file wraps, in the order of the file. */
  const wrappedBy = async (): Promise<readonly number[]> => {
    const secrets = await secretsHere();
    const wrapping = new Secrets(secrets).keys('personal-key-wrap');
    const store = await openSqliteKeyStore({ file: join(directory.dir, 'keys.db'), world: calmWorld });
    const counts = secrets.map(() => 0);
    for (let after = ''; ; ) {
      const page = await store.list(after, 1_000);
      for (const { id, wrapped } of page) {
        const by = wrapped === undefined ? undefined : unwrapped(wrapping, wrapped, id)?.by;
        if (by !== undefined) counts[by] = (counts[by] ?? 0) + 1;
      }
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    await store.close();
    return counts;
  };

  const addKeys = async (count: number, by: Secrets): Promise<void> => {
    const file = join(directory.dir, 'keys.db');
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 1_024 });
    const add = database.prepare('INSERT INTO keys (id, wrapped) VALUES (?, ?)');
    database.exec('BEGIN');
    for (let n = 0; n < count; n += 1)
      add.run(`added ${n}`, by.wrap(Buffer.alloc(32, 5), calmWorld, 'personal-key-wrap', `added ${n}`));
    database.exec('COMMIT');
    database.close();
  };
  /** Looks at one key alone: a run takes less time than a look at all of them. */
  const changesOf = async (id: string) => {
    const file = join(directory.dir, 'keys.db');
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 1_024 });
    const look = database.prepare<{ readonly wrapped: string }>('SELECT wrapped FROM keys WHERE id = ?');
    const before = look.get(id)?.wrapped;
    return {
      changed: async () => {
        await until(async () => look.get(id)?.wrapped !== before);
        database.close();
      },
    };
  };
  /** A payment of a customer; with the card that is confirmed by a notification it is settled later. */
  const paid = async (client: Client, customerId: string, number: string): Promise<string> => {
    const clientToken = await session(client, customerId);
    const card = { number, expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const tokenized = await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', { card });
    const { token: paymentMethodToken } = z.looseObject({ token: z.string() }).parse(tokenized.body);
    const answer = await client.call('POST', '/payments', { clientToken, paymentMethodToken });
    return z.looseObject({ id: z.string() }).parse(answer.body).id;
  };
  let payment: string;
  let rotatedKey: string;
  /** The newest secret and the old one, as the setting has them. */
  let both: string;

  it('are about everything that derives from the secret', () => {
    expect(Object.keys(WALKED)).to.have.members([...SECRET_LABELS]);
  });

  it('finds nothing to do with one secret', async () => {
    const { serving, client } = await directory.serve();
    for (const id of ['early', 'gone']) await session(client, id);
    payment = await paid(client, 'kept', '4242424242424242');
    expect((await client.call('POST', `/payments/${payment}/capture`, {})).status).to.equal(200);
    const { data } = Listed.parse(await place.json('keys list'));
    const key = data.find(({ name }) => name !== 'Sandbox')?.id;
    expect(await place.run(`webhooks incoming add --processor sandbox --key ${key}`)).to.include({ code: 0 });
    expect(await place.run('audit checkpoint --out before.json')).to.include({ code: 0 });
    const { code, stdout } = await place.run('secrets rewrap');
    expect([code, stdout]).to.deep.equal([
      0,
      'Of 4 keys of personal data 0 were encrypted again, under the newest secret.\nThere is no older secret.\n',
    ]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('is finished by the next run after it was killed, beside a service that has the newest secret', async () => {
    expect(await place.run('secrets rotate')).to.include({ code: 0 });
    both = (await readFile(secretFileIn(directory.dir), 'utf8')).trim();
    const [, old] = await secretsHere();
    if (old === undefined) throw new Error('there is no old secret');
    await addKeys(ADDED, new Secrets([old]));
    const { serving, client } = await directory.serve();
    const token = await session(client, 'kept');
    expect((await client.call('GET', `/payments/${payment}`)).text, 'by the old secret').to.include('Zerlina');
    expect(await place.run('customers erase early')).to.include({ code: 0 });
    expect(await place.run('backup --out between')).to.include({ code: 0 });
    const first = await changesOf('added 0');
    const running = directory.startToKill('secrets rewrap --json');
    await first.changed();
    expect(await running.kill()).to.equal('');
    const [newly = 0, formerly = 0] = await wrappedBy();
    expect([newly + formerly, newly > 0, formerly > 0]).to.deep.equal([ADDED + 4, true, true]);
    const found = await rewrap();
    expect(found).to.include({ keys: ADDED + 4, rewrapped: formerly, unopened: 0, older: 1 });
    expect(await wrappedBy()).to.deep.equal([ADDED + 4, 0]);
    expect((await client.call('GET', `/client-session?clientToken=${token}`)).text).to.include('Zerlina');
    expect(client.faults).to.deep.equal([]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('says what still needs the old secret, until nothing does', async () => {
    const first = await rewrap();
    expect(first).to.include({ rewrapped: 0, older: 1 });
    expect(first.apiKeys).to.have.length(2); // that of the first start, and the sandbox's
    expect(first.incomingWebhooks).to.have.length(1);
    expect(first.endsAt).to.be.a('string');
    const { stdout } = await place.run('secrets rewrap');
    expect(stdout)
      .to.include('What was created before the newest secret still needs an older one:')
      .and.to.include(
        `2 API keys, until \`counterfoil keys rotate\` or \`counterfoil keys revoke\`: ${first.apiKeys.join(', ')}`,
      );
    const { data } = Listed.parse(await place.json('keys list'));
    for (const id of first.apiKeys) {
      const { key } = z.looseObject({ key: z.string() }).parse(await place.json(`keys rotate ${id}`));
      if (data.find((one) => one.id === id)?.name !== 'Sandbox') rotatedKey = key;
    }
    for (const id of first.incomingWebhooks)
      expect(await place.run(`webhooks incoming revoke ${id}`)).to.include({ code: 0 });
    const second = await rewrap();
    expect([second.apiKeys, second.incomingWebhooks]).to.deep.equal([[], []]);
    expect(await place.run('sandbox clock advance 25h')).to.include({ code: 0 });
    expect((await place.run('secrets rewrap')).stdout).to.include('Nothing needs the older secrets');
  });

  it('leaves a store that starts, reads, erases, pays, is backed up and restored with the new secret alone', async () => {
    const [, oldPublicKey = ''] = (await place.run('audit key')).stdout.split(/\s+/);
    const [newest] = await secretsHere();
    await writeFile(secretFileIn(directory.dir), `${newest?.toString('base64url')}\n`);
    const { serving } = await directory.serve();
    const client = directory.client(serving.url, rotatedKey);
    expect((await client.call('GET', `/payments/${payment}`)).text).to.include('Zerlina');
    const late = await paid(client, 'kept', '4000009900001010');
    await until(async () => (await client.call('GET', `/payments/${late}`)).text.includes('"AUTHORIZED"'));
    expect(await place.run('customers erase gone')).to.include({ code: 0 });
    expect(await place.run('audit verify')).to.include({ code: 0 });
    const byKey = await place.run(`audit verify --checkpoint before.json --key ${oldPublicKey}`);
    expect(byKey, byKey.stderr).to.include({ code: 0 });
    expect(await place.run('backup --out b')).to.include({ code: 0 });
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    // a backup of the time between needs both secrets, and one of now the newest alone
    for (const [from, secrets] of [
      ['b', newest?.toString('base64url') ?? ''],
      ['between', both],
    ] as const) {
      const env = { COUNTERFOIL_SECRET: secrets };
      expect(await place.run(`restore --from ${from} --data-dir of-${from}`, { env })).to.include({ code: 0 });
      const restored = await place.serve(`--json --log-level warn --data-dir of-${from}`, env);
      const there = directory.client(restored.url, from === 'b' ? rotatedKey : directory.key);
      await until(async () => (await fetch(`${restored.url}/health/ready`)).status === 200);
      expect((await there.call('GET', `/payments/${payment}`)).text, from).to.include('Zerlina');
      expect((await restored.end('SIGTERM')).code).to.equal(0);
    }
  });
});

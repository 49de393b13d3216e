// The command line on EventStoreDB and MongoDB, on one beside an embedded store, and on unavailable or wrong stores.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT } from '../../src/cli/exit.ts';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import { until } from '../support/until.ts';
import type { Ran } from './command-hosts.ts';
import { createSession, firstKeyIn, Place } from './processes.ts';

const SECRET = Buffer.alloc(32, 6).toString('base64url');
const NOBODY = '127.0.0.1:1';

interface Answer {
  readonly [member: string]: unknown;
}
type Environment = { readonly [variable: string]: string };

/** The text regardless of its port: the loopbacks' MongoDB URL with another database in it. */
const database = (url: string, name: string): string => url.replace('/counterfoil?', `/${name}?`);

describe('counterfoil on stores that nodes share', () => {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-stores-'));
  let events: EventStoreDbLoopback;
  let readModels: MongoDbLoopback;
  let place: Place;
  before(async () => {
    const [one, two] = ['events', 'read-models'].map((name) => mkdtempSync(join(directory, name)));
    [events, readModels] = await Promise.all([
      openEventStoreDbLoopback({ directory: one ?? directory }),
      openMongoDbLoopback({ directory: two ?? directory }),
    ]);
  });
  after(async () => {
    await Promise.all([events.kill(), readModels.close()]);
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  const both = (): Environment => ({
    COUNTERFOIL_SECRET: SECRET,
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_EVENT_STORE: events.url,
    COUNTERFOIL_READ_MODELS: readModels.url,
  });
  const json = async (command: string, env: Environment): Promise<Ran & { readonly value: unknown }> => {
    let ran = await place.run(`${command} --json`, { env });
    // The store's process may have been paused for a while.
    for (let tries = 1; ran.code === EXIT.unavailable && tries < 3; tries += 1)
      ran = await place.run(`${command} --json`, { env });
    expect(ran.code, ran.stderr).to.equal(0);
    return { ...ran, value: JSON.parse(ran.stdout) };
  };
  /** The answers of a merchant's reads of a payment that was made, captured and refunded. */
  const everythingAbout = async (url: string, key: string, paymentId: string): Promise<readonly string[]> => {
    const paths = [
      `/payments/${paymentId}?expand=transactions.events`,
      `/payments/${paymentId}/events`,
      '/payments',
      '/sandbox/ledger',
    ];
    return Promise.all(
      paths.map(async (path) => {
        const response = await fetch(`${url}${path}`, { headers: { 'X-Api-Key': key } });
        return `${response.status} ${response.headers.get('etag')} ${await response.text()}`;
      }),
    );
  };
  const paidIn = async (url: string, env: Environment): Promise<string> => {
    const { value } = await json(`demo --url ${url}`, env);
    expect(value).to.include({ status: 'SETTLED' });
    if (typeof value !== 'object' || value === null || !('paymentId' in value)) throw new Error('no payment');
    return String(value.paymentId);
  };
  const story = async (paymentId: string, env: Environment): Promise<readonly string[]> => {
    const { stdout } = await place.run(`audit show payment-${paymentId} --jsonl`, { env });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
  };
  const STORY = [
    'PaymentCreated',
    'AuthorizationRequested',
    'PaymentAuthorized',
    'CaptureRequested',
    'PaymentCaptured',
    'RefundRequested',
    'RefundSucceeded',
  ];

  it('pays, captures and refunds on EventStoreDB and MongoDB, is killed, and answers the same when it is started again', async () => {
    const env = both();
    const serving = await place.serve('', env);
    const key = firstKeyIn(serving.stdout());
    const paymentId = await paidIn(serving.url, env);
    const before = await everythingAbout(serving.url, key, paymentId);
    expect(before[0]).to.match(/^200 "6" .*"status":"SETTLED"/);
    expect(await story(paymentId, env)).to.deep.equal(STORY);
    const { value: listed } = await json('projections list', env);
    expect(listed).to.have.property('data').that.has.length.greaterThan(5);
    expect(JSON.stringify(listed))
      .to.contain('"name":"payments"')
      .and.to.contain('"documents":1')
      .and.not.to.contain('"state":"building"');
    const rebuilt = await json('projections rebuild payments', env);
    expect(rebuilt.value)
      .to.have.nested.property('data[0]')
      .that.includes({ documents: 1, equal: true, swapped: true });

    expect((await json('sandbox diff', env)).value).to.include({ equal: true, payments: 1, lines: 3 });
    expect((await json('doctor', env)).value)
      .to.have.property('data')
      .that.deep.includes({ check: 'stores', ok: true, says: 'The stores can be read and written.' });

    await serving.end('SIGKILL');
    const again = await place.serve('', env);
    expect(again.stdout()).to.match(/^Listening on \S+\nDashboard: \S+\n$/);
    expect(await everythingAbout(again.url, key, paymentId)).to.deep.equal(before);
    const { code, stderr } = await again.end('SIGTERM');
    // On a slow machine the start may wait for a store, and says so.
    expect([
      code,
      stderr.split('\n').filter((line) => line !== '' && !line.includes('does not respond yet')),
    ]).to.deep.equal([0, []]);
    // Only the sandbox is embedded now; the other folder is for the addresses of services that run.
    const left = readdirSync(join(place.dir, 'data')).filter((name) => !name.startsWith('sandbox.db'));
    expect(left).to.deep.equal(['running']);
    expect(readdirSync(join(place.dir, 'data/running'))).to.deep.equal([]);
  });

  it('takes EventStoreDB with embedded read models: it has the earlier events', async () => {
    // The keys of the log stay in the database of the read models before.
    const env = { ...both(), COUNTERFOIL_READ_MODELS: '', COUNTERFOIL_KEY_STORE: readModels.url };
    const serving = await place.serve('', env);
    const paymentId = await paidIn(serving.url, env);
    expect(await story(paymentId, env)).to.deep.equal(STORY);
    const { value } = await json('payments list', env);
    expect(value).to.have.property('data').with.length(2);
    expect(existsSync(join(place.dir, 'data/read-models.db'))).to.equal(true);
    expect(existsSync(join(place.dir, 'data/events.db'))).to.equal(false);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('takes an embedded event log with read models in MongoDB', async () => {
    const env = { ...both(), COUNTERFOIL_EVENT_STORE: '', COUNTERFOIL_READ_MODELS: database(readModels.url, 'mixed') };
    const serving = await place.serve('', env);
    const paymentId = await paidIn(serving.url, env);
    expect(await story(paymentId, env)).to.deep.equal(STORY);
    const { value } = await json('payments list', env);
    expect(value).to.have.property('data').with.length(1);
    expect(readdirSync(join(place.dir, 'data')).filter((name) => name.startsWith('read-models'))).to.deep.equal([]);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('serves one payment on two nodes without a shared directory: asked for on one, notified on the other, the books on both', async () => {
    const keys = { COUNTERFOIL_KEY_STORE: readModels.url };
    const env = { ...both(), ...keys, COUNTERFOIL_READ_MODELS: database(readModels.url, 'nodes') };
    const one = await place.serve('--data-dir one', env);
    const two = await place.serve('--data-dir two', { ...env, COUNTERFOIL_SANDBOX_URL: one.url });
    const { value } = await json('keys create --name Shop --scopes all', { ...env, COUNTERFOIL_DATA_DIR: 'one' });
    if (typeof value !== 'object' || value === null || !('key' in value)) throw new Error('no key');
    const key = { 'X-Api-Key': String(value.key) };
    const ask = async (url: string, headers: Environment, body?: object): Promise<Answer> => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(url, { ...sent, headers: { 'Content-Type': 'application/json', ...headers } });
      const text = await response.text();
      expect(response.status, text).to.equal(200);
      return JSON.parse(text);
    };
    const session = await ask(`${two.url}/client-session`, key, { orderId: 'o', currencyCode: 'EUR', amount: 1_000 });
    const card = { number: '4000009900001010', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const instrument = await ask(
      `${two.url}/checkout/payment-instruments`,
      { 'X-Client-Token': String(session['clientToken']) },
      { card },
    );
    const payment = await ask(`${two.url}/payments`, key, {
      paymentMethodToken: instrument['token'],
      clientToken: session['clientToken'],
    });
    expect(payment).to.include({ status: 'PENDING' });
    const statusAt = async (url: string): Promise<unknown> =>
      (await ask(`${url}/payments/${payment['id']}`, key))['status'];
    await until(async () => (await statusAt(one.url)) !== 'PENDING');
    expect(await statusAt(one.url)).to.equal('AUTHORIZED');
    expect(await statusAt(two.url)).to.equal('AUTHORIZED');
    const books = await Promise.all([one, two].map(({ url }) => ask(`${url}/sandbox/ledger`, key)));
    expect(books[0]).to.deep.equal(books[1]);
    const [line] = Array.isArray(books[0]?.['data']) ? books[0]['data'] : [];
    expect(paymentIdOfReference(line?.reference)).to.equal(payment['id']);
    expect(existsSync(join(place.dir, 'two'))).to.equal(false);
  });

  it('lets a command on another machine make an account, without a sandbox of its own, and says when that is known to the right one', async () => {
    const { code, stdout, stderr } = await place.run('accounts create --name Shop', { env: both() });
    expect({ code, ended: stdout.trimEnd().endsWith('  Shop') }).to.deep.equal({ code: 0, ended: true });
    expect(stderr).to.contain('The sandbox is on another node, which COUNTERFOIL_SANDBOX_URL does not name');
    const ledger = await place.run('sandbox ledger', { env: both() });
    expect(ledger)
      .to.include({ code: 2, stdout: '' })
      .and.to.have.property('stderr')
      .that.contains('Name its node with --sandbox-url');
    expect(existsSync(join(place.dir, 'data'))).to.equal(false);
  });

  it('moves the business clock of a running node there, and does the work that is due by then', async () => {
    const keys = { COUNTERFOIL_KEY_STORE: readModels.url };
    const env = { ...both(), ...keys, COUNTERFOIL_READ_MODELS: database(readModels.url, 'clock') };
    const serving = await place.serve('', env);
    // The log has the accounts of other tests, too.
    const { value: account } = await json('accounts create --name Clock', env);
    if (typeof account !== 'object' || account === null || !('id' in account)) throw new Error('no account');
    const made = await json(`keys create --name checkout --scopes all --account ${account.id}`, env);
    if (typeof made.value !== 'object' || made.value === null || !('key' in made.value)) throw new Error('no key');
    const key = String(made.value.key);
    expect(await createSession(serving.url, key)).to.equal(200);
    const { stdout } = await place.run('audit streams --prefix clientSession --json', { env });
    const streams: { readonly data: readonly { readonly stream: string }[] } = JSON.parse(stdout);
    const stream = streams.data.at(-1)?.stream ?? '';
    expect((await json('sandbox clock advance 31d', env)).value).to.include({ offsetMs: 31 * 86_400_000 });
    const types = async (): Promise<string> => (await place.run(`audit show ${stream} --jsonl`, { env })).stdout;
    await until(async () => {
      expect(serving.process.exitCode).to.equal(null);
      return (await types()).includes('"ClientSessionExpired"');
    });
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('is unavailable, and the message names the store: 3, in one line and without a password', async () => {
    const env = { ...both(), COUNTERFOIL_LOG_LEVEL: 'info', COUNTERFOIL_STORE_WAIT: '0' };
    const eventStore = `esdb://admin:changeit@${NOBODY}?tls=false`;
    const models = `mongodb://admin:changeit@${NOBODY}/counterfoil?replicaSet=rs0`;
    const [ofEvents, ofModels, command, list] = await Promise.all([
      place.run('serve --port 0', { env: { ...env, COUNTERFOIL_EVENT_STORE: eventStore } }),
      place.run('serve --port 0', { env: { ...env, COUNTERFOIL_READ_MODELS: models } }),
      place.run('audit streams', { env: { ...env, COUNTERFOIL_EVENT_STORE: eventStore } }),
      place.run('projections list', { env: { ...env, COUNTERFOIL_READ_MODELS: models } }),
    ]);
    for (const ran of [ofEvents, ofModels, command, list]) {
      expect(ran).to.include({ code: 3, stdout: '' });
      expect(ran.stderr).not.to.contain('changeit');
    }
    const [eventsLine, modelsLine] = [
      `The event store esdb://admin:********@${NOBODY}?tls=false is unavailable: `,
      `The store of the read models mongodb://admin:********@${NOBODY}/counterfoil?replicaSet=rs0 is unavailable: `,
    ];
    expect(lastLine(ofEvents)).to.contain(eventsLine);
    expect(lastLine(ofModels)).to.contain(modelsLine);
    expect(command.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).to.have.length(1);
    expect(lastLine(command)).to.contain(eventsLine);
    expect(lastLine(list)).to.contain(modelsLine);
    expect(existsSync(join(place.dir, 'data'))).to.equal(false);
  });

  describe('that are still coming up', () => {
    const WAITS = ' does not respond yet. This process waits for it for up to 30 s.';
    /**
     * The lines of the first process: the second worker opens the stores once they exist, and may be slow on a busy
     * machine.
     */
    const saidOf = (stderr: string, name: string): readonly string[] =>
      stderr
        .split('\n')
        .filter((line) => line.includes(WAITS) && line.includes(`The ${name} `) && !line.includes('"worker":2'));
    interface Leaving {
      kill(): Promise<void>;
      start(): Promise<void>;
    }
    /**
     * Ends a store, and starts it again when the process that `work` watches has said that it waits for the store of
     * that name.
     */
    const comingUp = async (
      store: Leaving,
      name: string,
      work: (untilSaid: (stderr: () => string) => Promise<void>) => Promise<void>,
    ): Promise<void> => {
      await store.kill();
      let isUp = false;
      const start = async (): Promise<void> => {
        if (isUp) return;
        isUp = true;
        await store.start();
      };
      try {
        await work(async (stderr) => {
          await until(() => saidOf(stderr(), name).length > 0);
          await start();
        });
      } finally {
        await start();
      }
    };
    const notReady = (): Leaving => ({
      kill: () => events.order({ order: 'be not ready', ms: 600_000 }),
      start: () => events.order({ order: 'behave' }),
    });
    const withoutPrimary = (): Leaving => ({
      kill: () => readModels.order({ primary: false }),
      start: () => readModels.order({ primary: true }),
    });
    const stores = [
      [
        'an event store that refuses connections',
        'event store',
        () => events,
        'audit streams',
        ['serve', 'serve --workers 2'],
      ],
      ['an event store that says that it is not ready', 'event store', notReady, 'audit streams', ['serve']],
      [
        'read models that refuse connections',
        'store of the read models',
        () => readModels.server,
        'projections list',
        ['serve', 'serve --workers 2'],
      ],
      [
        'read models whose replica set has no primary',
        'store of the read models',
        withoutPrimary,
        'accounts list',
        ['serve'],
      ],
    ] as const;
    for (const [what, name, store, command, starts] of stores) {
      for (const start of starts)
        it(`makes \`${start}\` wait for ${what}, and say so in one line`, async () => {
          await comingUp(store(), name, async (untilSaid) => {
            const starting = place.begin(`${start} --port 0`, both());
            await untilSaid(starting.stderr);
            await until(() => starting.stdout().includes('Listening on '));
            expect(saidOf(starting.stderr(), name)).to.have.length(1);
            expect(await starting.end('SIGTERM')).to.include({ code: 0 });
          });
        });

      it(`makes a command wait for ${what}`, async () => {
        await comingUp(store(), name, async (untilSaid) => {
          const listing = place.begin(`${command} --json`, both());
          await untilSaid(listing.stderr);
          expect(await listing.ended(), listing.stderr()).to.include({ code: 0 });
          expect(JSON.parse(listing.stdout())).to.have.property('data');
        });
      });
    }

    for (const [command, printed] of [
      ['serve --port 0', 'Listening on '],
      ['accounts list', '\n'],
    ] as const)
      it(`makes \`${command}\` open them again where the event store was there, and is not before all is open`, async () => {
        const name = 'store of the read models';
        await comingUp(readModels.server, name, async (untilSaid) => {
          const opening = place.begin(command, both());
          await until(() => saidOf(opening.stderr(), name).length > 0); // the event store is open
          await events.kill();
          try {
            await untilSaid(opening.stderr);
            await until(() => opening.stderr().includes('EventStoreDB cannot be '));
          } finally {
            await events.start();
          }
          await until(() => opening.stdout().includes(printed));
          if (command.startsWith('serve')) await opening.end('SIGTERM');
          expect(await opening.ended(), opening.stderr()).to.include({ code: 0 });
        });
      });

    it('lets SIGTERM end the wait of a command that ends in order at once: 143', async () => {
      const env = { ...both(), COUNTERFOIL_EVENT_STORE: `esdb://${NOBODY}?tls=false` };
      for (const command of ['rebuild --all', 'retry payments payment-pay_1', 'discard payments payment-pay_1']) {
        const waiting = place.begin(`projections ${command}`, env);
        await until(() => waiting.stderr().includes(WAITS));
        const { code, stderr } = await waiting.end('SIGTERM');
        expect(code, command).to.equal(143);
        expect(stderr).to.match(/^Stopping\. .*\.\n$/m);
      }
    });

    it('lets SIGTERM end the wait of a start at once: 0', async () => {
      const env = { ...both(), COUNTERFOIL_EVENT_STORE: `esdb://${NOBODY}?tls=false` };
      for (const flags of ['', '--workers 2']) {
        const starting = place.begin(`serve --port 0 ${flags}`, env);
        await until(() => starting.stderr().includes(WAITS));
        expect(await starting.end('SIGTERM')).to.include({ code: 0, stdout: '' });
      }
    });
  });

  it('is wrong without the secret that nodes share, and with another secret than that of the store: 2', async () => {
    const [without, other] = await Promise.all([
      place.run('serve --port 0', { env: { ...both(), COUNTERFOIL_SECRET: '' } }),
      place.run('keys list', { env: { ...both(), COUNTERFOIL_SECRET: Buffer.alloc(32, 1).toString('base64url') } }),
    ]);
    expect(without).to.include({ code: 2, stdout: '' });
    expect(without.stderr)
      .to.contain('COUNTERFOIL_SECRET is not set: every node on esdb://')
      .and.to.contain('randomBytes(32)');
    expect(other).to.include({ code: 2, stdout: '' });
    expect(existsSync(join(place.dir, 'data'))).to.equal(false);
  });
});

const lastLine = ({ stderr }: Ran): string => stderr.trimEnd().split('\n').at(-1) ?? '';

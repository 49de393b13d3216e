// Connections: their secrets are references, resolved when they are used; several of one processor are beside each
// other.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { secretsOfMachine } from '../../src/cli/open/machine-secrets.ts';
import type { NewConnection } from '../../src/commands/connections/manage-connections.ts';
import type { Rejection } from '../../src/domain/decider.ts';
import type { Call, Connection, Processor, ProcessorNotification } from '../../src/processors/processor.ts';
import { connections } from '../../src/projections/models/connections.ts';
import { openService, type Service } from '../../src/service.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { done, known } from '../support/answers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { checkout, lookUpDue, memoryStores, merchant, type Stores } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';

const KEY = 'sk_test_very_secret';
const OTHER_KEY = 'sk_test_other_secret';
const HOOK = 'whsec_very_secret';

describe('connections', () => {
  let stores: Stores;
  let service: Service;
  let accountId: string;
  let opened: number;
  let calls: { readonly verb: string; readonly connection: Connection }[];
  let environment: { [name: string]: string | undefined };
  let reported: unknown[];
  let directory: string;
  let lost: boolean;
  let told: readonly ProcessorNotification[];

  const processor = (): Processor => {
    const noted = (verb: string, { connection }: Call): void => void calls.push({ verb, connection });
    const inner = scripted(stores.sandbox, {
      perform: async (request, call) => {
        noted('perform', call);
        if (lost) return { kind: 'unknown', detail: 'reset' };
        const { amount, currencyCode } = request;
        return { kind: 'succeeded', processorTransactionId: `t_${request.reference}`, amount, currencyCode };
      },
      tokenize: async ({ from }, call) => {
        noted('tokenize', call);
        if (!('fieldToken' in from)) return { kind: 'refused', description: 'no card comes this way' };
        const card = { network: 'JCB', last4Digits: '4242', expirationMonth: '12', expirationYear: '2039' } as const;
        return { kind: 'token', processorToken: `token of ${from.fieldToken}`, card, fingerprint: 'fp_1' };
      },
      lookUp: async (_request, call) => {
        noted('look up', call);
        return { kind: 'not_found' };
      },
      notifications: (_raw, _headers, connection) => {
        calls.push({ verb: 'notified', connection });
        return told.length === 0 ? 'unparsable' : told;
      },
      reread: () => told,
    });
    return {
      ...inner,
      name: 'acquirer',
      takesCards: false,
      refusal: ({ secrets: { secretKey = '', webhookSecret = 'whsec_' }, publishableKey }, mode, name) => {
        if (name === 'webhookSecret' && !webhookSecret.startsWith('whsec_')) return 'The secret signs nothing.';
        if (name === 'publishableKey' && !publishableKey?.startsWith(`pk_${mode}_`))
          return 'The key is of another mode.';
        return name !== 'secretKey' || secretKey.startsWith(`sk_${mode}_`)
          ? undefined
          : `The key is not one of ${mode} mode.`;
      },
    };
  };
  const open = async (of: Partial<Stores> = {}, mode: 'test' | 'live' = 'test'): Promise<Service> =>
    openService(
      {
        ...stores,
        ...of,
        processors: new Map([['sandbox', stores.sandbox]]),
        openable: new Map([
          [
            'acquirer',
            async () => {
              opened += 1;
              return processor();
            },
          ],
        ]),
        report: (fault) => void reported.push(fault),
      },
      {
        mode,
        secrets: stores.secrets,
        post: () => Promise.reject(new Error('nobody is called')),
        publicUrl: () => 'http://127.0.0.1:4000',
        secretOf: secretsOfMachine(environment),
      },
    );
  beforeEach(async () => {
    stores = await memoryStores(calmWorld);
    [opened, calls, reported, lost, told] = [0, [], [], false, []];
    environment = { KEY, OTHER_KEY, HOOK };
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-connections-'));
    service = await open();
    accountId = done(await service.access.createAccount('Shop')).id;
  });
  afterEach(() => rm(directory, { recursive: true }));

  const wanted = (other: Partial<NewConnection> = {}): NewConnection => ({
    accountId,
    processor: 'acquirer',
    name: 'eu',
    secretKey: 'env:KEY',
    ...other,
  });
  const added = async (other: Partial<NewConnection> = {}) => {
    const answer = await service.connections.add(wanted(other));
    return answer.kind === 'rejected' ? expect.fail(answer.description) : answer;
  };
  const refusalOf = async (other: Partial<NewConnection>): Promise<Rejection> => {
    const answer = await service.connections.add(wanted(other));
    return answer.kind === 'rejected' ? answer : expect.fail('it was added');
  };
  const tokenized = async (connectionId: string) => {
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(accountId, calmWorld),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = await service.instruments.tokenizeCard(
      { processorToken: { connectionId, type: 'token', token: 'ct_1' } },
      checkout(accountId, session.id, calmWorld),
    );
    return { token, clientToken: session.clientToken, paymentMethodToken: 'id' in token ? token.id : '' };
  };
  const pay = async (connectionId: string) => {
    const { token, ...asked } = await tokenized(connectionId);
    return token.kind === 'rejected' ? token : service.payments.authorizePayment(asked, merchant(accountId, calmWorld));
  };

  it('open the adapter with the first of them, and take a payment by its secrets', async () => {
    expect(opened).to.equal(0);
    const { id } = await added({ webhookSecret: 'env:HOOK' });
    const paid = done(await pay(id));
    expect(opened).to.equal(1);
    expect(known(paid.doc)).to.include({ status: 'AUTHORIZED', processor: 'acquirer', connectionId: id });
    expect(known(paid.doc).paymentMethod.paymentMethodData).to.deep.equal({
      network: 'JCB',
      last4Digits: '4242',
      expirationMonth: '12',
      expirationYear: '2039',
    });
    expect(calls.map(({ verb }) => verb)).to.deep.equal(['tokenize', 'perform']);
    for (const { connection } of calls)
      expect(connection).to.deep.equal({
        connectionId: id,
        processor: 'acquirer',
        secrets: { secretKey: KEY, webhookSecret: HOOK },
      });
  });

  it('are used by a node that could not look at them when it started', async () => {
    const { id } = await added();
    const { paymentMethodToken, clientToken } = await tokenized(id);
    let isAway = true;
    const find: ReadModels['find'] = (of, query) =>
      isAway && of.name.startsWith(connections.name)
        ? Promise.reject(new StoreUnavailable('the store is unavailable'))
        : stores.readModels.find(of, query);
    opened = 0;
    service = await open({ readModels: { ...stores.readModels, find } });
    isAway = false;
    const paid = done(
      await service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(accountId, calmWorld)),
    );
    expect(known(paid.doc).status).to.equal('AUTHORIZED');
    expect(opened).to.equal(1);
  });

  it('are beside each other, each with secrets of its own', async () => {
    const [one, other] = [await added(), await added({ name: 'us', secretKey: 'env:OTHER_KEY' })];
    done(await pay(other.id));
    done(await pay(one.id));
    const used = calls
      .filter(({ verb }) => verb === 'perform')
      .map(({ connection }) => connection.secrets['secretKey']);
    expect(used).to.deep.equal([OTHER_KEY, KEY]);
    expect(service.connections.known.defaultOf(accountId)?.id).to.equal(one.id);
  });

  it('leave no secret in the log, in a document, or in a fault', async () => {
    await writeFile(join(directory, 'key'), `${KEY}\n`);
    const { id } = await added({ secretKey: `file:${join(directory, 'key')}`, webhookSecret: 'env:HOOK' });
    done(await pay(id));
    await rm(join(directory, 'key'));
    const refused = await pay(id);
    expect(refused).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    await service.connections.known.look();
    const texts = [JSON.stringify(refused), reported.map(String).join(), service.readiness().degraded.join()];
    const enough = new AbortController();
    for await (const { events, caughtUp } of stores.events.follow(
      -1n,
      ['connection', 'payment', 'apiKey'],
      enough.signal,
    )) {
      texts.push(...events.map(({ data }) => String(data)));
      if (caughtUp) enough.abort();
    }
    for (const row of await service.connections.list({})) texts.push(JSON.stringify(row));
    expect(texts.join('\n')).to.contain('file:');
    for (const secret of [KEY, HOOK]) expect(texts.join('\n')).not.to.contain(secret);
  });

  it('are refused with the name of a reference that cannot be read, and of one that is the secret itself', async () => {
    const { description, details } = await refusalOf({ secretKey: 'env:NOT_SET' }).then((one) => ({
      ...one,
      details: one,
    }));
    expect(description).to.equal('The secret env:NOT_SET cannot be used: the variable is not set.');
    expect(details.errorId).to.equal('RequestValidationError');
    const typed = await refusalOf({ secretKey: KEY });
    expect(JSON.stringify(typed)).not.to.contain(KEY);
    expect(typed.errorId).to.equal('RequestValidationError');
    expect((await refusalOf({ secretKey: `file:${join(directory, 'none')}` })).description).to.contain('no such file');
    for (const inherited of ['env:constructor', 'env:__proto__'])
      expect((await refusalOf({ secretKey: inherited })).description).to.contain('the variable is not set');
  });

  it('are refused by a user in one sentence, whatever the machine has under the reference', async () => {
    const empty = join(directory, 'empty');
    await writeFile(empty, '');
    environment['OTHER_KIND'] = 'not a key';
    const by = { ...merchant(accountId), actor: { kind: 'user', id: 'usr_1' } } as const;
    for (const secretKey of [
      'env:NOT_SET',
      'env:OTHER_KIND',
      `file:${empty}`,
      `file:${empty}-none`,
      `file:${directory}`,
    ])
      expect(await service.connections.add(wanted({ secretKey }), by)).to.deep.include({
        description: `The secret ${secretKey} cannot be used. An operator sees the reason with \`counterfoil connections show\`.`,
      });
  });

  it('are found for the page of their fields without a read', async () => {
    const { id } = await added();
    const { known } = service.connections;
    expect(known.find(accountId, id)?.id).to.equal(id);
    expect([known.find('acc_other', id), known.find(accountId, 'con_0')]).to.deep.equal([undefined, undefined]);
  });

  it('are refused for another mode, an unknown processor or account, a taken name, and another server in live mode', async () => {
    environment['LIVE'] = 'sk_live_secret';
    expect((await refusalOf({ secretKey: 'env:LIVE' })).description).to.contain('The key is not one of test mode');
    for (const typed of ['env:whsec_typed', 'env:sk_test_typed', ' env:KEY'])
      expect((await refusalOf({ secretKey: typed })).description).not.to.contain('typed');
    expect((await refusalOf({ apiUrl: 'https://user:pw@127.0.0.1' })).errorId).to.equal('RequestValidationError');
    expect((await refusalOf({ publishableKey: ` ${KEY}` })).errorId).to.equal('RequestValidationError');
    expect((await refusalOf({ processor: 'nobody' })).description).to.contain('Known: acquirer');
    expect((await refusalOf({ accountId: 'acc_none' })).errorId).to.equal('NotFound');
    expect((await refusalOf({ name: ' ' })).errorId).to.equal('RequestValidationError');
    expect((await refusalOf({ publishableKey: KEY })).errorId).to.equal('RequestValidationError');
    expect((await refusalOf({ apiUrl: 'ftp://somewhere' })).errorId).to.equal('RequestValidationError');
    await added();
    expect((await refusalOf({})).errorId).to.equal('Conflict');
    const live = await open({ events: openMemoryEventStore(), readModels: memoryReadModels() }, 'live');
    const shop = done(await live.access.createAccount('Live shop')).id;
    const answer = await live.connections.add(
      wanted({ accountId: shop, secretKey: 'env:LIVE', apiUrl: 'http://127.0.0.1:1' }),
    );
    expect(answer).to.include({ kind: 'rejected', errorId: 'RequestValidationError' });
  });

  it('are refused with a webhook secret that is unreadable or of another kind, and a publishable key of the other mode', async () => {
    const { id } = await added();
    environment['HOOK_2'] = 'whsec_second';
    for (const [references, path, words] of [
      [{ webhookSecret: 'env:NOT_SET' }, '$.webhookSecret', 'env:NOT_SET cannot be used: the variable is not set'],
      [{ webhookSecret: 'env:KEY' }, '$.webhookSecret', 'env:KEY cannot be used: The secret signs nothing'],
      [{ webhookSecret: 'file:whsec_typed' }, '$.webhookSecret', 'Must be a reference'],
      [{ webhookSecret: 'file:hook' }, '$.webhookSecret', 'a path from the root'],
      [{ publishableKey: 'pk_live_1' }, '$.publishableKey', 'The key is of another mode'],
    ] as const) {
      const asNew = await refusalOf({ name: 'us', ...references });
      const asNext = await service.connections.rotate(id, references);
      expect(asNext).to.deep.equal(asNew);
      expect(asNew).to.deep.include({ violations: [{ path, description: asNew.description }] });
      expect(asNew.description).to.contain(words).and.not.contain('typed');
    }
    delete environment['KEY']; // what a rotation does not name is not tried
    done(await service.connections.rotate(id, { webhookSecret: 'env:HOOK_2', publishableKey: 'pk_test_1' }));
  });

  it('read no device, no folder, no pipe and no endless file for a secret, and wait for none', async () => {
    const { id } = await added();
    const at = (name: string) => join(directory, name);
    await writeFile(at('large'), 'x'.repeat(65_537));
    await promisify(execFile)('mkfifo', [at('pipe')]);
    for (const [path, why] of [
      ['/dev/ptmx', 'it is not a regular file'],
      ['/dev/zero', 'it is not a regular file'],
      [directory, 'it is not a regular file'],
      [at('pipe'), 'it is not a regular file'],
      [at('large'), 'the file has more than 64 KiB'],
    ] as const) {
      const reference = `file:${path}`;
      const words = `The secret ${reference} cannot be used: ${why}.`;
      expect((await refusalOf({ name: 'us', webhookSecret: reference })).description).to.equal(words);
      expect(await service.connections.rotate(id, { secretKey: reference })).to.include({ description: words });
    }
    await writeFile(at('whole'), `${KEY}${' '.repeat(65_536 - KEY.length)}`);
    done(await service.connections.rotate(id, { secretKey: `file:${at('whole')}` }));
  });

  it('take another server by its origin alone, as a page’s policy can name it', async () => {
    for (const [apiUrl, form] of [
      ['http://LOCALHOST:7210', 'http://localhost:7210'],
      ['http://127.0.0.1:80', 'http://127.0.0.1'],
      ['http://stripe.example/v1', 'http://stripe.example'],
      ['http://[::1]:4010', 'http://127.0.0.1:4010'],
      ['http://a;b', 'http://127.0.0.1:4010'],
      ['http://a,b', 'http://127.0.0.1:4010'],
      ['http://*.x', 'http://127.0.0.1:4010'],
      ['http://a%zz', 'http://127.0.0.1:4010'],
      ['http://a:99999', 'http://127.0.0.1:4010'],
      ['http://a\\b', 'http://a'],
      ['http://a|b', 'http://127.0.0.1:4010'],
      ["http://a'b", 'http://127.0.0.1:4010'],
    ] as const) {
      const { description, violations } = await refusalOf({ apiUrl });
      expect(violations?.[0]?.path, apiUrl).to.equal('$.apiUrl');
      expect(description, apiUrl).to.contain(`such as ${form}`);
    }
    expect((await added({ apiUrl: 'http://127.0.0.1:4010/' })).doc.apiUrl).to.equal('http://127.0.0.1:4010');
  });

  it('have one name each, of two that are added at once, and leave one key', async () => {
    const keys = async () => (await service.queries.listApiKeys(accountId)).keys.map(({ doc }) => doc.name);
    const answers = await Promise.all([service.connections.add(wanted()), service.connections.add(wanted())]);
    expect(answers.map((one) => (one.kind === 'rejected' ? one.errorId : one.kind)).toSorted()).to.deep.equal([
      'Conflict',
      'completed',
    ]);
    expect(await service.connections.list({ accountId })).to.have.length(1);
    expect(await keys()).to.deep.equal(['acquirer eu']);
    await refusalOf({ name: 'us', secretKey: 'env:NOT_SET' });
    expect(await keys()).to.deep.equal(['acquirer eu']);
    const [first] = await service.connections.list({ accountId });
    done(await service.connections.disable(first?.id ?? ''));
    expect((await added()).id).not.to.equal(first?.id);
  });

  it('take new references, with the secret of notifications before them, and begin nothing once disabled', async () => {
    const { id } = await added({ webhookSecret: 'env:HOOK' });
    environment['HOOK_2'] = 'whsec_second';
    done(await service.connections.rotate(id, { secretKey: 'env:OTHER_KEY', webhookSecret: 'env:HOOK_2' }));
    done(await pay(id));
    expect(calls.at(-1)?.connection.secrets).to.deep.equal({
      secretKey: OTHER_KEY,
      webhookSecret: 'whsec_second',
      previousWebhookSecret: HOOK,
    });
    expect(await service.connections.rotate(id, { secretKey: OTHER_KEY })).to.include({ kind: 'rejected' });
    done(await service.connections.disable(id));
    done(await service.connections.disable(id));
    expect(await pay(id)).to.include({ kind: 'rejected', errorId: 'RequestValidationError' });
    expect(await service.connections.rotate(id, { secretKey: 'env:KEY' })).to.include({ errorId: 'Conflict' });
    expect(await service.connections.disable('con_none')).to.include({ errorId: 'NotFound' });
  });

  it('refuse a key of the other mode in a rotation, and under the same reference', async () => {
    const { id } = await added();
    environment['LIVE'] = 'sk_live_secret';
    for (const references of [{ secretKey: 'env:LIVE' }, { secretKey: 'env:NOT_SET' }, { publishableKey: KEY }])
      expect(await service.connections.rotate(id, references)).to.include({ errorId: 'RequestValidationError' });
    environment['KEY'] = 'sk_live_secret';
    expect(await pay(id)).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    expect(calls).to.deep.equal([]);
  });

  it('charge without the secrets of notifications, and without the one before the last', async () => {
    const { id } = await added({ webhookSecret: 'env:HOOK' });
    environment['HOOK_2'] = 'whsec_second';
    done(await service.connections.rotate(id, { webhookSecret: 'env:HOOK_2' }));
    delete environment['HOOK'];
    await service.connections.known.look();
    expect(service.readiness().degraded).to.deep.equal([]);
    delete environment['HOOK_2'];
    expect(known(done(await pay(id)).doc).status).to.equal('AUTHORIZED');
  });

  it('begin no payment once disabled, with a token from before, and still capture after a restart', async () => {
    const { id } = await added();
    const paid = done(await pay(id));
    const early = await tokenized(id);
    done(await service.connections.disable(id));
    const asked = { clientToken: early.clientToken, paymentMethodToken: early.paymentMethodToken };
    expect(await service.payments.authorizePayment(asked, merchant(accountId, calmWorld))).to.include({
      kind: 'rejected',
    });
    const next = await open();
    const captured = await next.payments.capturePayment(paid.id, {}, merchant(accountId, calmWorld));
    expect(known(done(captured).doc)).to.include({ amountCaptured: 1_000 });
  });

  it('settle no payment of each other', async () => {
    const [one, other] = [await added(), await added({ name: 'us', secretKey: 'env:OTHER_KEY' })];
    lost = true;
    const { id } = done(await pay(one.id));
    const { attempts } = known((await service.streams.payments.current(id)).state);
    told = [
      {
        notificationId: 'n-1',
        subject: { reference: attempts[0]?.reference ?? '' },
        about: {
          operation: 'authorization',
          outcome: { kind: 'succeeded', processorTransactionId: 't', amount: 1_000, currencyCode: 'EUR' },
        },
      },
    ];
    const from = async ({ doc }: typeof one) => {
      const key = doc.webhookKeyId ?? '';
      const received = await service.notifications.receiveNotification(
        { processor: 'acquirer', raw: '{}', headers: {} },
        { ...merchant(accountId, calmWorld), actor: { kind: 'apiKey', id: key } },
      );
      if (received.kind === 'received') await received.handled;
      return known((await service.streams.payments.current(id)).state).status;
    };
    expect(await from(other)).to.equal('PENDING');
    told = [{ ...(told[0] ?? expect.fail('nothing is told')), notificationId: 'n-2' }];
    expect(await from(one)).to.equal('AUTHORIZED');
  });

  it('make the node degraded while a secret cannot be read, and settle nothing without it', async () => {
    const { id } = await added();
    delete environment['KEY'];
    await service.connections.known.look();
    expect(service.readiness().degraded).to.deep.equal([
      `connection ${id} (eu): The secret env:KEY cannot be used: the variable is not set.`,
    ]);
    expect(await pay(id)).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    environment['KEY'] = KEY;
    await service.connections.known.look();
    expect(service.readiness().degraded).to.deep.equal([]);
    await lookUpDue({ service });
  });

  it('are told by the path of a notification, which verifies by their secrets alone', async () => {
    const { id, doc } = await added({ webhookSecret: 'env:HOOK' });
    const keyId = doc.webhookKeyId ?? '';
    const receive = (key: string) =>
      service.notifications.receiveNotification(
        { processor: 'acquirer', raw: '{}', headers: {} },
        { ...merchant(accountId, calmWorld), actor: { kind: 'apiKey', id: key } },
      );
    expect(await receive(keyId)).to.deep.equal({ kind: 'unparsable' });
    expect(calls.at(-1)).to.deep.include({ verb: 'notified' });
    expect(calls.at(-1)?.connection.connectionId).to.equal(id);
    expect(await receive('key_of_somebody')).to.deep.equal({ kind: 'bad_signature' });
    // a signature says nothing while the mode of the key is unknown
    for (const name of ['HOOK', 'KEY']) {
      const { [name]: secret } = environment;
      delete environment[name];
      expect(await receive(keyId), name).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
      environment[name] = secret;
    }
  });
});

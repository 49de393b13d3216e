// The sandbox of another node under faults: every outcome graded by evidence, nothing held for ever, nothing told
// twice.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { Notice } from '../../../../src/app-error.ts';
import { signCall } from '../../../../src/processors/sandbox/remote/call-signature.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { about, callOf } from '../../../support/call-of.ts';
import { until } from '../../../support/until.ts';
import { wholeLedger } from '../../../support/whole-ledger.ts';
import { CALL_KEY, nodeWith, type OtherNode, remoteAt } from '../other-node.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  card,
  never,
  openOn,
  soon,
  succeeded,
  TestPayment,
  tokenFor,
} from '../sandbox-setup.ts';

const APPROVED = '4242424242424242';
const HANGS_AFTER_EFFECT = '4000009900001044';
/** As it goes over the wire. */
const SENT = {
  operation: 'authorization',
  reference: 'pay_1.a',
  accountId: ACCOUNT,
  paymentId: 'pay_1',
  amount: 1_000,
  currencyCode: 'EUR',
  processorToken: 'sbx_card_none',
} as const;
const REQUEST = { ...SENT, requestedAt: 0 } as const;

/** Everything that a fault says, in all depth. */
const wordsOf = (fault: unknown): string =>
  fault instanceof Error ? `${fault.message} ${fault.stack} ${wordsOf(fault.cause)}` : (JSON.stringify(fault) ?? '');

async function thrown(work: Promise<unknown>): Promise<unknown> {
  const nothing = Symbol('nothing');
  const fault = await work.then(
    () => nothing,
    (reason: unknown) => reason,
  );
  if (fault === nothing) throw new Error('nothing was thrown');
  return fault;
}

/** A port where something else than the sandbox is: every connection is handed to `meet`. */
async function portWith(
  meet: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly server: Server; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    meet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, server, close };
}

const answering =
  (status: string, body: string) =>
  (socket: Socket): void => {
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      ),
    );
  };
const refusal = (errorId: string, description: string): string =>
  JSON.stringify({ error: { errorId, description, diagnosticsId: 'req_1' } });

/** No clock of it moves: a limit that is a second away is not reached while the machine is busy. */
function standingWorld(): AdvancingWorld {
  const world = advancingWorld(0, true);
  const at = world.steady();
  return { ...world, monotonic: () => at };
}

describe('a sandbox on another node', () => {
  let world: AdvancingWorld;
  let closing: (() => Promise<unknown>)[];
  let reported: unknown[];
  beforeEach(() => {
    world = advancingWorld();
    [closing, reported] = [[], []];
  });
  afterEach(async () => {
    for (const close of closing.reverse()) await close();
  });

  const inMemory = async (): Promise<Sandbox> => {
    const sandbox = await openOn('memory', world);
    closing.push(() => sandbox.close());
    return sandbox;
  };
  const serving = async (sandbox: Sandbox, options: Parameters<typeof nodeWith>[1] = {}): Promise<OtherNode> => {
    const node = await nodeWith(sandbox, { world, ...options });
    closing.push(() => node.close());
    return node;
  };
  const remote = (url: string, callKeys: readonly Buffer[] = [CALL_KEY]): Sandbox => {
    const opened = remoteAt(url, { world, callKeys, report: (fault) => void reported.push(fault) });
    closing.push(() => opened.close());
    return opened;
  };
  const somethingElse = async (meet: (socket: Socket) => void): Promise<string> => {
    const port = await portWith(meet);
    closing.push(() => port.close());
    return port.url;
  };
  const outcomeAt = async (url: string, signal = never()): Promise<string> => {
    const outcome = await remote(url).perform(REQUEST, callOf(signal));
    return 'detail' in outcome ? `${outcome.kind}: ${outcome.detail}` : outcome.kind;
  };
  const nobody = async (): Promise<string> => {
    const port = await portWith(() => undefined);
    await port.close();
    return port.url;
  };

  describe('grades an operation', () => {
    it('as not sent when no server takes the connection', async () => {
      expect(await outcomeAt(await nobody())).to.match(/^not_sent: connect ECONNREFUSED/);
      expect(await outcomeAt('http://nowhere.invalid')).to.match(/^not_sent: getaddrinfo/);
    });

    it('as not sent when the deadline comes before the connection was there', async () => {
      const silent = await somethingElse(() => undefined);
      // TLS is never agreed on with who says nothing, and nothing is sent before.
      expect(await outcomeAt(silent.replace('http:', 'https:'), soon())).to.equal(
        'not_sent: no answer before the deadline',
      );
      expect(await outcomeAt(silent, AbortSignal.abort())).to.match(/^not_sent/);
    });

    it('as unknown when the deadline comes after it', async () => {
      expect(await outcomeAt(await somethingElse(() => undefined), soon())).to.equal(
        'unknown: no answer before the deadline',
      );
    });

    it('as unknown when the connection is lost before the answer, or in the middle of it', async () => {
      const hangsUp = await somethingElse((socket) => socket.once('data', () => socket.destroy()));
      expect(await outcomeAt(hangsUp)).to.match(/^unknown: /);
      const half = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{"kind":"declined",';
      const breaksOff = await somethingElse((socket) => socket.once('data', () => socket.end(half)));
      expect(await outcomeAt(breaksOff)).to.match(/^unknown: /);
    });

    for (const [title, status, body] of [
      ['no JSON', '200 OK', '<html>welcome</html>'],
      ['JSON of another shape', '200 OK', '{"kind":"succeeded","amount":1000}'],
      ['nothing', '200 OK', ''],
      ['an outcome that does not exist', '200 OK', '{"kind":"perhaps"}'],
      ['that a proxy reached no server', '502 Bad Gateway', '<html>Bad Gateway</html>'],
      ['a failure of its own', '500 Internal Server Error', refusal('InternalError', 'Something went wrong here.')],
      ['somebody else for it', '404 Not Found', '<html>not here</html>'],
    ] as const) {
      it(`as unknown when the answer is ${title}`, async () => {
        expect(await outcomeAt(await somethingElse(answering(status, body)))).to.match(/^unknown: /);
      });
    }

    it('as not sent when the other node says itself that it refused', async () => {
      const refuses = await somethingElse(
        answering('404 Not Found', refusal('NotFound', 'There is no such resource.')),
      );
      expect(await outcomeAt(refuses)).to.equal('not_sent: it refused: There is no such resource.');
    });
  });

  it('is asked once for each operation, whatever the result', async () => {
    let requests = 0;
    const url = await somethingElse((socket) =>
      socket.on('data', (bytes) => {
        requests += bytes.toString().split('POST ').length - 1;
        socket.destroy();
      }),
    );
    const sandbox = remote(url);
    for (let asked = 1; asked <= 3; asked += 1) {
      expect((await sandbox.perform(REQUEST, callOf(never()))).kind).to.equal('unknown');
      expect(requests).to.equal(asked);
    }
  });

  it('that is unavailable leaves a look-up unanswered, and refuses calls whose data it would have to tell or keep', async () => {
    const sandbox = remote(await nobody());
    expect((await sandbox.lookUp(about('pay_1.a'), callOf(never()))).kind).to.equal('unreachable');
    const tokenizing = sandbox.tokenize(
      { reference: 'r', accountId: ACCOUNT, from: { card: card(APPROVED) } },
      callOf(never()),
    );
    for (const work of [
      tokenizing,
      sandbox.connected(),
      sandbox.connect({ accountId: ACCOUNT, apiKey: 'k' }),
      wholeLedger(sandbox),
      sandbox.ledgerOf(ACCOUNT, 1),
    ]) {
      const fault = await thrown(work);
      expect(fault)
        .to.be.instanceOf(StoreUnavailable)
        .with.property('message')
        .that.matches(/^The sandbox at http:.* cannot be used: connect/);
    }
    expect(sandbox.scenarios()).to.have.length.greaterThan(20);
  });

  it('works as soon as it is there, and its going and coming are said once each', async () => {
    const url = await nobody();
    const sandbox = remote(url);
    for (let asked = 0; asked < 3; asked += 1) await thrown(tokenFor(sandbox, APPROVED));
    const local = await inMemory();
    const node = await nodeWith(local, { world, port: Number(new URL(url).port) });
    await tokenFor(sandbox, APPROVED);
    await tokenFor(sandbox, APPROVED);
    await node.close();
    // The first may still go into the connection that was kept, and be lost.
    for (let asked = 0; asked < 2; asked += 1) await thrown(tokenFor(sandbox, APPROVED, 'another'));
    const again = await serving(local, { port: node.port });
    await tokenFor(sandbox, APPROVED, 'another');
    expect(again.logged).to.deep.equal([]);
    expect(reported.every((one) => one instanceof Notice)).to.equal(true);
    expect(reported.map((one) => String(one).replace(url, 'URL').replace(/: .*/, ''))).to.deep.equal([
      'The sandbox at URL cannot be used',
      'The sandbox at URL responds again.',
      'The sandbox at URL cannot be used',
      'The sandbox at URL responds again.',
    ]);
  });

  it('keeps neither a connection nor a response for calls that are no longer awaited', async () => {
    const local = await inMemory();
    const node = await serving(local);
    const sandbox = remote(node.url);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        new TestPayment(sandbox, `pay_${place}`).authorize(HANGS_AFTER_EFFECT, 1_000, soon),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(Array.from({ length: 20 }, () => 'unknown'));
    expect((await wholeLedger(local)).map(({ outcome }) => outcome)).to.deep.equal(
      Array.from({ length: 20 }, () => 'succeeded'),
    );
    await sandbox.close(); // those that are kept for the next call
    await until(async () => (await node.connections()) === 0);
    expect(node.logged).to.deep.equal([]);
  });

  it('cuts off a call that hangs although its caller has died without a word', async () => {
    const node = await serving(await inMemory());
    const sandbox = remote(node.url);
    const hanging = new TestPayment(sandbox).authorize(HANGS_AFTER_EFFECT);
    await until(async () => (await sandbox.lookUp(about('pay_1.a'), callOf(never()))).kind === 'succeeded');
    world.advance(60_000);
    expect((await hanging).kind).to.equal('unknown');
    expect(node.logged).to.deep.equal([]);
  });

  it('keeps its effect when the connection was lost: asked again it moves nothing', async () => {
    const local = await inMemory();
    const node = await nodeWith(local, { world });
    const sandbox = remote(node.url);
    const hanging = new TestPayment(sandbox).authorize(HANGS_AFTER_EFFECT);
    await until(async () => (await wholeLedger(local)).length > 0);
    await node.close();
    expect((await hanging).kind).to.equal('unknown');
    await serving(local, { port: node.port });
    const found = await sandbox.lookUp(about('pay_1.a'), callOf(never()));
    succeeded(found);
    expect(await new TestPayment(sandbox).authorize(HANGS_AFTER_EFFECT)).to.deep.equal(found);
    expect(await wholeLedger(sandbox)).to.have.length(1);
  });

  it('shows its ledger whole, and to each account its part, in the same pages as on its own node', async () => {
    const local = await inMemory();
    for (let place = 0; place < 1_002; place += 1)
      await new TestPayment(local, `pay_${place}`, `acc_${place % 2}`).authorize(APPROVED, place + 1);
    const sandbox = remote((await serving(local)).url);
    expect(await wholeLedger(sandbox)).to.deep.equal(await wholeLedger(local));
    const first = await sandbox.ledgerOf('acc_1', 2);
    expect(first).to.deep.equal(await local.ledgerOf('acc_1', 2));
    expect(await sandbox.ledgerOf('acc_1', 500, first.next)).to.deep.equal(
      await local.ledgerOf('acc_1', 500, first.next),
    );
    expect((await sandbox.ledgerOf('acc_1', 1_000)).next).to.equal(undefined);
    const references = Array.from({ length: 1_000 }, (_, place) => `pay_${place + 500}.a`);
    expect(await sandbox.linesOf(references)).to.deep.equal((await wholeLedger(local)).slice(500));
  });

  it('takes the key of an account from any node, and sends its notifications itself', async () => {
    const local = await inMemory();
    const sandbox = remote((await serving(local)).url);
    await sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
    expect([await sandbox.connected(), await local.connected()]).to.deep.equal([[ACCOUNT], [ACCOUNT]]);
    await sandbox.run('http://127.0.0.1:1', never()); // ends at once: there is nothing to do here
  });

  describe('refuses', () => {
    const body = JSON.stringify(SENT);
    const path = '/internal/sandbox/perform';
    interface Sent {
      readonly name?: string;
      readonly signature?: string;
      readonly text?: string;
    }
    const send = async (url: string, { name = 'perform', signature = '', text = body }: Sent): Promise<string> => {
      const headers = {
        'Content-Type': 'application/json',
        ...(signature !== '' && { 'X-Counterfoil-Signature': signature }),
      };
      const response = await fetch(`${url}/internal/sandbox/${name}`, { method: 'POST', headers, body: text });
      return `${response.status} ${await response.text()}`;
    };
    const signed = (
      change: Partial<{ method: string; path: string; body: string }> = {},
      machine = world.now(),
      key = CALL_KEY,
      aheadMs = 0,
    ): string => signCall(key, { method: 'POST', path, body, ...change }, { machine, aheadMs });

    it('a call that is not signed, by another secret, for something else, or at another time', async () => {
      world = standingWorld();
      const local = await inMemory();
      const { url } = await serving(local);
      const good = signed();
      for (const signature of [
        '',
        'nonsense',
        good.replace('v1', 'v0'),
        good.slice(0, -1),
        good.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        signed({}, world.now(), Buffer.alloc(32, 8)),
        signed({ path: '/internal/sandbox/look-up' }),
        signed({ method: 'GET' }),
        signed({ body: '{}' }),
        signed({}, world.now() - 301_000),
        signed({}, world.now() + 301_000),
        signed().replace(/t=\d+/, `t=${world.now() + 1_000}`),
      ]) {
        expect(await send(url, { signature }), signature).to.match(/^401 .*"Unauthorized"/);
      }
      expect(await send(url, { signature: good })).to.match(/^200 .*"declined"/);
    });

    it('an operation that lay about for a minute: by then its caller counts on its not happening', async () => {
      world = standingWorld();
      const local = await inMemory();
      const node = await serving(local);
      for (const at of [world.now() - 61_000, world.now() + 61_000]) {
        expect(await send(node.url, { signature: signed({}, at) })).to.match(/^200 \{"kind":"not_sent"/);
      }
      expect(await wholeLedger(local)).to.deep.equal([]);
      const lookUp = JSON.stringify(SENT);
      const late = signed({ path: '/internal/sandbox/look-up', body: lookUp }, world.now() - 61_000);
      expect(await send(node.url, { name: 'look-up', signature: late, text: lookUp })).to.equal(
        '200 {"kind":"not_found"}',
      );
    });

    it('an operation that was on its way when the business clock was moved, but none of a node that knew of that sooner', async () => {
      const week = 7 * 86_400_000;
      const local = await inMemory();
      const machine = world.now();
      const { url } = await serving(local);
      expect(await send(url, { signature: signed({}, machine, CALL_KEY, week) })).to.match(/^200 .*"declined"/);
      world.advance(week);
      expect(await send(url, { signature: signed({}, machine) })).to.match(/^200 \{"kind":"not_sent"/);
      expect(await send(url, { signature: signed({}, machine, CALL_KEY, week) })).to.match(/^200 .*"declined"/);
      const lookUp = JSON.stringify(SENT);
      const asked = {
        name: 'look-up',
        signature: signed({ path: '/internal/sandbox/look-up', body: lookUp }, machine),
        text: lookUp,
      };
      expect(await send(url, asked)).to.match(/^200 /);
      expect(await send(url, { signature: signed({}, machine, CALL_KEY, week).replace(/\+\d+/, '') })).to.match(
        /^401 /,
      );
    });

    it('calls that it does not know, and requests that are not calls, without repeating their content', async () => {
      const node = await serving(await inMemory());
      const call = (name: string, text: string) =>
        send(node.url, { name, text, signature: signed({ path: `/internal/sandbox/${name}`, body: text }) });
      expect(await call('forget', '{}')).to.match(/^404 /);
      expect(await call('constructor', '{}')).to.match(/^404 /);
      for (const text of [
        '',
        '[]',
        `{"card":"${APPROVED}"}`,
        `${APPROVED}}`,
        JSON.stringify({ ...SENT, more: APPROVED }),
        'x'.repeat(1_000),
      ]) {
        const answer = await call('perform', text);
        expect(answer).to.match(/^422 .*RequestValidationError/);
        expect(answer).not.to.contain(APPROVED);
      }
      // before it knows who sends it
      expect(await send(node.url, { text: 'x'.repeat(17_000), signature: signed() })).to.match(/^413 /);
      const longest = JSON.stringify({
        ...SENT,
        paymentId: '\u0001'.repeat(255),
        processorToken: 'x'.repeat(2_048),
      });
      expect(await call('perform', longest)).to.match(/^200 /);
      expect(await send(node.url, { text: 'x'.repeat(200_000) })).to.match(/^401 /);
      expect((await fetch(`${node.url}${path}`)).status).to.equal(405);
      expect(node.logged).to.deep.equal([]);
    });

    it('and says so to a node with another secret: nothing is sent, and a token is not made', async () => {
      const node = await serving(await inMemory());
      const sandbox = remote(node.url, [Buffer.alloc(32, 8)]);
      expect(await sandbox.perform(REQUEST, callOf(never())))
        .to.include({ kind: 'not_sent' })
        .and.to.have.property('detail')
        .that.contains('secret of this node');
      expect(wordsOf(await thrown(tokenFor(sandbox, APPROVED)))).to.contain('secret of this node');
    });

    it('nothing of a node that has only one of its secrets: both rotate one after the other', async () => {
      const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      const node = await serving(await inMemory(), { keys: [newer, older] });
      await tokenFor(remote(node.url, [older]), APPROVED);
      await tokenFor(remote(node.url, [newer, older]), APPROVED);
    });
  });

  it('lets no card number into an error, a notice or a log', async () => {
    const node = await serving(await openClosed(world, reported));
    const urls = [
      node.url,
      await nobody(),
      await somethingElse(answering('200 OK', `{"number":"${APPROVED}"}`)),
      await somethingElse((socket) => socket.once('data', (data) => socket.end(data))),
    ];
    const faults: unknown[] = [];
    for (const url of urls) faults.push(await thrown(tokenFor(remote(url), APPROVED)));
    expect(faults).to.have.length(urls.length);
    expect([...faults, ...reported, ...node.logged].map(wordsOf).join()).not.to.contain(APPROVED);
  });
});

/** A sandbox that is closed already. */
async function openClosed(world: AdvancingWorld, reported: unknown[]): Promise<Sandbox> {
  const { openSandbox } = await import('../../../../src/processors/sandbox/sandbox.ts');
  const sandbox = await openSandbox({
    file: 'memory',
    world,
    secrets: [CALL_KEY],
    report: (fault) => void reported.push(fault),
  });
  await sandbox.close();
  return sandbox;
}

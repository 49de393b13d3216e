// A process that is stopped under load, and clients that hang up while their payment is under way.
import http from 'node:http';
import { expect } from 'chai';
import { SCOPES } from '../../src/domain/scopes.ts';
import { streamOf, typesOf } from '../races/arena.ts';
import { pause } from '../support/calm-world.ts';
import { Memory, randomFrom, Shopper } from '../support/load.ts';
import { authorized, createSession, ledgerOf, linesOf, ok, paymentIn, tokenize } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { serveNode } from '../support/load-node.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { lostOf } from './books.ts';
import { Gate } from './hooked-stores.ts';

describe('a process that is stopped under load', () => {
  const directory = new DataDirectory();
  after(() => directory.remove());

  it('answers every request that it began, exits with 0, and has no effect without an answer', async () => {
    const memory = new Memory();
    for (let round = 0; round < 2; round += 1) {
      const { serving, client } = await directory.serve();
      const over = new AbortController();
      // Without cards that hang, because a stop would wait 25 s for them.
      const shopping = Array.from({ length: 16 }, (_, index) =>
        new Shopper(`${round}-${index}`, memory, randomFrom(round * 100 + index), 'prompt').shop(client, over.signal),
      );
      await pause(300 + round * 100);
      await until(() => memory.writes >= (round + 1) * 50 || serving.process.exitCode !== null);
      const ended = await serving.end('SIGTERM');
      over.abort();
      await Promise.all(shopping);
      expect([ended.code, ...client.faults, ...errorsIn(ended.stderr)]).to.deep.equal([0]);
      client.close();

      const next = await directory.serve();
      expect(await lostOf(next.client, memory.acknowledged.values())).to.deep.equal([]);
      // A connection may have been closed just when a request was sent on it; the process never began that one.
      for (const write of memory.unanswered.splice(0)) {
        if (write.key === undefined) continue;
        const answer = await memory.send(next.client, write);
        expect(answer.headers['idempotent-replayed'], `${write.method} ${write.path}`).to.equal(undefined);
      }
      expect(memory.surprises).to.deep.equal([]);
      expect((await next.serving.end('SIGTERM')).code).to.equal(0);
    }
  });
});

describe('clients that hang up', () => {
  const send = (client: Client, headers: Readonly<Record<string, string>>, body: object): http.ClientRequest => {
    const text = JSON.stringify(body);
    const request = http.request(`${client.url}/payments`, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) },
    });
    request.on('error', () => undefined);
    request.end(text);
    return request;
  };

  it('while the processor works still have their payment, and get its answer by their key', async () => {
    const stores = await memoryStores();
    const gate = new Gate();
    const { sandbox } = stores;
    const slow = scripted(sandbox, {
      perform: async (request, call) => {
        await gate.pass();
        return sandbox.perform(request, call);
      },
    });
    const node = await nodeOn(stores, { processor: slow, cardTestingLimits: false });
    const account = await node.service.access.createAccount('Shop');
    const made = await node.service.access.createApiKey({
      accountId: account.kind === 'rejected' ? '' : account.id,
      name: 'n',
      scopes: SCOPES,
    });
    const key = made.kind === 'rejected' ? '' : made.key;
    const logged: string[] = [];
    const served = await serveNode(node, sandbox, logged);
    const client = new Client(served.url, key);
    try {
      const clientToken = await createSession(client);
      const paymentMethodToken = await tokenize(client, clientToken);
      const request = send(client, { 'X-Api-Key': key, 'X-Idempotency-Key': 'k' }, { clientToken, paymentMethodToken });
      await gate.reached;
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.destroy();
      await closed;
      const early = await client.call(
        'POST',
        '/payments',
        { clientToken, paymentMethodToken },
        { 'X-Idempotency-Key': 'k' },
      );
      expect(early.status).to.equal(409);
      gate.open();
      let paid = early;
      await until(async () => {
        paid = await client.call(
          'POST',
          '/payments',
          { clientToken, paymentMethodToken },
          { 'X-Idempotency-Key': 'k' },
        );
        return paid.status !== 409;
      });
      expect(paymentIn(ok(paid)).status).to.equal('AUTHORIZED');
      expect(paid.headers['idempotent-replayed']).to.equal('true');
      expect(linesOf(await ledgerOf(client), paymentIn(paid).id)).to.have.length(1);
      expect([...logged, ...client.faults, ...node.reported]).to.deep.equal([]);
    } finally {
      client.close();
      await served.close();
    }
  });

  it('at any moment leave whole payments', async () => {
    const directory = new DataDirectory();
    try {
      const { serving, client } = await directory.serve();
      await authorized(client);
      const tries = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const clientToken = await createSession(client);
          return { clientToken, paymentMethodToken: await tokenize(client, clientToken) };
        }),
      );
      const random = randomFrom(7);
      await Promise.all(
        tries.map(async (body, index) => {
          const request = send(client, { 'X-Api-Key': directory.key, 'X-Idempotency-Key': `k-${index}` }, body);
          await new Promise((resolve) => setTimeout(resolve, random() * 30));
          request.destroy();
        }),
      );
      const events = await directory.events();
      for (const [index, body] of tries.entries()) {
        const call = () => client.call('POST', '/payments', body, { 'X-Idempotency-Key': `k-${index}` });
        let paid = await call();
        await until(async () => {
          if (paid.status === 409) paid = await call();
          return paid.status !== 409;
        });
        const { id, status } = paymentIn(ok(paid));
        expect(status).to.equal('AUTHORIZED');
        expect(typesOf(await streamOf(events, `payment-${id}`))).to.deep.equal({
          PaymentCreated: 1,
          AuthorizationRequested: 1,
          PaymentAuthorized: 1,
        });
      }
      await events.close();
      expect([...client.faults, ...errorsIn(serving.stderr())]).to.deep.equal([]);
    } finally {
      await directory.remove();
    }
  });
});

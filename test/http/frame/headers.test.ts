// The headers of requests and answers (contract §§1, 6, 7).
import { expect } from 'chai';
import { errorOf, JSON_TYPE, KEY, type Served, serve } from './serve.ts';

describe('headers', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());
  const post = (headers: Record<string, string | string[]>, body = '') =>
    served.ask({ method: 'POST', path: '/things', headers: { ...KEY, ...JSON_TYPE, ...headers }, body });

  it('X-Request-Id is echoed, and reaches the operation', async () => {
    const answer = await post({ 'x-request-id': 'Order_7.retry-1' });
    expect(answer.headers['x-request-id']).to.equal('Order_7.retry-1');
    expect(served.calls.at(-1)?.caller.requestId).to.equal('Order_7.retry-1');
  });

  it('X-Request-Id is replaced when it holds a card number', async () => {
    for (const id of ['4242424242424242', 'order-4242-4242-4242-4242', 'PAN5555555555554444_', '3782.822463.10005']) {
      const answer = await post({ 'x-request-id': id });
      expect(answer.headers['x-request-id']).to.match(/^req_[0-9a-f]+$/);
    }
  });

  it('X-Request-Id is replaced when it is not well formed, and made when it is absent: never the same twice', async () => {
    const ids = new Set<unknown>();
    for (const id of ['', 'with space', 'x'.repeat(129), 'ü', undefined]) {
      const answer = await post(id === undefined ? {} : { 'x-request-id': id });
      expect(answer.headers['x-request-id']).to.match(/^req_[0-9a-f]+$/);
      ids.add(answer.headers['x-request-id']);
    }
    expect(ids.size).to.equal(5);
  });

  it('X-Api-Version is 1.0 or absent', async () => {
    expect((await post({ 'x-api-version': '1.0' })).status).to.equal(200);
    for (const version of ['1', '2.0', '', '1.0, 1.0']) {
      const answer = await post({ 'x-api-version': version });
      expect([answer.status, errorOf(answer).errorId]).to.deep.equal([400, 'UnsupportedApiVersion']);
    }
  });

  it('ETag is the revision in quotes', async () => {
    const answer = await served.ask({
      method: 'PATCH',
      path: '/things/thing_1',
      headers: { ...KEY, ...JSON_TYPE },
      body: '{"name":"a"}',
    });
    expect(answer.headers.etag).to.equal('"7"');
  });

  it('answers may not be sniffed or cached', async () => {
    expect((await post({})).headers).to.include({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('HEAD is GET without the body', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => served.ask({ method, path: '/things', headers: KEY })),
    );
    expect([head?.status, head?.text, head?.headers['content-length']]).to.deep.equal([
      200,
      '',
      get?.headers['content-length'],
    ]);
  });

  describe('X-Idempotency-Key', () => {
    it('and its alias name the key, quotes stripped', async () => {
      for (const headers of [
        { 'x-idempotency-key': 'k-1' },
        { 'idempotency-key': 'k-1' },
        { 'idempotency-key': '"k-1"' },
        { 'x-idempotency-key': 'k-1', 'idempotency-key': '"k-1"' },
      ]) {
        await post(headers);
        expect(served.calls.at(-1)?.caller.idempotency?.key).to.equal('k-1');
      }
    });

    it('sent twice with different values is a conflict', async () => {
      for (const headers of [
        { 'x-idempotency-key': 'a', 'idempotency-key': 'b' },
        { 'x-idempotency-key': ['a', 'b'] },
      ]) {
        const answer = await post(headers);
        expect([answer.status, errorOf(answer).errorId]).to.deep.equal([400, 'ConflictingIdempotencyKeys']);
      }
      expect((await post({ 'x-idempotency-key': ['a', 'a'] })).status).to.equal(200);
      await post({ 'x-idempotency-key': 'a, b' });
      expect(served.calls.at(-1)?.caller.idempotency?.key).to.equal('a, b');
    });

    it('has 1 to 255 characters', async () => {
      expect((await post({ 'x-idempotency-key': 'x'.repeat(255) })).status).to.equal(200);
      for (const headers of [
        { 'x-idempotency-key': '' },
        { 'idempotency-key': '""' },
        { 'x-idempotency-key': 'x'.repeat(256) },
      ]) {
        const answer = await post(headers);
        expect([answer.status, errorOf(answer).errorId]).to.deep.equal([400, 'ConflictingIdempotencyKeys']);
        expect(errorOf(answer).description).to.contain('1 to 255 characters');
      }
    });

    it('is ignored on GET', async () => {
      const answer = await served.ask({
        path: '/things',
        headers: { ...KEY, 'x-idempotency-key': 'a', 'idempotency-key': 'b' },
      });
      expect(answer.status).to.equal(200);
    });

    it('goes with the method, the path and the raw body; a route may choose the part of the body that counts', async () => {
      await post({ 'x-idempotency-key': 'k' }, '{ }');
      expect(served.calls.at(-1)?.caller.idempotency?.request).to.equal('POST\n/things\n{ }');
      const headers = { 'x-client-token': 'token', 'x-idempotency-key': 'k', ...JSON_TYPE };
      await served.ask({ method: 'POST', path: '/checkout/things', headers, body: '{"number":"4"}' });
      expect(served.calls.at(-1)?.caller.idempotency?.request).to.equal('POST\n/checkout/things\nwithout number');
    });
  });

  describe('If-Match', () => {
    const cases: readonly (readonly [string, unknown])[] = [
      ['"3"', [3]],
      ['"3", "5"', [3, 5]],
      ['*', 'any'],
      ['"1", *', 'any'],
      ['W/"3"', []],
      ['W/"3", "4"', [4]],
      ['3', []],
      ['"x"', []],
      ['"03"', []],
    ];
    for (const [header, meant] of cases) {
      it(`${header} means ${JSON.stringify(meant)}`, async () => {
        await post({ 'if-match': header });
        expect(served.calls.at(-1)?.ifMatch).to.deep.equal(meant);
      });
    }
    it('has no meaning when it is absent', async () => {
      await post({});
      expect(served.calls.at(-1)?.ifMatch).to.equal(undefined);
    });
  });

  it('callers are known by their credentials', async () => {
    await post({});
    expect(served.calls.at(-1)?.caller).to.deep.include({
      accountId: 'acc_1',
      actor: { kind: 'apiKey', id: 'key_all' },
      address: '127.0.0.1',
    });
    await served.ask({ method: 'POST', path: '/checkout/things', headers: { 'x-client-token': 'token' } });
    expect(served.calls.at(-1)?.caller).to.deep.include({
      accountId: 'acc_1',
      actor: { kind: 'checkout', id: 'cs_1' },
      sessionId: 'cs_1',
    });
  });
});

describe('the rate limit', () => {
  it('counts each key for itself and tells callers to pace themselves', async () => {
    const served = await serve({ requestsPerSecond: 2 });
    try {
      const answers = [];
      for (let index = 0; index < 3; index += 1) answers.push(await served.ask({ path: '/things', headers: KEY }));
      const [first, , third] = answers;
      expect(first?.headers).to.include({ 'ratelimit-policy': '"default";q=2;w=1', ratelimit: '"default";r=1;t=1' });
      expect(third?.status).to.equal(429);
      expect(third?.headers).to.include({
        'retry-after': '1',
        ratelimit: '"default";r=0;t=1',
        'ratelimit-policy': '"default";q=2;w=1',
      });
      const other = await served.ask({
        method: 'POST',
        path: '/checkout/things',
        headers: { 'x-client-token': 'token' },
      });
      expect(other.status).to.equal(200);
      expect((await served.ask({ path: '/health/live' })).headers).not.to.have.property('ratelimit');
    } finally {
      await served.close();
    }
  });

  it('is off when it is 0', async () => {
    const served = await serve({ requestsPerSecond: 0 });
    try {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => served.ask({ path: '/things', headers: KEY })),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 200));
      expect(answers[0]?.headers).not.to.have.property('ratelimit');
    } finally {
      await served.close();
    }
  });
});

describe('the request log', () => {
  for (const level of ['debug', 'info'] as const) {
    it(`has one line a request at ${level}, without queries and identifiers of the path`, async () => {
      const served = await serve({ level });
      try {
        await served.ask({
          method: 'PATCH',
          path: '/things/thing_secret?clientToken=x',
          headers: { ...KEY, 'x-request-id': 'r-1' },
        });
        expect(served.logged).to.have.length(1);
        expect(served.logged[0]?.entry).to.include({
          requestId: 'r-1',
          method: 'PATCH',
          route: '/things/:id',
          status: 422,
        });
        expect(JSON.stringify(served.logged)).not.to.contain('secret').and.not.to.contain('clientToken');
      } finally {
        await served.close();
      }
    });
  }

  it('is silent where it is not', async () => {
    const served = await serve();
    try {
      await served.ask({ path: '/things', headers: KEY });
      expect(served.logged).to.deep.equal([]);
    } finally {
      await served.close();
    }
  });
});

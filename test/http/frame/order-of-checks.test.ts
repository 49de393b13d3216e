// Contract §1: the order of checks. Each request has two faults that are neighbours in the order, and the first one
// answers.
import { expect } from 'chai';
import { type Answered, errorOf, JSON_TYPE, KEY, type Served, serve } from './serve.ts';

const LARGE = 'x'.repeat(257 * 1024);

describe('the order of checks', () => {
  let served: Served;
  before(async () => {
    served = await serve({ requestsPerSecond: 1 });
  });
  after(() => served.close());

  const expectError = (answer: Answered, status: number, errorId: string): void => {
    expect(answer.status).to.equal(status);
    expect(errorOf(answer).errorId).to.equal(errorId);
  };

  it('knows the route before the headers', async () => {
    expectError(await served.ask({ path: '/nowhere', headers: { 'x-api-version': '2.0' } }), 404, 'NotFound');
    expectError(
      await served.ask({ method: 'DELETE', path: '/things', headers: { 'x-api-version': '2.0' } }),
      405,
      'MethodNotAllowed',
    );
  });

  it('reads the headers before it asks who calls', async () => {
    expectError(
      await served.ask({ path: '/things', headers: { 'x-api-version': '2.0' } }),
      400,
      'UnsupportedApiVersion',
    );
    const both = { 'x-idempotency-key': 'a', 'idempotency-key': 'b' };
    expectError(
      await served.ask({ method: 'POST', path: '/things', headers: both }),
      400,
      'ConflictingIdempotencyKeys',
    );
    for (const key of ['', 'x'.repeat(256)]) {
      expectError(
        await served.ask({ method: 'POST', path: '/things', headers: { 'x-idempotency-key': key } }),
        400,
        'ConflictingIdempotencyKeys',
      );
    }
    const credentials = { 'x-api-key': 'wrong', 'x-client-token': 'wrong' };
    expectError(
      await served.ask({ method: 'POST', path: '/checkout/things', headers: credentials }),
      400,
      'ConflictingCredentials',
    );
  });

  it('asks who calls before it asks for the scope', async () => {
    expectError(await served.ask({ path: '/things' }), 401, 'Unauthorized');
  });

  it('asks for the scope before it counts the request', async () => {
    for (let index = 0; index < 3; index += 1) {
      expectError(await served.ask({ path: '/things', headers: { 'x-api-key': 'none' } }), 403, 'InsufficientScope');
    }
  });

  it('counts the request before it looks at the body', async () => {
    await served.ask({ path: '/things', headers: KEY });
    expectError(
      await served.ask({
        method: 'POST',
        path: '/things',
        headers: { ...KEY, 'content-type': 'text/plain' },
        body: LARGE,
      }),
      429,
      'TooManyRequests',
    );
  });
});

describe('the order of checks on the body', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());
  const patch = (headers: Record<string, string>, body: string | Buffer, path = '/things/thing_1'): Promise<Answered> =>
    served.ask({ method: 'PATCH', path, headers: { ...KEY, ...headers }, body });

  it('measures it before it looks at its type', async () => {
    const answer = await patch({ 'content-type': 'text/plain' }, LARGE);
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([413, 'PayloadTooLarge']);
  });

  it('looks at its type before it parses', async () => {
    const answer = await patch({ 'content-type': 'text/plain' }, '{');
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([415, 'UnsupportedMediaType']);
  });

  it('parses before it asks the schema', async () => {
    const answer = await patch(JSON_TYPE, '{');
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([400, 'MalformedJson']);
  });

  it('asks the schema before it looks for the resource', async () => {
    const answer = await patch(JSON_TYPE, '{}', '/things/no-id-of-a-thing');
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([422, 'RequestValidationError']);
    const missing = await patch(JSON_TYPE, '{"name":"a"}', '/things/no-id-of-a-thing');
    expect([missing.status, errorOf(missing).errorId]).to.deep.equal([404, 'NotFound']);
  });
});

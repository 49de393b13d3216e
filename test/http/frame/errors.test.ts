// Contract §7: one shape of errors, from every part that finds a fault.
import net from 'node:net';
import { expect } from 'chai';
import { BrokenStream } from '../../../src/stores/broken-stream.ts';
import { StoreBusy, StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { errorOf, JSON_TYPE, KEY, type Served, serve } from './serve.ts';

describe('errors of the frame', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());

  it('are JSON, with the request id as diagnosticsId, and nothing to cache', async () => {
    const answer = await served.ask({ path: '/nowhere', headers: { 'x-request-id': 'mine-1' } });
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(answer.body).to.deep.equal({
      error: { errorId: 'NotFound', description: 'There is no such resource.', diagnosticsId: 'mine-1' },
    });
  });

  it('have a body for every method but HEAD', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const answer = await served.ask({ method, path: '/nowhere' });
      expect([method, answer.status, errorOf(answer).errorId]).to.deep.equal([method, 404, 'NotFound']);
    }
    const head = await served.ask({ method: 'HEAD', path: '/nowhere' });
    expect([head.status, head.text, head.headers['content-type']]).to.deep.equal([
      404,
      '',
      'application/json; charset=utf-8',
    ]);
  });

  it('name the methods that a path has', async () => {
    const answer = await served.ask({ method: 'DELETE', path: '/things' });
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([405, 'MethodNotAllowed']);
    expect(answer.headers.allow?.split(', ')).to.have.members(['GET', 'HEAD', 'POST']);
    const options = await served.ask({ method: 'OPTIONS', path: '/things' });
    expect([options.status, errorOf(options).errorId]).to.deep.equal([405, 'MethodNotAllowed']);
  });

  it('take a path as it is written', async () => {
    for (const path of ['/Things', '/things/', '//things', '/things/thing_1/more', '*', '/%', '/things/%E0%A4%A']) {
      const answer = await served.ask({ path, headers: KEY });
      expect([path, answer.status]).to.deep.equal([path, path === '/things/%E0%A4%A' ? 405 : 404]);
      errorOf(answer);
    }
  });

  it('answer a request target that is no URL, and one without a path', async () => {
    for (const target of ['http://[', 'other://host?page=1']) {
      const text = await served.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(text, target)
        .to.match(/^HTTP\/1\.1 404 /)
        .and.to.contain('"errorId":"NotFound"');
    }
  });

  it('answer bytes that are not HTTP', async () => {
    const text = await served.raw('this is not http\r\n\r\n');
    expect(text)
      .to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
      .and.to.contain('Content-Type: application/json');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(JSON.parse(body).error).to.include({ errorId: 'MalformedJson', diagnosticsId: 'req_parser' });
    expect(head).to.contain(`Content-Length: ${body.length}`);
  });

  it('answer headers without end', async () => {
    const text = await served.raw(`GET /things HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(text)
      .to.match(/^HTTP\/1\.1 413 /)
      .and.to.contain('"errorId":"PayloadTooLarge"');
  });

  it('answer expectations that cannot be met', async () => {
    const text = await served.raw('POST /things HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n');
    expect(text)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.contain('"diagnosticsId":"req_parser"');
  });

  it('are not sent to a caller that hangs up in the middle of a body, and the server goes on', async () => {
    await new Promise<void>((gone) => {
      const socket = net.connect(served.port, '127.0.0.1', () => {
        socket.write(
          'PATCH /things/thing_1 HTTP/1.1\r\nHost: x\r\nX-Api-Key: all\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
          () => socket.destroy(),
        );
      });
      socket.on('close', () => gone());
    });
    expect((await served.ask({ path: '/health/live' })).status).to.equal(200);
    expect(served.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('say 401 with one and the same body for every fault of a key', async () => {
    const bodies = await Promise.all(
      [
        {},
        { 'x-api-key': '' },
        { 'x-api-key': 'unknown' },
        { 'x-api-key': ['all', 'all'] },
        { 'x-client-token': 'token' },
      ].map(async (headers) => {
        const answer = await served.ask({ path: '/things', headers: { ...headers, 'x-request-id': 'same' } });
        expect(answer.status).to.equal(401);
        return answer.text;
      }),
    );
    expect(new Set(bodies).size).to.equal(1);
  });

  it('say 401 for a missing or bad client token, which an API key does not replace', async () => {
    for (const headers of [{}, { 'x-client-token': 'bad' }, KEY]) {
      const answer = await served.ask({ method: 'POST', path: '/checkout/things', headers });
      expect([answer.status, errorOf(answer).errorId]).to.deep.equal([401, 'Unauthorized']);
    }
  });

  it('name the scope that is missing', async () => {
    const answer = await served.ask({ path: '/things', headers: { 'x-api-key': 'none' } });
    expect(errorOf(answer)).to.include({
      errorId: 'InsufficientScope',
      description: 'The API key lacks the scope transactions:retrieve.',
    });
  });
});

describe('faults below the frame', () => {
  const answerTo = async (thrown: unknown) => {
    const served = await serve({ thrown });
    try {
      const answer = await served.ask({
        method: 'POST',
        path: '/things',
        headers: { ...KEY, ...JSON_TYPE },
        body: '{}',
      });
      return { answer, errors: served.logged.filter(({ level }) => level === 'error') };
    } finally {
      await served.close();
    }
  };

  it('are 500 without internal detail, and in the log with the id of the caller', async () => {
    const { answer, errors } = await answerTo(new Error('secret detail'));
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([500, 'InternalError']);
    expect(answer.text).not.to.contain('secret');
    expect(errors).to.have.length(1);
    expect(errors[0]?.entry).to.include({ requestId: errorOf(answer).diagnosticsId, route: '/things' });
  });

  it('are 500 also when no Error was thrown', async () => {
    const { answer } = await answerTo('a string');
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([500, 'InternalError']);
  });

  it('are 503 with Retry-After when a store is unavailable', async () => {
    const { answer } = await answerTo(new StoreUnavailable('down'));
    expect([answer.status, errorOf(answer).errorId, answer.headers['retry-after']]).to.deep.equal([
      503,
      'ServiceUnavailable',
      '1',
    ]);
    expect(errorOf(answer).description).to.contain('Nothing was changed');
  });

  it('are 503 with Retry-After, and name no unavailable store, when the store has no room for one more call', async () => {
    const { answer } = await answerTo(new StoreBusy('full'));
    expect([answer.status, errorOf(answer).errorId, answer.headers['retry-after']]).to.deep.equal([
      503,
      'ServiceUnavailable',
      '1',
    ]);
    expect(errorOf(answer).description).to.contain('at once').and.not.to.contain('away');
  });

  it('say so when the outcome of an append is not known', async () => {
    const { answer } = await answerTo(new StoreUnavailable('down', { outcomeUnknown: true }));
    expect(answer.status).to.equal(503);
    expect(errorOf(answer).description).to.contain('not known');
  });

  it('leave one line a second in the log while a store is unavailable, and one for each unknown outcome', async () => {
    for (const [outcomeUnknown, lines] of [
      [false, 1],
      [true, 20],
    ] as const) {
      const served = await serve({ thrown: new StoreUnavailable('down', { outcomeUnknown }) });
      try {
        const asked = { method: 'POST', path: '/things', headers: { ...KEY, ...JSON_TYPE }, body: '{}' };
        const answers = await Promise.all(Array.from({ length: 20 }, () => served.ask(asked)));
        expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 503));
        const errors = served.logged.filter(({ level }) => level === 'error');
        expect(errors.length).to.be.within(lines, lines + 2); // a slow machine may take seconds
        expect(errors[0]?.entry).to.include({ route: '/things', reason: 'down' });
      } finally {
        await served.close();
      }
    }
  });

  it('are 503 when this node cannot read a stored event', async () => {
    const { answer } = await answerTo(
      new BrokenStream({ stream: 'payment-1', revision: 3, position: 9n, type: 'Paid' }, 'it is not JSON'),
    );
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([503, 'ServiceUnavailable']);
  });
});

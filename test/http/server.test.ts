// The HTTP server itself: how long it waits for whom, and requests without a Host.
import { expect } from 'chai';
import { createHttpServer, MAX_CONNECTIONS } from '../../src/http/server.ts';
import { type Served, serve } from './frame/serve.ts';

describe('the HTTP server', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());

  it('answers a request of HTTP/1.1 without a Host in the one shape of errors, and closes', async () => {
    const text = await served.raw('GET /things HTTP/1.1\r\nX-Api-Key: all\r\n\r\n');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head)
      .to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
      .and.to.contain('Content-Type: application/json')
      .and.to.contain('Connection: close');
    expect(JSON.parse(body).error).to.deep.include({
      errorId: 'MalformedJson',
      description: 'HTTP/1.1 requires the Host header.',
      diagnosticsId: 'req_parser',
    });
    expect(served.calls).to.deep.equal([]);
  });

  it('asks for a Host neither of HTTP/1.0 nor of a request that names an empty one', async () => {
    expect(await served.raw('GET /health/live HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
    expect(await served.raw('GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
  });

  it('waits for headers and bodies with an end, and holds so many connections', () => {
    const server = createHttpServer(
      () => undefined,
      () => 'req_1',
    );
    expect([server.headersTimeout, server.requestTimeout, server.maxConnections]).to.deep.equal([10_000, 30_000, MAX_CONNECTIONS]);
    expect(server.keepAliveTimeout).to.equal(65_000);
  });
});

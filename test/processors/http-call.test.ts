// A connector's call over real sockets: `not_sent` only if the server provably saw nothing, and never a second request.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import {
  type HttpAnswer,
  type HttpCall,
  type HttpCaller,
  type HttpCallerOptions,
  httpCaller,
} from '../../src/processors/http-call.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { answer, type MisbehavingServer, misbehavingServer } from './misbehaving-server.ts';

const SECRET = 'a-secret-that-no-detail-repeats';
const CHARGE: HttpCall = { method: 'POST', path: '/charges', headers: { Authorization: SECRET }, body: '{"amount":1}' };
const never = (): AbortSignal => new AbortController().signal;
const words = (ended: HttpAnswer): string => (ended.kind === 'answered' ? `${ended.status} ${ended.body}` : ended.kind);

describe('an HTTP call of a connector', () => {
  let server: MisbehavingServer;
  let callers: HttpCaller[];
  beforeEach(async () => {
    server = await misbehavingServer();
    callers = [];
  });
  afterEach(async () => {
    for (const caller of callers) caller.close();
    await server.close();
  });
  const open = (options: Partial<HttpCallerOptions> = {}): HttpCaller => {
    const caller = httpCaller({ base: server.url, world: calmWorld, ...options });
    callers.push(caller);
    return caller;
  };
  const call = (options: Partial<HttpCallerOptions> = {}, signal = never()): Promise<HttpAnswer> =>
    open(options).call(CHARGE, signal);

  it('answers with status, headers and body, and sends its request once', async () => {
    server.meet((socket) => socket.write(answer(201, '{"id":"ch_1"}', ['Request-Id: req_1'])));
    const ended = await call();
    expect(ended).to.deep.include({ kind: 'answered', status: 201, body: '{"id":"ch_1"}' });
    expect(ended).to.have.nested.property('headers.request-id', 'req_1');
    expect(server.requests).to.have.length(1);
    expect(server.requests[0]).to.deep.include({ line: 'POST /charges HTTP/1.1', body: '{"amount":1}' });
    expect(server.requests[0]?.headers).to.include({ authorization: SECRET });
  });

  it('leaves every status to its connector, and follows no redirection', async () => {
    for (const status of [301, 307, 409, 429, 500, 503]) {
      server.meet((socket) => socket.write(answer(status, '', [`Location: ${server.url}/elsewhere`])));
      expect(words(await call())).to.equal(`${status} `);
    }
    expect(server.requests).to.have.length(6);
  });

  describe('is not sent', () => {
    const unsent = async (ended: HttpAnswer, detail: RegExp): Promise<void> => {
      expect(ended.kind).to.equal('not_sent');
      expect(ended).to.have.property('detail').that.matches(detail).and.does.not.contain(SECRET);
      expect(server.requests).to.deep.equal([]);
    };

    it('where no server listens, and where the name has no address', async () => {
      const gone = await misbehavingServer();
      await gone.close();
      await unsent(await call({ base: gone.url }), /ECONNREFUSED/);
      await unsent(await call({ base: 'http://nowhere.invalid' }), /getaddrinfo/);
    });

    it('where TLS is refused, or not agreed on in time', async () => {
      const secure = server.url.replace('http:', 'https:');
      const rude = createServer((socket) => socket.on('error', () => undefined).end('this is no TLS'));
      rude.listen(0, '127.0.0.1');
      await once(rude, 'listening');
      const address = rude.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      await unsent(await call({ base: `https://127.0.0.1:${port}` }), /./);
      rude.close();
      await unsent(await call({ base: secure, connectWithinMs: 50 }), /no connection within 50 ms/);
    });

    it('where the deadline had passed, or came before the connection', async () => {
      await unsent(await call({}, AbortSignal.abort()), /deadline/);
      await unsent(await call({ base: server.url.replace('http:', 'https:') }, AbortSignal.timeout(50)), /deadline/);
    });

    it('if it got none of the connections within its time', async () => {
      server.meet(() => undefined);
      const caller = open({ maxConnections: 1 });
      const over = new AbortController();
      const hanging = caller.call(CHARGE, over.signal);
      await until(() => server.requests.length === 1);
      expect((await caller.call(CHARGE, AbortSignal.timeout(50))).kind).to.equal('not_sent');
      over.abort();
      expect((await hanging).kind).to.equal('lost');
      expect(server.requests).to.have.length(1);
    });
  });

  describe('is lost', () => {
    const lost = async (ended: HttpAnswer): Promise<void> => {
      expect(ended.kind).to.equal('lost');
      expect(ended).to.have.property('detail').that.does.not.contain(SECRET);
      expect(server.requests).to.have.length(1); // and it is not repeated
    };

    it('where the connection is reset after the request', async () => {
      server.meet((socket) => socket.resetAndDestroy());
      await lost(await call());
    });

    it('where no answer comes before the deadline, and where one comes later', async () => {
      // Only a deadline after the request has come makes the call lost: a connection may take its time.
      const deadline = new AbortController();
      const met: Socket[] = [];
      server.meet((socket) => {
        met.push(socket);
        deadline.abort();
      });
      await lost(await call({}, deadline.signal));
      for (const socket of met) socket.write(answer(200, '{}'));
    });

    it('where the answer breaks off, by its length and in chunks', async () => {
      server.meet((socket) => socket.end(answer(200, '{"status":"succeeded"}').slice(0, -5)));
      await lost(await call());
      server.meet((socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"sta\r\n'));
      expect((await call()).kind).to.equal('lost');
    });

    it('where the answer is larger than it may be, or no HTTP', async () => {
      server.meet((socket) => socket.write(answer(200, 'x'.repeat(2_000))));
      await lost(await call({ maxAnswerBytes: 1_999 }));
      expect(words(await call({ maxAnswerBytes: 2_000 }))).to.have.length(2_004);
      server.meet((socket) => socket.end('SMTP ready\r\n\r\n'));
      expect((await call()).kind).to.equal('lost');
    });

    it('where it waited for the connection of another call and that then breaks', async () => {
      server.meet((socket, { line }) => (line.includes('/first') ? socket.write(answer(200, '{}')) : socket.destroy()));
      const caller = open({ maxConnections: 1 });
      const both = ['/first', '/second'].map((path) => caller.call({ ...CHARGE, path }, never()));
      expect((await Promise.all(both)).map(({ kind }) => kind)).to.deep.equal(['answered', 'lost']);
      expect(server.requests).to.have.length(2);
      expect(server.connections).to.equal(1);
    });
  });

  describe('over a kept connection', () => {
    it('uses it again', async () => {
      const caller = open();
      for (let made = 0; made < 3; made += 1) expect(words(await caller.call(CHARGE, never()))).to.equal('200 {}');
      expect([server.requests.length, server.connections]).to.deep.equal([3, 1]);
    });

    it('that the server has closed meanwhile goes over another one, because nothing was written', async () => {
      const caller = open();
      for (let made = 1; made <= 20; made += 1) {
        expect(words(await caller.call(CHARGE, never()))).to.equal('200 {}');
        await server.hangUp(); // its end has been sent, and no event has told the caller of it
        expect(words(await caller.call(CHARGE, never())), `call ${made}`).to.equal('200 {}');
      }
      expect(server.requests).to.have.length(40);
    });
  });
});

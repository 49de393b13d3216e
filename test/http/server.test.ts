// The HTTP server itself: how long it waits for clients, how much it holds for one of them, and requests without a
// Host.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, Socket } from 'node:net';
import { expect } from 'chai';
import {
  boundConnections,
  createHttpServer,
  defaultLimits,
  MAX_CONNECTIONS,
  MAX_REQUESTS_AHEAD,
  MAX_UNFINISHED_ANSWERS,
} from '../../src/http/server.ts';
import { until } from '../support/until.ts';
import { portOf, type Served, serve } from './frame/serve.ts';

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
    expect(await served.raw('GET /health/live HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 200 /,
    );
  });

  it('waits for headers and bodies with an end, and holds so many connections', () => {
    const server = createHttpServer(
      () => undefined,
      () => 'req_1',
    );
    expect([server.headersTimeout, server.requestTimeout, server.maxConnections]).to.deep.equal([
      10_000,
      30_000,
      MAX_CONNECTIONS,
    ]);
    expect([server.keepAliveTimeout, server.timeout]).to.deep.equal([65_000, 15_000]);
  });
});

describe('a server that is handed its connections', () => {
  it('takes none back, which full workers would hand round without end: it closes those over its limit, and reports them', async () => {
    const server = createHttpServer(
      (_, response) => response.end(),
      () => 'req_1',
      defaultLimits,
      { isHanded: true },
    );
    expect(server.maxConnections).to.equal(undefined);
    boundConnections(server, { most: 2, keepAliveMs: 65_000, isAnswering: () => false, trustedProxies: [] });
    let dropped = 0;
    server.on('drop', () => {
      dropped += 1;
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const dial = async (): Promise<Socket> => {
      const socket = connect(portOf(server), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const held = [await dial(), await dial()];
    await once(await dial(), 'close');
    expect(dropped).to.equal(1);
    held[0]?.destroy();
    await until(async () => {
      const socket = await dial();
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const [bytes]: unknown[] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return String(bytes).startsWith('HTTP/1.1 200');
    });
    held[1]?.destroy();
    server.close();
  });
});

describe('the connections of a server', () => {
  const PROXIES = '198.51.100.0/24';
  let server: Server;
  let busy: Set<Socket>;
  let dropped: number;
  beforeEach(() => {
    server = createServer();
    busy = new Set();
    dropped = 0;
    const isAnswering = (socket: Socket): boolean => busy.has(socket);
    boundConnections(server, { most: 20, keepAliveMs: 65_000, isAnswering, trustedProxies: [PROXIES] });
    server.on('drop', () => {
      dropped += 1;
    });
  });
  /** A connection from the address, as the server gets it. */
  const from = (address: string): Socket => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: address });
    server.emit('connection', socket);
    return socket;
  };
  const openOf = (sockets: readonly Socket[]): readonly boolean[] => sockets.map(({ destroyed }) => !destroyed);

  it('are a tenth for one network, until one of them closes, and as many as there are for trusted proxies', async () => {
    const sockets = [
      '192.0.2.1',
      '::ffff:192.0.2.2',
      '192.0.2.3',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8:0:ff::3',
    ].map(from);
    expect(openOf(sockets)).to.deep.equal([true, true, false, true, true, false]);
    expect(dropped).to.equal(2);
    for (const socket of sockets.slice(0, 1)) {
      socket.destroy();
      await once(socket, 'close');
    }
    expect(from('192.0.2.4').destroyed).to.equal(false);
    expect(
      openOf(['198.51.100.1', '198.51.100.1', '198.51.100.1', '127.0.0.1', '127.0.0.1', '::1'].map(from)),
    ).to.deep.equal(Array.from({ length: 6 }, () => true));
  });

  it('make room near the bound: the oldest without a request begun is closed, and idle ones are kept for seconds', () => {
    const proxy = from('198.51.100.1');
    const first = from('203.0.113.1');
    busy.add(first);
    const others = Array.from({ length: 16 }, (_, place) => from(`10.0.${place}.1`));
    expect([server.keepAliveTimeout, ...openOf(others)]).to.deep.equal([65_000, ...others.map(() => true)]);
    expect(from('10.1.0.1').destroyed).to.equal(false);
    expect(openOf([proxy, first, ...others.slice(0, 2)])).to.deep.equal([true, true, false, true]);
    expect(server.keepAliveTimeout).to.equal(5_000);
    expect(dropped).to.equal(0);
  });

  it('are closed at once beyond the bound, where all others have a request', () => {
    const all = Array.from({ length: 20 }, (_, place) => from(`10.0.${place}.1`));
    expect(openOf(all).filter((isOpen) => isOpen)).to.have.length(18);
    server.prependListener('connection', (socket: Socket) => busy.add(socket));
    for (const socket of all) busy.add(socket);
    const later = Array.from({ length: 3 }, (_, place) => from(`10.1.${place}.1`));
    expect([openOf(later), dropped]).to.deep.equal([[true, true, false], 1]);
  });
});

describe('a client of the HTTP server', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const LARGE = Buffer.alloc(16 * 1024 * 1024, 'a');
  /** Only in the tests of these limits: otherwise a process that pauses for 200 ms breaks a promise. */
  const short = { ...defaultLimits, headersMs: 200, checkEveryMs: 50 };
  const still = { ...defaultLimits, stillMs: 300 };
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });

  async function served(
    listener: RequestListener,
    limits = defaultLimits,
  ): Promise<{ readonly server: Server; readonly dial: () => Promise<Socket> }> {
    const server = createHttpServer(listener, () => 'req_1', limits);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    open.push(server);
    /** A client that keeps its own half open, whatever the server does. */
    const dial = async (): Promise<Socket> => {
      const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      open.push({ close: () => socket.destroy() });
      await once(socket, 'connect');
      return socket;
    };
    return { server, dial };
  }

  const heldBy = (server: Server): Promise<number> =>
    new Promise((resolve, reject) => server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count))));

  const untilNoneIsHeld = (server: Server): Promise<void> => until(async () => (await heldBy(server)) === 0);

  it('without a request is closed without an answer, as browsers connect ahead; with half a one it is refused', async () => {
    const { server, dial } = await served(() => undefined, short);
    const [silent, slow] = [await dial(), await dial()];
    const ended = once(silent.resume(), 'end');
    slow.write('POST / HTTP/1.1\r\nHost: a\r\n');
    const answer = await firstBytes(slow);
    await Promise.all([ended, untilNoneIsHeld(server)]);
    expect(silent.bytesRead).to.equal(0);
    expect(answer).to.contain('400 Bad Request').and.to.contain('did not arrive in time');
  });

  it('that does not read its answer is closed after a while without traffic', async () => {
    const { server, dial } = await served((_, response) => void response.end(LARGE), still);
    const deaf = await dial();
    deaf.pause();
    deaf.write(REQUEST);
    await once(server, 'request');
    await untilNoneIsHeld(server);
  });

  it('has the requests that it sent together begun together', async () => {
    let runs = 0;
    const begun: number[] = [];
    const { dial } = await served((_, response) => {
      if (begun.at(-1) !== runs) queueMicrotask(() => (runs += 1)); // after the run that this request is begun in
      begun.push(runs);
      response.end();
    });
    const hasty = await dial();
    hasty.write(REQUEST.repeat(3));
    await firstBytes(hasty);
    await until(() => begun.length === 3);
    expect(begun).to.deep.equal([0, 0, 0]);
  });

  it('that is gone before its request is begun has nothing done for it', async () => {
    const begun: string[] = [];
    const { server, dial } = await served(({ url = '' }, response) => {
      begun.push(url);
      response.end('done');
    });
    server.prependListener('request', ({ url, socket }) => {
      if (url === '/gone') socket.destroy();
    });
    (await dial()).write(REQUEST.replace('/', '/gone'));
    await once(server, 'request');
    const stayed = await dial();
    stayed.write(REQUEST);
    expect(await firstBytes(stayed)).to.contain('200 OK');
    expect(begun).to.deep.equal(['/']);
  });

  it('that waits for a slow answer is not let go', async () => {
    let answer = (): void => undefined;
    const { dial } = await served((_, response) => {
      answer = () => void response.end('late');
    }, still);
    const patient = await dial();
    patient.write(REQUEST);
    const answered = firstBytes(patient);
    await new Promise((resolve) => setTimeout(resolve, 4 * still.stillMs));
    answer();
    expect(await answered).to.contain('late');
  });

  it('that sends many requests ahead of their answers gets those of the first, then a refusal, and is closed', async () => {
    const waiting: (() => void)[] = [];
    const { dial } = await served((_, response) => void waiting.push(() => void response.end('answered')));
    const eager = await dial();
    const all = everything(eager);
    eager.write(REQUEST.repeat(MAX_REQUESTS_AHEAD)); // fits into one chunk, which is parsed in one go
    await until(() => waiting.length >= MAX_UNFINISHED_ANSWERS);
    for (const answer of waiting) answer();
    const text = await all;
    expect(waiting).to.have.lengthOf(MAX_UNFINISHED_ANSWERS);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).to.have.lengthOf(MAX_UNFINISHED_ANSWERS);
    expect(text.match(/HTTP\/1\.1 429 Too Many Requests/g)).to.have.lengthOf(1);
    expect(text).to.contain('"errorId":"TooManyRequests"').and.to.contain('Connection: close');
  });

  it('that sends hundreds of requests ahead is closed at once, and holds no memory', async () => {
    let taken = 0;
    const { server, dial } = await served(() => {
      taken += 1;
    });
    const flooding = await dial();
    flooding.write(REQUEST.repeat(10 * MAX_REQUESTS_AHEAD));
    await untilNoneIsHeld(server);
    expect(taken).to.be.at.most(MAX_UNFINISHED_ANSWERS); // none of those that came together with what it was closed for
  });

  it('that sends its next requests as answers arrive is never refused', async () => {
    const { dial } = await served((_, response) => void response.end('answered'));
    const steady = await dial();
    for (let round = 0; round < 3 * MAX_UNFINISHED_ANSWERS; round += 1) {
      steady.write(REQUEST);
      expect(await firstBytes(steady)).to.contain('200 OK');
    }
  });
});

const firstBytes = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

async function everything(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

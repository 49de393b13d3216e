// Calls of receivers over real sockets: where they may lead, and what of an answer is taken.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { isPublic, openReceivers, type Receivers, type ReceiversOptions } from '../../src/receivers/receivers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { until } from '../support/until.ts';

describe('a call of a receiver', () => {
  let server: Server;
  let port: number;
  let answer: RequestListener;
  let calls = 0;
  const opened: Receivers[] = [];
  before(async () => {
    server = createServer((request, response) => {
      calls += 1;
      answer(request, response);
    });
    port = Number(new URL(await listen(server, { host: '127.0.0.1', port: 0 })).port);
  });
  beforeEach(() => {
    calls = 0;
    answer = (_request, response) => void response.writeHead(204).end();
  });
  after(async () => {
    for (const one of opened) one.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const receivers = (options: Omit<ReceiversOptions, 'world'>): Receivers => {
    const made = openReceivers({ world: calmWorld, ...options });
    opened.push(made);
    return made;
  };
  const post = ({ post: send }: Receivers, url: string) =>
    send({ url, headers: {}, body: '{}' }, AbortSignal.timeout(60_000));

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost']) {
    it(`is not made to ${host} where addresses have to be public`, async () => {
      expect(await post(receivers({ isAllowed: isPublic }), `http://${host}:${port}/`)).to.deep.equal({
        fault: 'the address is not public',
        isUnsent: true,
      });
      expect(calls).to.equal(0);
    });
  }

  it('goes to the address that was looked at, although the name has another one a moment later', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    let looks = 0;
    const rebinding = receivers({
      isAllowed: (address) => address === '127.0.0.1',
      resolve: (_hostname, _options, done) => done(null, [{ address: answers[looks++] ?? '127.0.0.2', family: 4 }]),
    });
    expect(await post(rebinding, `http://rebinding.example:${port}/`)).to.include({ status: 204 });
    expect(looks).to.equal(1);
  });

  it('is refused where one of several addresses is not allowed', async () => {
    const two = receivers({
      isAllowed: (address) => address === '127.0.0.1',
      resolve: (_hostname, _options, done) =>
        done(
          null,
          ['127.0.0.1', '10.0.0.1'].map((address) => ({ address, family: 4 })),
        ),
    });
    expect(await post(two, `http://two.example:${port}/`)).to.deep.equal({
      fault: 'the address is not public',
      isUnsent: true,
    });
    expect(calls).to.equal(0);
  });

  it('follows no redirection', async () => {
    answer = (_request, response) =>
      void response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    expect(await post(receivers({ isAllowed: () => true }), `http://127.0.0.1:${port}/`)).to.include({ status: 302 });
    expect(calls).to.equal(1);
  });

  it('takes the beginning of an answer that does not end', async () => {
    answer = (_request, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(1_024)));
        response.once('drain', more);
      };
      response.once('close', () => response.removeAllListeners('drain'));
      more();
    };
    const answered = await post(receivers({ isAllowed: () => true }), `http://127.0.0.1:${port}/`);
    expect(answered).to.include({ status: 200 });
    expect('body' in answered ? answered.body.length : 0).to.equal(16 * 1_024);
  });

  it('ends at its deadline while an answer comes a byte at a time', async () => {
    let isClosed = false;
    const deadline = new AbortController();
    answer = (_request, response) => {
      response.writeHead(200);
      let bytes = 0;
      const drip = setInterval(() => {
        response.write('x');
        bytes += 1;
        if (bytes === 20) deadline.abort();
      }, 10);
      response.once('close', () => {
        clearInterval(drip);
        isClosed = true;
      });
    };
    const slow = receivers({ isAllowed: () => true });
    const answered = await slow.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' }, deadline.signal);
    expect(answered).to.deep.equal({ fault: 'no answer before the deadline', isUnsent: false });
    await until(() => isClosed);
  });

  it('carries the path of its URL as it is written, and nothing of it in a header', async () => {
    let asked: readonly unknown[] = [];
    answer = ({ url, headers }, response) => {
      asked = [url, headers['x-evil'], headers.host];
      response.writeHead(204).end();
    };
    await post(
      receivers({ isAllowed: () => true }),
      `http://127.0.0.1:${port}/%0d%0aX-Evil:%201?a=%0d%0aX-Evil:1#part`,
    );
    expect(asked).to.deep.equal(['/%0d%0aX-Evil:%201?a=%0d%0aX-Evil:1', undefined, `127.0.0.1:${port}`]);
  });

  it('says why nobody answered', async () => {
    answer = (request) => void request.socket.destroy();
    const cut = await post(receivers({ isAllowed: () => true }), `http://127.0.0.1:${port}/`);
    expect(cut).to.have.property('fault').that.is.a('string');
  });
});

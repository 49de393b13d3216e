// Connections that Node refuses before there is a request.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type Socket } from 'node:net';
import { expect } from 'chai';
import { listen } from '../../src/cli/serve/http-listener.ts';
import { meterConnections } from '../../src/telemetry/meters.ts';
import { raw } from '../http/frame/serve.ts';

describe('metered connections', () => {
  const server = createServer((_request, response) => response.end());
  /** Only for slow senders: a process that pauses for 50 ms makes every sender one. */
  const impatient = createServer({ headersTimeout: 50, connectionsCheckingInterval: 20 });
  const refused: string[] = [];
  const opened = async (metered: Server): Promise<number> => {
    metered.on('clientError', (_fault, socket) => socket.destroy());
    meterConnections(metered, { connectionRefused: (reason) => void refused.push(reason) });
    return Number(new URL(await listen(metered, { host: '127.0.0.1', port: 0 })).port);
  };
  let port: number;
  before(async () => {
    port = await opened(server);
  });
  after(() => {
    for (const one of [server, impatient]) {
      one.close();
      one.closeAllConnections();
    }
  });
  beforeEach(() => {
    refused.length = 0;
  });

  it('count bytes that are not HTTP', async () => {
    await raw(port, 'not HTTP\r\n\r\n');
    expect(refused).to.deep.equal(['malformed']);
  });

  it('count senders that are too slow', async () => {
    await raw(await opened(impatient), 'POST / HTTP/1.1\r\n');
    expect(refused).to.deep.equal(['slow']);
  });

  it('count sockets over the limit', async () => {
    server.maxConnections = 1;
    const first = net.connect(port, '127.0.0.1');
    await once(first, 'connect');
    await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n').catch(() => 'reset');
    first.destroy();
    server.maxConnections = 100;
    expect(refused).to.deep.equal(['limit']);
  });

  it('know that a client which hangs up was not refused', async () => {
    for (const leave of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
      const socket = net.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const failed = once(server, 'clientError');
      await new Promise((written) => socket.write('POST / HTTP/1.1\r\n', written));
      leave(socket);
      await failed;
    }
    expect(refused).to.deep.equal([]);
  });
});

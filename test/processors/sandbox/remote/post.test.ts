// Whether anything was sent is what an outcome is graded by: also for a call that had to wait for another one's connection.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { poster } from '../../../../src/processors/sandbox/remote/post.ts';
import { never } from '../sandbox-setup.ts';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describe('a post over a kept connection', () => {
  it('is lost, not unsent, when it waited for the connection of another one and that then breaks', async () => {
    let requests = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        if (!bytes.includes('POST')) return;
        requests += 1;
        if (requests === 1) socket.write(ANSWER);
        else socket.destroy();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    const posting = poster(`http://127.0.0.1:${address.port}`, 1);
    try {
      const both = ['/first', '/second'].map((path) => posting.post(path, {}, '{}', never()));
      expect((await Promise.all(both)).map(({ kind }) => kind)).to.deep.equal(['answered', 'lost']);
      expect(requests, 'on one connection').to.equal(2);
    } finally {
      posting.close();
      server.close();
    }
  });
});

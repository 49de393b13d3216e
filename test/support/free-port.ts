// A port that nobody listens on at the moment, for a process that must be known before it has printed its address.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux and macOS give to clients and to listeners on port 0: no other test gets it meanwhile. */
const FIRST = 20_000;
const LAST = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

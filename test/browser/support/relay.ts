// A TCP relay in front of a service: the browser's address stays the same while connections are cut and the service is
// restarted.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** Its origin. */
  readonly url: string;
  /** From now on it leads to this service. */
  readonly to: (service: string) => void;
  /** From now on there is no service: connections are cut at once. */
  readonly toNowhere: () => void;
  /** Cuts every connection. */
  readonly cut: () => void;
  readonly close: () => void;
}

export async function openRelay(): Promise<Relay> {
  const sockets = new Set<Socket>();
  let port: number | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (port === undefined) return void near.destroy();
    const far = keep(connect(port, '127.0.0.1'));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' ? address?.port : undefined;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${own}`,
    to: (service) => {
      port = Number(new URL(service).port);
    },
    toNowhere: () => {
      port = undefined;
      cut();
    },
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}

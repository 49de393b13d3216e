// A server of the MongoDB protocol that answers each command with a document of the test's choice, unlike any loopback.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { deserialize, serialize } from 'bson';

type Document = Readonly<Record<string, unknown>>;

export interface AnsweringServer {
  readonly port: number;
  readonly close: () => void;
}

const HEADER_BYTES = 16;
const OP_MSG = 2013;
const OP_REPLY = 1;

/** `answer` gets the name of a command. */
export async function serveAnswers(answer: (name: string) => Document): Promise<AnsweringServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(replyTo(message, answer));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A first hello comes as OP_QUERY and is answered with OP_REPLY, everything else is OP_MSG. */
function replyTo(message: Buffer, answer: (name: string) => Document): Buffer {
  const isMessage = message.readInt32LE(12) === OP_MSG;
  const body = isMessage
    ? message.subarray(HEADER_BYTES + 5)
    : message.subarray(message.indexOf(0, HEADER_BYTES + 4) + 9);
  const [name = ''] = Object.keys(deserialize(body.subarray(0, body.readInt32LE(0))));
  const preamble = Buffer.alloc(isMessage ? 5 : 20);
  if (!isMessage) preamble.writeInt32LE(1, 16); // one document
  const reply = Buffer.concat([preamble, serialize(answer(name))]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + reply.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isMessage ? OP_MSG : OP_REPLY, 12);
  return Buffer.concat([header, reply]);
}

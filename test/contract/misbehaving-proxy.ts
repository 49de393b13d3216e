// An HTTP proxy between a connector and the server that it talks to, which goes wrong as it is told.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The fault of a request. `before`: the server never hears of it; `after`: the server has had the effect. page: in
 * HTML, as a proxy answers on its own. busy: the processor's own words while another request works on the same thing.
 * late: the answer comes when its caller has gone. held: the request is on its way until `release`. twice: the server
 * gets the request two times.
 */
const MISBEHAVIOURS = [
  'refused',
  'reset_before',
  'reset_after',
  'hung',
  'page_403_before',
  'page_404_before',
  'page_408_after',
  'status_409',
  'status_429',
  'busy',
  'status_500_after',
  'truncated',
  'late',
  'held',
  'twice',
  'other_amount',
  'other_currency',
] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

export interface Faults {
  /** Applies to every request from now on, or to the `nth` alone. Undefined: as the server does. */
  misbehave(how: Misbehaviour | undefined, nth?: number): Promise<void>;
  /** True if a request is on its way and the server has not heard of it, or if an answer is kept from its caller. */
  isHolding(): boolean;
  /** Delivers what is held. Resolves when the server has answered it. */
  release(): Promise<void>;
}

export interface MisbehavingProxy extends Faults {
  readonly url: string;
  /** Requests that reached it. */
  readonly requests: number;
  /** Those of them that may change something: all but GET. */
  readonly writes: number;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}
interface Whole extends Answer {
  readonly type: string;
}

const JSON_TYPE = 'application/json';
const page = (status: number): Whole => ({
  status,
  type: 'text/html',
  body: `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`,
});

/** `busy`: the target's own words while another request works on the same thing. */
export async function misbehavingProxy(
  target: string,
  busy: Answer = { status: 423, body: '{}' },
): Promise<MisbehavingProxy> {
  let fault: { readonly how: Misbehaviour; readonly nth?: number | undefined } | undefined;
  let sinceFault = 0;
  let requests = 0;
  let writes = 0;
  let keptBack = 0;
  const held = new Set<{ readonly deliver: () => void; readonly isOver: Promise<void> }>();
  const sockets = new Set<Socket>();
  /** What is answered without the server. */
  const instead: { readonly [M in Misbehaviour]?: Whole } = {
    page_403_before: page(403),
    page_404_before: page(404),
    status_409: { status: 409, type: JSON_TYPE, body: '{}' },
    status_429: { status: 429, type: JSON_TYPE, body: '{}' },
    busy: { ...busy, type: JSON_TYPE },
  };
  const forward = async ({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): Promise<Whole> => {
    const { host: _host, connection: _connection, 'content-length': _length, ...others } = headers;
    const sent = new Headers(
      Object.entries(others).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    );
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: sent,
      ...(body !== '' && { body }),
      redirect: 'manual',
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? JSON_TYPE,
      body: await answer.text(),
    };
  };
  const faultOfNext = (): Misbehaviour | undefined => {
    sinceFault += 1;
    return fault?.nth === undefined || fault.nth === sinceFault ? fault?.how : undefined;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    if (request.method !== 'GET') writes += 1;
    const how = faultOfNext();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString();
    if (how === 'reset_before') return void request.socket.resetAndDestroy();
    const own = how && instead[how];
    if (own !== undefined) return void answerAs(undefined, request.socket, response, own);
    if (how === 'held') {
      let deliver = (): void => undefined;
      const delivered = new Promise<void>((resolve) => {
        deliver = resolve;
      });
      const isOver = delivered.then(async () => void (await forward(request, body)));
      held.add({ deliver, isOver });
      return void (await isOver.finally(() => response.destroy()));
    }
    const answer = await forward(request, body);
    if (how === 'twice') await forward(request, body);
    if (how === 'hung' || how === 'late') keptBack += 1;
    answerAs(how, request.socket, response, answer);
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get writes() {
      return writes;
    },
    async misbehave(how, nth) {
      fault = how && { how, nth };
      sinceFault = 0;
      keptBack = 0;
      if (how === 'refused') await stop();
      else if (!server.listening) await listen(port);
    },
    isHolding: () => held.size + keptBack > 0,
    async release() {
      const late = [...held];
      held.clear();
      for (const { deliver } of late) deliver();
      await Promise.all(late.map(({ isOver }) => isOver));
    },
    close: stop,
  };
}

function answerAs(
  how: Misbehaviour | undefined,
  socket: Socket,
  response: ServerResponse,
  { status, type, body }: Whole,
): void {
  const head = { 'Content-Type': type };
  switch (how) {
    case 'reset_after':
      socket.resetAndDestroy();
      return;
    case 'hung':
      return;
    case 'late':
      socket.once('end', () => response.writeHead(status, head).end(body));
      return;
    case 'page_408_after':
      answerAs(undefined, socket, response, page(408));
      return;
    case 'status_500_after':
      response.writeHead(500).end('{}');
      return;
    case 'truncated':
      response.writeHead(status, { ...head, 'Content-Length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length / 2), () => socket.destroy());
      return;
    case 'other_amount':
      response.writeHead(status, head).end(halved(body));
      return;
    case 'other_currency':
      response.writeHead(status, head).end(inAnotherCurrency(body));
      return;
    default:
      response.writeHead(status, head).end(body);
  }
}

/** Half of every amount, whatever a processor calls the member, in minor units or as "10.00". */
const halved = (body: string): string =>
  body.replaceAll(/("\w*amount\w*"\s*:\s*"?)(\d+)/gi, (_whole, name: string, whole: string) => {
    return `${name}${Math.floor(Number(whole) / 2)}`;
  });

/** Whatever a processor calls the member, and in whichever case it writes currencies. */
const inAnotherCurrency = (body: string): string =>
  body.replaceAll(/("\w*currency\w*"\s*:\s*")([A-Za-z]{3})"/gi, (_whole, name: string, code: string) => {
    const other = code.toUpperCase() === 'USD' ? 'EUR' : 'USD';
    return `${name}${code === code.toUpperCase() ? other : other.toLowerCase()}"`;
  });

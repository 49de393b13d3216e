// Long work takes turns (contract §7): it is bounded, no account keeps another waiting, and nobody who is gone or slow
// holds a turn.
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { expect } from 'chai';
import { z } from 'zod';
import { LongWork } from '../../../src/http/long-work.ts';
import { found, type Route, route, streamRoute } from '../../../src/http/route.ts';
import { until } from '../../support/until.ts';
import { type Answered, errorOf, KEY, type Served, serve } from './serve.ts';

const OTHER = { 'x-api-key': 'other' };
const WAITING = 3;
const LIMITS = { atOnce: 1, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: WAITING };
const PIECE = 'x'.repeat(64 * 1024);

describe('long work', () => {
  let served: Served;
  let longWork: LongWork;
  /** The works that have begun, by name, and how each ends. */
  let begun: string[];
  let ends: (() => void)[];
  let pieces: number;
  beforeEach(async () => {
    [begun, ends, pieces] = [[], [], 0];
    longWork = new LongWork(LIMITS);
    served = await serve({ routes: routes(), longWork });
  });
  afterEach(() => served.close());

  const begin = (name: string): Promise<void> => {
    begun.push(name);
    return new Promise<void>((end) => ends.push(end));
  };
  async function* manyPieces(): AsyncIterable<string> {
    for (; pieces < 2_000; pieces += 1) yield PIECE;
  }
  const common = { tag: 'Things', method: 'GET', scope: 'transactions:retrieve', summary: 'Long' } as const;
  const Asked = z.object({ query: z.strictObject({ name: z.string(), at: z.string().optional() }) });
  const routes = (): readonly Route[] => [
    route({
      ...common,
      path: '/long',
      long: true,
      request: Asked,
      answer: z.looseObject({}).meta({ id: 'Long' }),
      handle: async ({ query: { name } }) => {
        await begin(name);
        return found({ name });
      },
    }),
    route({
      ...common,
      path: '/past',
      long: { with: 'at' },
      request: Asked,
      answer: z.looseObject({}).meta({ id: 'Past' }),
      handle: async ({ query: { name } }) => found({ name }),
    }),
    streamRoute({
      ...common,
      path: '/all.csv',
      long: true,
      request: z.object({}),
      contentType: 'text/csv',
      handle: () => ({ kind: 'streamed', pieces: manyPieces(), headers: ['Content-Type', 'text/csv'] }),
    }),
  ];
  const ask = (name: string, headers = KEY): Promise<Answered> => served.ask({ path: `/long?name=${name}`, headers });
  /** Asks, and answers when the work runs or waits. */
  const asked = async (name: string, headers = KEY): Promise<{ readonly answer: Promise<Answered> }> => {
    const before = longWork.waiting + begun.length;
    const answer = ask(name, headers);
    await until(() => longWork.waiting + begun.length > before);
    return { answer };
  };
  const endOne = async (): Promise<void> => {
    const { length } = begun;
    const waited = longWork.waiting;
    ends.shift()?.();
    if (waited > 0) await until(() => begun.length > length);
  };
  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((answered, failed) => {
      http
        .get({ port: served.port, host: '127.0.0.1', path, headers: KEY, agent: false }, answered)
        .on('error', failed);
    });

  it('waits in a bounded queue: what finds it full is 503 with Retry-After, and has not begun', async () => {
    const all = [];
    for (const name of ['a', 'b', 'c', 'd']) all.push(await asked(name));
    const refused = await ask('e');
    expect([refused.status, errorOf(refused).errorId]).to.deep.equal([503, 'ServiceUnavailable']);
    expect(Number(refused.headers['retry-after'])).to.be.at.least(1);
    for (let at = 0; at < all.length; at += 1) await endOne();
    for (const { answer } of all) expect((await answer).status).to.equal(200);
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('of one account keeps no other account waiting, and a full queue refuses the account that has the most there', async () => {
    const many = [];
    for (const name of ['a', 'b', 'c', 'd']) many.push(await asked(name));
    const other = ask('other', OTHER);
    const refused = await many[3]?.answer;
    expect(refused?.status).to.equal(503);
    await endOne();
    expect(begun).to.deep.equal(['a', 'other']);
    await endOne();
    await endOne();
    await endOne();
    expect((await other).status).to.equal(200);
    expect(begun).to.deep.equal(['a', 'other', 'b', 'c']);
  });

  it('leaves the queue when its caller is gone, and never begins', async () => {
    const first = await asked('a');
    const leaving = http.get({
      port: served.port,
      host: '127.0.0.1',
      path: '/long?name=gone',
      headers: KEY,
      agent: false,
    });
    leaving.on('error', () => undefined);
    await until(() => longWork.waiting === 1);
    leaving.destroy();
    await until(() => longWork.waiting === 0);
    await endOne();
    expect((await first.answer).status).to.equal(200);
    expect(begun).to.deep.equal(['a']);
  });

  it('leaves the queue when its caller is gone that had pipelined several, and never begins', async () => {
    const first = await asked('a');
    const socket = net.connect({ port: served.port, host: '127.0.0.1' });
    const line = (name: string) =>
      `GET /long?name=${name} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY['x-api-key']}\r\n\r\n`;
    socket.on('error', () => undefined);
    socket.write(['b', 'c', 'd'].map(line).join(''));
    await until(() => longWork.waiting === WAITING);
    socket.destroy();
    await until(() => longWork.waiting === 0);
    await endOne();
    expect((await first.answer).status).to.equal(200);
    expect(begun).to.deep.equal(['a']);
  });

  it('leaves nothing on a connection that is kept, however many requests it pipelined and had answered', async () => {
    const sockets: net.Socket[] = [];
    served.server.on('connection', (socket: net.Socket) => sockets.push(socket));
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const client = net.connect({ port: served.port, host: '127.0.0.1' });
    let text = '';
    client.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    const line = `GET /past?name=a&at=1 HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${KEY['x-api-key']}\r\n\r\n`;
    const answered = (): number => text.split('HTTP/1.1 ').length - 1;
    client.write(line);
    await until(() => answered() === 1);
    const before = sockets[0]?.listenerCount('close');
    for (let round = 1; round <= 12; round += 1) {
      client.write(line);
      await until(() => answered() === 1 + round);
    }
    expect([sockets.length, sockets[0]?.listenerCount('close')]).to.deep.equal([1, before]);
    client.write(line.repeat(12));
    await until(() => answered() === 25);
    expect(sockets[0]?.listenerCount('close')).to.equal(before);
    client.destroy();
    process.off('warning', warn);
    expect(warnings.map(({ name }) => name)).to.deep.equal([]);
  });

  it('is only what its query makes long: the same route answers others at once', async () => {
    const first = await asked('a');
    expect((await served.ask({ path: '/past?name=now', headers: KEY })).status).to.equal(200);
    const past = served.ask({ path: '/past?name=then&at=1', headers: KEY });
    await until(() => longWork.waiting === 1);
    ends.shift()?.();
    expect([(await first.answer).status, (await past).status]).to.deep.equal([200, 200]);
  });

  it('that is streamed holds no turn while its client reads nothing, and is whole although others fill the queue meanwhile', async () => {
    const stream = await open('/all.csv');
    stream.pause();
    const others = [];
    for (const name of ['a', 'b', 'c', 'd']) others.push(await asked(name, OTHER));
    expect(begun).to.deep.equal(['a']);
    let bytes = 0;
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    const ended = new Promise<void>((end) => stream.on('end', end));
    stream.resume();
    await until(() => longWork.waiting === WAITING + 1);
    expect((await ask('e', OTHER)).status).to.equal(503);
    for (let at = 1; at < others.length; at += 1) await endOne();
    ends.shift()?.(); // only the stream waits now
    await ended;
    expect(bytes).to.equal(2_000 * PIECE.length);
    for (const { answer } of others) expect((await answer).status).to.equal(200);
  });

  it('that is streamed ends with its client', async () => {
    const stream = await open('/all.csv');
    await until(() => pieces > 0);
    stream.destroy();
    const first = await asked('a');
    ends.shift()?.();
    expect((await first.answer).status).to.equal(200);
    expect(pieces).to.be.below(2_000);
    expect(served.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});

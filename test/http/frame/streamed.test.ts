// Answers that are made while they are sent: no faster than they are taken, and no longer than somebody takes them.
import http, { type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { streamRoute } from '../../../src/http/route.ts';
import { until } from '../../support/until.ts';
import { KEY, type Served, serve } from './serve.ts';

const PIECE = 'x'.repeat(64 * 1024);

describe('a streamed answer', () => {
  let served: Served;
  let made = 0;
  let ended = 0;
  const pieces = async function* (fault: boolean, most: number): AsyncIterable<string> {
    try {
      for (; made < most; made += 1) yield PIECE;
      if (fault) throw new TypeError('the rows could not be read');
    } finally {
      ended += 1;
    }
  };
  const streaming = (path: string, fault: boolean, most: number) =>
    streamRoute({
      path,
      method: 'GET',
      scope: 'transactions:retrieve',
      tag: 'Things',
      summary: 'Things without end',
      contentType: 'text/csv; charset=utf-8',
      request: z.object({}),
      handle: () => ({
        kind: 'streamed',
        pieces: pieces(fault, most),
        headers: ['Content-Type', 'text/csv; charset=utf-8'],
      }),
    });

  before(async () => {
    served = await serve({
      routes: [
        streaming('/endless', false, Number.POSITIVE_INFINITY),
        streaming('/three', false, 3),
        streaming('/broken', true, 3),
      ],
    });
  });
  beforeEach(() => {
    made = 0;
    ended = 0;
  });
  after(() => served.close());

  const open = (path: string): Promise<IncomingMessage> =>
    new Promise((opened, failed) => {
      const options = { port: served.port, host: '127.0.0.1', path, headers: KEY, agent: false };
      http.get(options, opened).on('error', failed);
    });

  it('has all its pieces, and its content type', async () => {
    const { status, headers, text } = await served.ask({ path: '/three', headers: KEY });
    expect([status, headers['content-type'], text.length]).to.deep.equal([
      200,
      'text/csv; charset=utf-8',
      3 * PIECE.length,
    ]);
  });

  it('is made no faster than the client takes it, and ends when the client hangs up', async () => {
    const response = await open('/endless');
    await until(() => made > 1);
    const [first] = await Promise.all([new Promise((read) => response.once('data', read)), response.resume()]);
    expect(first).to.have.property('length').above(0);
    response.pause();
    let before = -1;
    // The buffers of both sides take some; then nothing more is made until somebody reads.
    await until(() => {
      const isStill = made === before;
      before = made;
      return isStill;
    });
    expect(made).to.be.below(1_000);
    response.destroy();
    await until(() => ended === 1);
  });

  it('is broken off when it fails, so that a part is never taken for the whole, and the log has the fault', async () => {
    const response = await open('/broken');
    response.resume();
    const fault = await new Promise((failed) => response.once('error', failed));
    expect(fault).to.have.property('code', 'ECONNRESET');
    await until(() => served.logged.some(({ level, message }) => level === 'error' && message === 'answer broken off'));
  });
});

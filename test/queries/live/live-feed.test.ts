// The live feed in a process: a slow browser is cut, a page is told after the read models have the event, and no stream
// is left over.
import { expect } from 'chai';
import {
  LiveFeed,
  type LiveFeedParts,
  type LiveSubscriber,
  STREAMS_OF_SESSION,
} from '../../../src/queries/live-feed.ts';
import type { LiveStream } from '../../../src/queries/live-stream.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { aborted } from '../../../src/world.ts';
import { authorized } from '../../domain/payment/story.ts';
import { PaymentLog } from '../../projections/models/payment-log.ts';
import { calmWorld, pause } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';

const own: LiveSubscriber = {
  accountId: 'acc_1',
  sessionId: 'ses_1',
  after: undefined,
  isSignedIn: async () => true,
  mayOperate: false,
};

/** Reads until the stream ends. */
async function reading(stream: LiveStream, heard: string[]): Promise<void> {
  for await (const piece of stream) heard.push(piece);
}

describe('the live feed', () => {
  let log: PaymentLog;
  let reached: bigint;
  let feed: LiveFeed;
  let operating: number;
  async function* operation(signal: AbortSignal) {
    operating += 1;
    yield { topic: 'rebuild', rebuild: { projection: 'payments' } };
    await aborted(signal);
    operating -= 1;
  }
  beforeEach(() => {
    log = new PaymentLog();
    reached = 1_000_000n;
    operating = 0;
    feed = feedOf(log.events);
  });
  const feedOf = (events: LiveFeedParts['events']): LiveFeed =>
    new LiveFeed({
      events,
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      positions: async () => new Map([['payments', reached]]),
      lagSeconds: async () => 0,
      operation,
    });
  afterEach(() => feed.end());

  it('cuts a browser that does not read, and no other', async () => {
    const [slow, fast] = [await feed.open(own), await feed.open(own)];
    const heard: string[] = [];
    void reading(fast, heard);
    for (let n = 0; feed.size === 2; n += 1) await log.add(`pay_${n}`, authorized);
    expect(await slow.next()).to.deep.equal({ done: true, value: undefined });
    await log.add('pay_last', authorized);
    await until(() => heard.join('').includes('pay_last'));
  });

  it('ends the oldest of too many streams of one session, and none of another', async () => {
    const [other, oldest] = [await feed.open({ ...own, sessionId: 'ses_2' }), await feed.open(own)];
    for (let n = 1; n < STREAMS_OF_SESSION; n += 1) await feed.open(own);
    expect(feed.size).to.equal(STREAMS_OF_SESSION + 1);
    const newest = await feed.open(own);
    expect(feed.size).to.equal(STREAMS_OF_SESSION + 1);
    expect(await oldest.next()).to.deep.equal({ done: true, value: undefined });
    for (const stream of [other, newest]) expect(await stream.next()).to.have.property('done', false);
  });

  it('tells a page of an event when the read models have it', async () => {
    reached = -1n;
    const heard: string[] = [];
    void reading(await feed.open(own), heard);
    await log.add('pay_1', authorized);
    await pause(200);
    expect(heard.join('')).to.not.include('pay_1');
    reached = 1_000n;
    await until(() => heard.join('').includes('pay_1'));
  });

  it('tells a browser that missed too much to ask for everything', async () => {
    const before = await log.events.head();
    for (let n = 0; n < 2_000; n += 1) await log.add(`pay_${n}`, authorized);
    const heard: string[] = [];
    void reading(await feed.open({ ...own, after: before }), heard);
    await until(() => heard.join('').includes('caught-up'));
    expect(heard.join('')).to.include('everything');
    expect(heard.join('')).to.not.include('pay_');
  });

  it('tells operators of rebuilds, nobody else, and listens to them only while there is an operator', async () => {
    const [heard, others]: [string[], string[]] = [[], []];
    void reading(await feed.open(own), others);
    expect(operating).to.equal(0);
    const operator = await feed.open({ ...own, mayOperate: true });
    void reading(operator, heard);
    await until(() => heard.join('').includes('data: {"topic":"rebuild","rebuild":{"projection":"payments"}}'));
    expect(operating).to.equal(1);
    operator.end();
    await until(() => operating === 0);
    expect(others.join('')).to.not.include('rebuild');
  });

  it('ends all streams, and those that are opened later', async () => {
    const streams = [await feed.open(own), await feed.open(own)];
    feed.end();
    streams.push(await feed.open(own));
    for (const stream of streams) expect(await stream.next()).to.deep.equal({ done: true, value: undefined });
    expect(feed.size).to.equal(0);
  });

  it('keeps no stream of a browser whose missed events could not be read', async () => {
    await log.add('pay_1', authorized);
    const { events } = log;
    const broken = feedOf({
      head: () => events.head(),
      async *follow(after, categories, signal) {
        if (after === -1n) throw new StoreUnavailable('the test has cut it');
        yield* events.follow(after, categories, signal);
      },
    });
    const refused = await broken.open({ ...own, after: -1n }).catch((fault: unknown) => fault);
    expect(refused).to.be.instanceOf(StoreUnavailable);
    expect(broken.size).to.equal(0);
  });

  it('ends a stream that was being opened when the process stopped', async () => {
    const opened = feed.open(own);
    feed.end();
    expect(await (await opened).next()).to.deep.equal({ done: true, value: undefined });
    expect(feed.size).to.equal(0);
  });
});

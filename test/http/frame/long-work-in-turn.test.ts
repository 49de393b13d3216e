// Long work takes turns (contract §7): nobody waits because of what was served before, and a search that finds nothing
// lets others go first.
import http from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { NotAdmitted } from '../../../src/commands/limits/admission.ts';
import { paymentsCsv } from '../../../src/http/answers/csv.ts';
import { LongWork } from '../../../src/http/long-work.ts';
import { found, type Handled, type Streamed, streamRoute } from '../../../src/http/route.ts';
import { until } from '../../support/until.ts';
import { KEY, serve } from './serve.ts';

const WAITING = 4;
const LIMITS = { atOnce: 1, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: WAITING };
const EARLIER = 1_000;
/** Works of others before one's own: the one that runs, and one of the same moment. */
const A_FEW = 3;
const EMPTY_PAGES = 20_000;

describe('long work in turn', () => {
  const { signal } = new AbortController();
  let longWork: LongWork;
  let begun: string[];
  beforeEach(() => {
    [longWork, begun] = [new LongWork(LIMITS), []];
  });
  const ask = (party: string): Promise<Handled | undefined> =>
    longWork
      .run({ party, signal }, async () => {
        begun.push(party);
        await settled();
        return found({});
      })
      .catch((fault: unknown) => (fault instanceof NotAdmitted ? undefined : Promise.reject(fault)));
  const worksOfEarlier = async (party: string): Promise<void> => {
    for (let at = 0; at < EARLIER; at += 1) await ask(party);
    begun = [];
  };
  /** Fills the queue, and asks again for each work that ends, until `isOver`. */
  const flood = (party: string, isOver: () => boolean): Promise<unknown> =>
    Promise.all(
      Array.from({ length: WAITING + 2 }, async () => {
        while (!isOver()) {
          await ask(party);
          await settled(); // also when it was refused
        }
      }),
    );

  it('of an account that worked all day is served among the first while a newcomer floods', async () => {
    await worksOfEarlier('busy');
    let isOver = false;
    const flooding = flood('newcomer', () => isOver || begun.length > EARLIER);
    for (let at = 1; at <= 5; at += 1) {
      const before = begun.length;
      expect(await ask('busy'), `work ${at} was refused`).not.to.equal(undefined);
      expect(begun.lastIndexOf('busy') - before, `works of others before work ${at}`).to.be.at.most(A_FEW);
    }
    isOver = true;
    await flooding;
  });

  it('that finds the queue full is refused by what waits, not by what was: of two accounts the one with more there', async () => {
    await worksOfEarlier('busy');
    const flooding = Array.from({ length: 1 + WAITING }, () => ask('newcomer'));
    const own = ask('busy');
    const answers = await Promise.all([...flooding, own]);
    expect(answers.map((answer) => answer === undefined)).to.deep.equal([false, false, false, false, true, false]);
  });

  it('that was served by far the most does not make a newcomer wait either', async () => {
    let isOver = false;
    const flooding = flood('busy', () => isOver || begun.length > 2 * EARLIER);
    await until(() => begun.length > EARLIER / 10);
    const before = begun.length;
    expect(await ask('newcomer')).not.to.equal(undefined);
    expect(begun.indexOf('newcomer') - before).to.be.at.most(A_FEW);
    isOver = true;
    await flooding;
  });

  describe('of a CSV for which nothing matches', () => {
    let pages: number;
    /** Happens while the third page is read. */
    let onThirdPage: () => void;
    let reading: { readonly end: () => void; readonly ended: Promise<void> };
    beforeEach(() => {
      pages = 0;
      reading = ending();
    });
    const csv = (): Streamed => {
      const pieces = paymentsCsv(async () => {
        pages += 1;
        if (pages === 3) onThirdPage();
        await settled();
        return pages < EMPTY_PAGES ? { rows: [], next: { date: pages, id: '' } } : { rows: [] };
      });
      return { kind: 'streamed', pieces: endedBy(pieces, reading.end), headers: [] };
    };

    it('others have a turn between two pages, and no piece without content is sent', async () => {
      let pagesBefore: Promise<number> | undefined;
      onThirdPage = () => {
        pagesBefore = ask('other').then(() => pages);
      };
      const streamed = await longWork.run({ party: 'csv', signal }, csv);
      const pieces: string[] = [];
      if (streamed.kind === 'streamed') for await (const piece of streamed.pieces) pieces.push(piece);
      expect([pages, pieces.length]).to.deep.equal([EMPTY_PAGES, 1]);
      expect(await pagesBefore, 'pages before the turn of another').to.be.at.most(3 + A_FEW);
    });

    it('the reading ends with its client', async () => {
      const asked = {
        tag: 'Things',
        method: 'GET',
        scope: 'transactions:retrieve',
        summary: 'Long',
        request: z.object({}),
      } as const;
      const route = streamRoute({
        ...asked,
        path: '/none.csv',
        long: true,
        contentType: 'text/csv',
        handle: () => csv(),
      });
      const served = await serve({ routes: [route], longWork });
      try {
        onThirdPage = () => client.destroy();
        const client = http.get({
          port: served.port,
          host: '127.0.0.1',
          path: '/none.csv',
          headers: KEY,
          agent: false,
        });
        client.on('error', () => undefined);
        await reading.ended;
        expect(pages).to.be.below(EMPTY_PAGES);
        expect(served.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
      } finally {
        await served.close();
      }
    });
  });
});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function ending(): { readonly end: () => void; readonly ended: Promise<void> } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

async function* endedBy(pieces: AsyncIterable<string>, end: () => void): AsyncIterable<string> {
  try {
    yield* pieces;
  } finally {
    end();
  }
}

// The counts that workers share: what one of them counts, all of them know.
import { expect } from 'chai';
import { SharedCounts, SharedCountsClient } from '../../../src/cli/serve/shared-counts.ts';
import { CountCall, type FromWorker, ToWorker } from '../../../src/cli/serve/worker-messages.ts';
import { CardTesting } from '../../../src/commands/limits/card-testing.ts';
import type { SharedLimits } from '../../../src/commands/limits/permits.ts';
import { FAILURES, SignInLimits } from '../../../src/commands/users/sign-in-limits.ts';
import { times } from './workers.ts';

const LIMIT = 500;

/** Workers whose messages are text on their way, as they are between processes. */
function workers(count: number): {
  readonly all: readonly SharedLimits[];
  readonly messages: () => number;
  end(): void;
} {
  const supervisor = new SharedCounts(LIMIT, count);
  let messages = 0;
  const sides = Array.from({ length: count }, () => {
    const side: SharedCountsClient = new SharedCountsClient(async (message: FromWorker) => {
      messages += 1;
      if (message.kind !== 'count') throw new Error(message.kind);
      const calls: readonly [number, unknown][] = JSON.parse(JSON.stringify(message.calls));
      const results = await Promise.all(
        calls.map(
          async ([number, call]): Promise<[number, unknown]> => [
            number,
            await supervisor.answer(CountCall.parse(call)),
          ],
        ),
      );
      const reply = ToWorker.parse(JSON.parse(JSON.stringify({ kind: 'counted', results })));
      if (reply.kind === 'counted') side.counted(reply.results);
    });
    return side;
  });
  return {
    all: sides.map((side) => side.limits(LIMIT, count)),
    messages: () => messages,
    end: () => {
      for (const side of sides) side.end();
    },
  };
}

const attempted = { sessionId: 'cs_1', fingerprint: 'f'.repeat(43) };

describe('the counts of several workers', () => {
  it('let ten of forty attempts with one card through, whichever workers are asked', async () => {
    const { all } = workers(2);
    const reached = await times(40, async (index) =>
      all[index % 2]?.cardTesting.reserve(`pay_${index}`, { ...attempted, sessionId: `cs_${index}` }),
    );
    expect(reached.filter((one) => one === undefined)).to.have.length(10);
    expect(reached.filter((one) => one?.isNew === true)).to.have.length(1);
  });

  it('give a reservation back that another worker settles, and count its decline', async () => {
    const [one, other] = workers(2).all;
    for (let round = 0; round < 10; round += 1) {
      expect(await one?.cardTesting.reserve(`pay_${round}`, attempted)).to.equal(undefined);
      await other?.cardTesting.settled(`pay_${round}`, undefined);
    }
    expect(await other?.cardTesting.look(attempted)).to.equal(undefined);
    for (let round = 0; round < 10; round += 1) await other?.cardTesting.settled(`pay_${round}`, attempted);
    expect(await one?.cardTesting.look(attempted)).to.include({
      limit: 'declines-per-session',
      key: 'cs_1',
      isNew: true,
    });
  });

  it('keep the reservation of an attempt when another worker, under the same idempotency key, finds the payment made', async () => {
    const [one, other] = workers(2).all;
    for (let index = 0; index < 10; index += 1) {
      const ofIts = { ...attempted, sessionId: `cs_${index}` };
      expect(await one?.cardTesting.reserve(`pay_${index}`, ofIts)).to.equal(undefined);
      expect(await other?.cardTesting.reserve(`pay_${index}`, ofIts)).to.equal(undefined);
      other?.cardTesting.giveBack(`pay_${index}`);
    }
    expect(await other?.cardTesting.look({ ...attempted, sessionId: 'cs_10' })).to.include({
      limit: 'declines-per-card',
    });
    one?.cardTesting.giveBack('pay_0');
    expect(await one?.cardTesting.look({ ...attempted, sessionId: 'cs_10' })).to.equal(undefined);
  });

  it('tell operators of a limit once, and refuse on every worker', async () => {
    const notices: unknown[] = [];
    const refused: string[] = [];
    const nodes = workers(2).all.map(
      ({ cardTesting }) =>
        new CardTesting(
          true,
          (notice) => notices.push(notice),
          (limit) => refused.push(limit),
          cardTesting,
        ),
    );
    const answers = await times(34, async (index) => nodes[index % 2]?.countTokenization('cs_1', '192.0.2.7'));
    expect(answers.filter((one) => one === undefined)).to.have.length(30);
    expect(refused).to.have.length(4);
    expect(notices).to.have.length(1);
  });

  it('block guesses of a password over all workers, and undo the count of a successful sign-in', async () => {
    const limits = workers(2).all.map(({ counters }) => new SignInLimits(true, counters));
    const tried = { email: 'a@example.org', address: '192.0.2.7' };
    for (let round = 0; round < FAILURES.emailAtAddress; round += 1)
      expect((await limits[round % 2]?.begin(tried))?.kind).to.equal('admitted');
    for (const one of limits) expect((await one.begin(tried)).kind).to.equal('blocked');
    await limits[1]?.undo(tried);
    expect((await limits[0]?.begin(tried))?.kind).to.equal('admitted');
  });

  it('send the calls of one turn in one message', async () => {
    const { all, messages } = workers(2);
    await times(20, async (index) => all[0]?.cardTesting.look({ ...attempted, sessionId: `cs_${index}` }));
    expect(messages()).to.equal(1);
  });

  it('limit nothing more when the supervisor is gone: the worker ends', async () => {
    const { all, end } = workers(2);
    const waiting = all[0]?.cardTesting.look(attempted);
    end();
    expect(await waiting).to.equal(undefined);
    expect(await all[0]?.cardTesting.reserve('pay_1', attempted)).to.equal(undefined);
    expect(await all[0]?.counters({ name: 'visits', seconds: 1 }).penalty('a')).to.include({ consumedPoints: 0 });
    for (let index = 0; index < LIMIT; index += 1) await all[0]?.requests.consume('key_1');
  });
});

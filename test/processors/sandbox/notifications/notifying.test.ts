// How notifications come where a card or a rule says how: early, again, in reverse, late, badly signed, never; over
// real HTTP.
import { expect } from 'chai';
import { FAULT_NAMES, FAULTS, type FaultName } from '../../../../src/processors/sandbox/faults.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { about, callOf } from '../../../support/call-of.ts';
import { until } from '../../../support/until.ts';
import { wholeLedger } from '../../../support/whole-ledger.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  never,
  openOn,
  succeeded,
  TestPayment,
  temporaryDirectory,
} from '../sandbox-setup.ts';
import { type Answer, openReceiver, type Received, type Receiver } from './receiver.ts';

const APPROVED = '4242424242424242';
const [BEFORE, THREE_TIMES, IN_REVERSE] = ['4000009900002018', '4000009900002026', '4000009900002034'];
const [LOST, BADLY_SIGNED, AFTER_CANCELLATION, EXPIRES] = [
  '4000009900002059',
  '4000009900002067',
  '4000009900002075',
  '4000009900003032',
];
const DAY_MS = 86_400_000;

const typeOf = ({ body }: Received): string => JSON.parse(body).type;

for (const where of ['in a file', 'in memory'] as const)
  describe(`sandbox notifications that do not come as they should, kept ${where}`, () => {
    let directory: ReturnType<typeof temporaryDirectory>;
    let world: AdvancingWorld;
    let sandboxes: Sandbox[];
    let receivers: Receiver[];
    let stop: AbortController;
    let running: Promise<void>[];
    beforeEach(() => {
      directory = temporaryDirectory();
      const advancing = advancingWorld(0, true);
      world = { ...advancing, monotonic: advancing.now };
      [sandboxes, receivers, running] = [[], [], []];
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await Promise.all(running);
      await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      directory.remove();
    });

    const connect = (sandbox: Sandbox): Promise<void> => sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
    const opened = async (
      file = where === 'in memory' ? 'memory' : `${directory.path}/sandbox.db`,
    ): Promise<Sandbox> => {
      const sandbox = await openOn(file, world);
      sandboxes.push(sandbox);
      await connect(sandbox);
      return sandbox;
    };
    /** Two that share their data: two on one file, or twice the same. */
    const openedTwice = async (): Promise<readonly [Sandbox, Sandbox]> => {
      const one = await opened();
      return [one, where === 'in memory' ? one : await opened()];
    };
    const receive = async (answerTo?: (place: number) => Answer): Promise<Receiver> => {
      const receiver = await openReceiver(answerTo, world.now);
      receivers.push(receiver);
      return receiver;
    };
    const run = (sandbox: Sandbox, { url }: Receiver): void => void running.push(sandbox.run(url, stop.signal));
    const allThree = async (sandbox: Sandbox, number: string, paymentId = 'pay_1'): Promise<void> => {
      const payment = new TestPayment(sandbox, paymentId);
      succeeded(await payment.authorize(number));
      succeeded(await payment.ask('capture', 'c', 1_000));
      succeeded(await payment.ask('refund', 'r', 400));
    };
    const read = (sandbox: Sandbox, { body, headers }: Received) => {
      const signature = headers['x-sandbox-signature'];
      return sandbox.notifications(
        body,
        { 'x-sandbox-signature': typeof signature === 'string' ? signature : undefined },
        callOf().connection,
        world.now(),
      );
    };
    /** Nothing waits any more; the clock is moved on until then. */
    const untilNothingWaits = async (sandbox: Sandbox): Promise<void> => {
      await until(async () => {
        const { count, nextAt = world.now() } = await sandbox.undelivered();
        if (count === 0) return true;
        world.advance(Math.max(0, Math.min(nextAt - world.now(), 1_000)));
        // what is being written is on the disk before the clock moves on: a writer is given up after 10 s of this clock
        await connect(sandbox);
        return false;
      });
    };

    describe('before the answer of the call', () => {
      it('are accepted before anybody is answered, of every operation, in this process and in another', async () => {
        const seen: string[] = [];
        const [asking, sending] = await openedTwice();
        for (const sender of [asking, sending]) {
          const receiver = await receive((place) => {
            seen.push(`notified ${place}`);
            return 202;
          });
          run(sender, receiver);
          const payment = new TestPayment(asking, `pay_${receivers.length}`);
          // A sender for another process looks once a second; the answer waits for 5 s.
          let left = 0;
          const clock = setInterval(() => {
            if (left > 0) world.advance(10);
            left -= 10;
          }, 1);
          const noted = async (what: string, asked: Promise<unknown>): Promise<void> => {
            left = 1_100;
            await asked;
            seen.push(what);
          };
          await noted('authorized', payment.authorize(BEFORE));
          await noted('captured', payment.ask('capture', 'c', 1_000));
          await noted('refunded', payment.ask('refund', 'r', 1_000));
          clearInterval(clock);
          expect(seen.splice(0)).to.deep.equal([
            'notified 0',
            'authorized',
            'notified 1',
            'captured',
            'notified 2',
            'refunded',
          ]);
          expect(receiver.received.map(typeOf)).to.deep.equal([
            'authorization.succeeded',
            'capture.succeeded',
            'refund.succeeded',
          ]);
          stop.abort();
          await Promise.all(running);
          stop = new AbortController();
        }
      });

      it('are waited for no longer than 5 s, and not at all where there is no receiver', async () => {
        const sandbox = await opened();
        run(sandbox, await receive(() => 500));
        let answered = false;
        const authorizing = new TestPayment(sandbox).authorize(BEFORE).then((outcome) => {
          answered = true;
          return outcome;
        });
        await receivers[0]?.until(1);
        world.advance(4_000);
        await new Promise((turn) => setTimeout(turn, 50));
        expect(answered).to.equal(false);
        world.advance(1_000);
        succeeded(await authorizing);
        succeeded(await new TestPayment(sandbox, 'pay_2', 'acc_2').authorize(BEFORE));
      });
    });

    it('come three times each, word for word, although two instances send', async () => {
      const [one, two] = await openedTwice();
      const receiver = await receive();
      for (let place = 0; place < 10; place += 1)
        await allThree(place % 2 === 0 ? one : two, THREE_TIMES, `pay_${place}`);
      run(one, receiver);
      run(two, receiver);
      await receiver.until(90);
      await untilNothingWaits(one);
      const times = new Map<string, number>();
      for (const { body } of receiver.received) times.set(body, (times.get(body) ?? 0) + 1);
      expect([...times.values()]).to.deep.equal(Array(30).fill(3));
      expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).notificationId)).size).to.equal(30);
      expect(receiver.received).to.have.length(90);
    });

    describe('in reverse order', () => {
      it('come last one first when the payment goes on within 10 s', async () => {
        const sandbox = await opened();
        const receiver = await receive();
        run(sandbox, receiver);
        await allThree(sandbox, IN_REVERSE);
        await untilNothingWaits(sandbox);
        expect(receiver.received.map(typeOf)).to.deep.equal([
          'refund.succeeded',
          'capture.succeeded',
          'authorization.succeeded',
        ]);
      });

      it('come last one first although the clock is set far forward, and two instances send', async () => {
        const [one, two] = await openedTwice();
        const receiver = await receive();
        await allThree(one, IN_REVERSE);
        world.advance(DAY_MS);
        run(one, receiver);
        run(two, receiver);
        await receiver.until(3);
        expect(receiver.received.map(typeOf)).to.deep.equal([
          'refund.succeeded',
          'capture.succeeded',
          'authorization.succeeded',
        ]);
      });

      it('do not wait for ever: not for a later one that never comes, nor for ever new ones, nor for a refused one', async () => {
        const sandbox = await opened();
        const payment = new TestPayment(sandbox);
        await payment.authorize(IN_REVERSE);
        const [line] = await wholeLedger(sandbox);
        const authorizedAt = line?.at ?? 0;
        expect(await sandbox.undelivered()).to.deep.equal({ count: 1, nextAt: authorizedAt + 10_000 });
        for (let place = 1; place <= 8; place += 1) {
          world.advance(8_000);
          await payment.ask('capture', `c${place}`, 100, { final: false });
        }
        expect((await sandbox.undelivered()).nextAt).to.equal(authorizedAt + 60_000);
        const refuses = await receive((place) => (place === 0 ? 202 : 500));
        run(sandbox, refuses);
        await refuses.until(1);
        expect(refuses.received.map(typeOf)).to.deep.equal(['authorization.succeeded']);
        await untilRefusedAll(sandbox, refuses, 9);
      });

      /**
       * Waits until every one of so many notifications was tried, although all are refused. The clock moves on only
       * after a write was answered: an independent clock outruns a slow disk, which then counts as silent.
       */
      const untilRefusedAll = async (sandbox: Sandbox, receiver: Receiver, count: number): Promise<void> => {
        await until(async () => {
          await sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
          world.advance(1_000);
          return new Set(receiver.received.map(({ body }) => body)).size >= count;
        });
      };
    });

    it('are lost: nothing waits, and only a look-up tells', async () => {
      const sandbox = await opened();
      const payment = new TestPayment(sandbox);
      expect((await payment.authorize(LOST)).kind).to.equal('pending');
      expect(await sandbox.undelivered()).to.deep.equal({ count: 0 });
      world.advance(5_000);
      succeeded(await sandbox.lookUp(about(payment.reference('a')), callOf(never())).then((found) => found));
    });

    it('come with a wrong signature first, even if that is accepted, and correctly 1 s later', async () => {
      for (const answer of [401, 202]) {
        const sandbox = await opened(where === 'in memory' ? 'memory' : `${directory.path}/${answer}.db`);
        const receiver = await receive((place) => (place === 0 ? answer : 202));
        await new TestPayment(sandbox).authorize(BADLY_SIGNED);
        run(sandbox, receiver);
        world.advance(5_000);
        await receiver.until(1);
        await untilNothingWaits(sandbox);
        const [bad, good] = receiver.received;
        if (bad === undefined || good === undefined) throw new Error('they did not come');
        expect([read(sandbox, bad), bad.body]).to.deep.equal(['bad_signature', good.body]);
        expect(read(sandbox, good)).to.have.nested.property('[0].subject.reference', 'pay_1.a');
        expect(good.at - bad.at).to.be.at.least(1_000);
        expect(receiver.received).to.have.length(2);
      }
    });

    it('say after 10 minutes that the operation which was not found has happened', async () => {
      const sandbox = await opened();
      const receiver = await receive();
      run(sandbox, receiver);
      const payment = new TestPayment(sandbox);
      expect((await payment.authorize(AFTER_CANCELLATION)).kind).to.equal('unknown');
      world.advance(599_000);
      expect((await sandbox.lookUp(about(payment.reference('a')), callOf(never()))).kind).to.equal('not_found');
      expect((await sandbox.linesOf([payment.reference('a')])).map(({ outcome }) => outcome)).to.deep.equal([
        'pending',
      ]);
      expect(receiver.received).to.have.length(0);
      world.advance(1_000);
      await receiver.until(1);
      expect(receiver.received.map(typeOf)).to.deep.equal(['authorization.succeeded']);
      await payment.found();
      succeeded(await payment.ask('cancellation', 'v', 0));
    });

    it('report that an authorization has expired, unless nothing was held by then', async () => {
      const sandbox = await opened();
      const receiver = await receive();
      run(sandbox, receiver);
      const authorized = async (paymentId: string): Promise<TestPayment> => {
        const payment = new TestPayment(sandbox, paymentId);
        succeeded(await payment.authorize(EXPIRES));
        return payment;
      };
      await authorized('pay_untouched');
      await (await authorized('pay_part')).ask('capture', 'c', 400, { final: false });
      await (await authorized('pay_whole')).ask('capture', 'c', 1_000, { final: false });
      await (await authorized('pay_final')).ask('capture', 'c', 400);
      await (await authorized('pay_voided')).ask('cancellation', 'v', 0);
      await (await authorized('pay_refused')).ask('capture', 'c', 1_001);
      expect(await sandbox.undelivered()).to.deep.equal({ count: 0 });
      stop.abort();
      await Promise.all(running);
      world.advance(7 * DAY_MS);
      expect((await sandbox.undelivered()).count).to.equal(3);
      stop = new AbortController();
      run(sandbox, receiver);
      await receiver.until(3);
      await untilNothingWaits(sandbox);
      const told = receiver.received.map((one) => [JSON.parse(one.body).reference, typeOf(one)]);
      expect(told).to.have.deep.members(
        ['pay_untouched', 'pay_part', 'pay_refused'].map((id) => [`${id}.a`, 'authorization.expired']),
      );
      for (const one of receiver.received)
        expect(read(sandbox, one)).to.have.deep.nested.property('[0].about', { authorizationExpired: true });
    });

    /**
     * The notifications of a capture that is answered at once: how many times, how late in ms, and of which references.
     */
    const BY_RULE: {
      readonly [F in FaultName]?: {
        readonly times: number;
        readonly afterMs?: number;
        readonly stranger?: true;
        readonly bad?: true;
      };
    } = {
      duplicate: { times: 2 },
      delay: { times: 1, afterMs: 3_000 },
      reorder: { times: 1, afterMs: 10_000 },
      drop: { times: 0 },
      bad_signature: { times: 2, bad: true },
      unknown_payment: { times: 1, stranger: true },
    };

    describe('by a rule', () => {
      const ofNotifications = FAULT_NAMES.filter((fault) => FAULTS[fault].phases.join() === 'after_reply');
      it('has a row in this test for every fault of the kind', () => {
        expect(Object.keys(BY_RULE)).to.have.members(ofNotifications);
      });

      for (const fault of ofNotifications) {
        it(`${fault}: ${FAULTS[fault].does}`, async () => {
          const { times = -1, afterMs = 0, stranger, bad } = BY_RULE[fault] ?? {};
          const sandbox = await opened();
          const receiver = await receive();
          run(sandbox, receiver);
          await sandbox.setFaults(ACCOUNT, {
            rules: [{ match: { operation: 'capture' }, do: { phase: 'after_reply', fault } }],
          });
          await allThree(sandbox, APPROVED);
          const capture = (await wholeLedger(sandbox)).find(({ reference }) => reference === 'pay_1.c');
          await untilNothingWaits(sandbox);
          const own = receiver.received.filter(({ body }) => JSON.parse(body).reference === 'pay_1.c');
          expect(own).to.have.length(times);
          for (const one of own) expect(one.at - (capture?.at ?? 0)).to.be.at.least(afterMs);
          expect(own.map((one) => read(sandbox, one) === 'bad_signature')).to.deep.equal(
            own.map((_, place) => bad === true && place === 0),
          );
          const others = receiver.received.filter(({ body }) => JSON.parse(body).reference !== 'pay_1.c');
          expect(others).to.have.length(stranger ? 1 : 0);
          for (const { body } of others) expect(JSON.parse(body).reference).to.match(/^[0-9a-f]{40}$/);
        });
      }

      it('holds a notification back until the next one of its payment was sent, however late that is', async () => {
        const sandbox = await opened();
        const receiver = await receive();
        await sandbox.setFaults(ACCOUNT, {
          rules: [
            { match: { operation: 'capture' }, do: { reorder: true } },
            { match: { operation: 'refund' }, do: { delayMs: 20_000 } },
          ],
        });
        await allThree(sandbox, APPROVED);
        world.advance(DAY_MS);
        run(sandbox, receiver);
        await receiver.until(2);
        expect(receiver.received.map(typeOf)).to.deep.equal(['refund.succeeded', 'capture.succeeded']);
      });

      it('comes as often as it says, and not of a failure before the effect', async () => {
        const sandbox = await opened();
        const receiver = await receive();
        run(sandbox, receiver);
        const rules = [
          { match: { operation: 'capture' }, do: { phase: 'during_reply', fault: 'reset', duplicate: 4 } },
          { match: { operation: 'refund' }, do: { phase: 'before_effect', fault: '500', duplicate: 4 } },
        ];
        await sandbox.setFaults(ACCOUNT, { rules });
        const payment = new TestPayment(sandbox);
        await payment.authorize(APPROVED, 1_000);
        expect((await payment.ask('capture', 'c', 1_000)).kind).to.equal('unknown');
        expect((await payment.ask('refund', 'r', 1_000)).kind).to.equal('unknown');
        await untilNothingWaits(sandbox);
        expect(receiver.received.map(typeOf)).to.deep.equal(Array(5).fill('capture.succeeded'));
      });
    });
  });

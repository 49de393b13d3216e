// The call for an answer to a dispute: sent in time or not at all, and not looked up beside it (contract §13).
import { expect } from 'chai';
import { defaultTimings, type Timings } from '../../../src/commands/payment-timings.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { World } from '../../../src/world.ts';
import { attendOn } from '../../support/attended-dispute.ts';
import { DISPUTED_MONEY, disputedPayment } from '../../support/disputed-payment.ts';
import { memoryStores, merchant, nodeOn, type Stores } from '../../support/node.ts';
import { type Script, scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;

describe('the call for an answer to a dispute', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  const opened = async (script: Script, timings: Timings = defaultTimings, of: World = world) => {
    const node = await nodeOn(
      { ...stores, world: of },
      { processor: scripted(stores.sandbox, script), timings, leaps: true },
    );
    return { ...node, disputed: await disputedPayment(node.service, world, ACCOUNT) };
  };
  type Opened = Awaited<ReturnType<typeof opened>>;
  const accept = ({ service, disputed: { id } }: Opened) =>
    service.payments.acceptDispute(id, 'dsp_1', merchant(ACCOUNT, world));
  const answerEvents = async ({ service, disputed: { id } }: Opened): Promise<readonly PaymentEvent[]> => {
    const events: PaymentEvent[] = [];
    for await (const { event } of service.streams.payments.history(id, -1)) events.push(event);
    return events.slice(events.findIndex(({ type }) => type === 'DisputeAnswerRequested') + 1);
  };

  for (const [what, jump] of [
    ['business time has passed', { now: defaultTimings.sendWithinMs + defaultTimings.answerWithinMs, monotonic: 0 }],
    ['this process was kept from sending it', { now: 0, monotonic: defaultTimings.sendWithinMs + 1_000 }],
  ] as const)
    it(`is not made where ${what} since the request`, async () => {
      const late = { now: 0, monotonic: 0 };
      const jumping: World = {
        ...world,
        now: () => world.now() + late.now,
        monotonic: () => world.monotonic() + late.monotonic,
      };
      let sent = 0;
      const dispute: Script['dispute'] = async (request, call) => {
        sent += 1;
        return stores.sandbox.dispute(request, call);
      };
      const node = await opened({ dispute }, defaultTimings, jumping);
      const { payments } = node.service.streams;
      const append: (...args: never[]) => Promise<unknown> = payments.append;
      Object.assign(payments, {
        append: async (...args: never[]) => {
          const appended = await append.apply(payments, args);
          if (JSON.stringify(args[2]).includes('"DisputeAnswerRequested"')) Object.assign(late, jump);
          return appended;
        },
      });
      expect(await accept(node)).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
      expect(sent).to.equal(0);
      expect((await answerEvents(node)).map(({ type }) => type)).to.deep.equal(['DisputeAnswerNotSent']);
    });

  it('that was taken and is worked on is never taken for one that did not arrive', async () => {
    let processorDisputeId = '';
    const node = await opened({
      dispute: async () => ({ kind: 'pending', processorTransactionId: 'tx' }),
      lookUpDispute: async () => ({
        kind: 'found',
        dispute: { id: processorDisputeId, status: 'OPEN', ...DISPUTED_MONEY },
      }),
    });
    ({ processorDisputeId } = node.disputed);
    expect(await accept(node)).to.include({ kind: 'completed', status: 200 });
    for (const ms of [60_000, 600_000, DAY_MS]) {
      world.advance(ms);
      expect(await attendOn(node.service)).to.equal(1);
    }
    const told = (await answerEvents(node)).map(({ type, data }) =>
      'answer' in data ? `${type} ${data.answer}` : type,
    );
    expect(told).to.deep.equal([
      'DisputeAnswerPending',
      ...Array.from({ length: 3 }, () => 'DisputeLookUpRecorded pending'),
    ]);
  });

  it('is over by the longest deadline of a node before that node looks it up', async () => {
    const [begun, released] = [gate(), gate()];
    const dispute: Script['dispute'] = async (request, call) => {
      begun.open();
      await released.opened;
      return stores.sandbox.dispute(request, call);
    };
    const node = await opened({ dispute });
    let asked = 0;
    const patient = await nodeOn(stores, {
      processor: scripted(stores.sandbox, {
        lookUpDispute: (...args) => {
          asked += 1;
          return stores.sandbox.lookUpDispute(...args);
        },
      }),
      timings: { ...defaultTimings, answerWithinMs: 2 * defaultTimings.answerWithinMs },
      leaps: true,
    });
    const accepting = accept(node);
    await begun.opened;
    world.advance(31_000);
    await attendOn(patient.service);
    expect([asked, await answerEvents(node)]).to.deep.equal([0, []]);
    world.advance(defaultTimings.answerWithinMs);
    await attendOn(patient.service);
    expect(asked).to.equal(1);
    released.open();
    expect(await accepting).to.include({ kind: 'completed', status: 200 });
  });
});

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

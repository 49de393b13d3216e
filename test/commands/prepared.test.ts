// Authorizations in two steps: the name of the thing is on record before it is confirmed, whatever is lost or crashes
// between; and what nobody answered is settled by a fence.
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import type { OperationRequest, Processor } from '../../src/processors/processor.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { hookedEvents } from '../crash/hooked-stores.ts';
import { done, known } from '../support/answers.ts';
import { callOf } from '../support/call-of.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../support/node.ts';
import { type Script, scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 200, abandonAfterMs: 60_000 };
const PREPARED = { kind: 'prepared', processorTransactionId: 'pi_1' } as const;
const LOST = { kind: 'unknown', detail: 'reset' } as const;

describe('an authorization in two steps', () => {
  let world: MovableWorld;
  let stores: Stores;
  let calls: string[];
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    calls = [];
  });
  /** Notes its calls; `perform` without an answer of its own is the sandbox's. */
  const twoSteps = ({ fence, ...script }: Omit<Script, 'fence'> & Pick<Processor, 'fence'> = {}): Processor =>
    scripted(stores.sandbox, {
      ...script,
      prepare: async (request, call) => {
        calls.push('prepare');
        return script.prepare?.(request, call) ?? PREPARED;
      },
      perform: (request, call) => {
        calls.push(`perform ${request.operation} ${request.processorTransactionId}`);
        return script.perform?.(request, call);
      },
      lookUp: (request, call) => {
        calls.push(`look up ${request.processorTransactionId}`);
        return script.lookUp?.(request, call);
      },
      fence: (request, call) => {
        calls.push(`fence ${request.processorTransactionId}`);
        return (fence ?? stores.sandbox.fence)(request, call);
      },
    });
  const open = (processor: Processor, events = stores.events): Promise<TestNode> =>
    nodeOn({ ...stores, events }, { timings, processor });
  const authorize = (node: TestNode) => authorizedAt(node, world);
  const typesOf = async (node: TestNode, id: string): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const { event } of node.service.streams.payments.history(id, -1)) types.push(event.type);
    return types;
  };
  const current = async (node: TestNode, id: string) => known((await node.service.streams.payments.current(id)).state);

  it('is on record under its name when it is confirmed', async () => {
    let onRecord: readonly string[] = [];
    const confirmed: { node?: TestNode } = {};
    const perform = async ({ paymentId }: OperationRequest): Promise<Outcome> => {
      if (confirmed.node !== undefined) onRecord = await typesOf(confirmed.node, paymentId);
      return { kind: 'succeeded', processorTransactionId: 'pi_1', amount: 1_000, currencyCode: 'EUR' };
    };
    const node = await open(twoSteps({ perform }));
    confirmed.node = node;
    const answer = await authorize(node);
    expect(calls).to.deep.equal(['prepare', 'perform authorization pi_1']);
    expect(onRecord).to.deep.equal(['PaymentCreated', 'AuthorizationRequested', 'AuthorizationPrepared']);
    expect(answer.status).to.equal(200);
    expect(known(answer.doc)).to.include({ status: 'AUTHORIZED', processorTransactionId: 'pi_1' });
  });

  for (const [what, made, ended, status] of [
    ['lost', LOST, 'AuthorizationNotSent', 'FAILED'],
    ['never sent', { kind: 'not_sent', detail: 'refused' }, 'AuthorizationNotSent', 'FAILED'],
    [
      'refused',
      { kind: 'declined', code: 'AMOUNT_TOO_SMALL', declineType: 'HARD' },
      'AuthorizationDeclined',
      'DECLINED',
    ],
  ] as const)
    it(`is not confirmed where its preparation was ${what}`, async () => {
      const node = await open(twoSteps({ prepare: async () => made }));
      const answer = await authorize(node);
      expect(calls).to.deep.equal(['prepare']);
      expect(await typesOf(node, answer.id)).to.deep.equal(['PaymentCreated', 'AuthorizationRequested', ended]);
      expect(known(answer.doc).status).to.equal(status);
    });

  it('is not confirmed where its preparation does not answer in time, even if the answer comes later', async () => {
    let answerNow: (made: typeof PREPARED) => void = () => undefined;
    const late = new Promise<typeof PREPARED>((resolve) => {
      answerNow = resolve;
    });
    const node = await open(twoSteps({ prepare: () => late }));
    const answer = await authorize(node);
    answerNow(PREPARED);
    await new Promise((resume) => setImmediate(resume));
    expect(calls).to.deep.equal(['prepare']);
    expect(await typesOf(node, answer.id)).to.deep.equal([
      'PaymentCreated',
      'AuthorizationRequested',
      'AuthorizationNotSent',
    ]);
  });

  it('is not confirmed where its name cannot be put on record, and needs no call to be settled', async () => {
    const before = ({ types }: { readonly types: readonly string[] }): void => {
      if (types.includes('AuthorizationPrepared')) throw new StoreUnavailable('away');
    };
    const node = await open(twoSteps(), hookedEvents(stores.events, { before }));
    const { id } = await authorize(node);
    expect(calls).to.deep.equal(['prepare']);
    world.advance(61_000);
    await lookUpDue(node);
    expect(calls).to.deep.equal(['prepare']);
    expect(await current(node, id)).to.include({ status: 'FAILED' });
  });

  it('is looked up by its name and then fenced where nobody knows whether it was confirmed', async () => {
    const lookUp = async () => ({ kind: 'unknown', detail: 'it waits for its confirmation' }) as const;
    const node = await open(twoSteps({ perform: async () => LOST, lookUp }));
    const { id } = await authorize(node);
    for (const ms of [31_000, 300_000]) {
      world.pass(ms);
      await lookUpDue(node);
    }
    expect(calls).to.deep.equal(['prepare', 'perform authorization pi_1', 'look up pi_1', 'fence pi_1']);
    expect((await typesOf(node, id)).slice(3)).to.deep.equal([
      'AuthorizationOutcomeUnknown',
      'LookUpRecorded',
      'AttemptFenced',
      'AuthorizationNotFound',
    ]);
    expect(await current(node, id)).to.include({ status: 'FAILED' });
  });

  it('leaves nothing held where its fence took a success back', async () => {
    const lookUp = async () => ({ kind: 'unknown', detail: 'it waits for its confirmation' }) as const;
    const fence = async () =>
      ({ kind: 'released', processorTransactionId: 'pi_1', amount: 1_000, currencyCode: 'EUR' }) as const;
    const node = await open(twoSteps({ perform: async () => LOST, lookUp, fence }));
    const { id } = await authorize(node);
    for (const ms of [31_000, 300_000]) {
      world.pass(ms);
      await lookUpDue(node);
    }
    expect(calls.filter((call) => call.startsWith('perform'))).to.have.length(1);
    expect(await current(node, id)).to.include({ status: 'FAILED', amountAuthorized: 0 });
    expect((await typesOf(node, id)).at(-1)).to.equal('AuthorizationVoided');
  });
});

describe('the fence of the sandbox', () => {
  const MINUTE = 60_000;
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  const lost = async (processor: Processor): Promise<string> => {
    node = await nodeOn(stores, { timings, processor });
    return (await authorizedAt(node, world)).id;
  };
  const statusOf = async (id: string) => known((await node.service.streams.payments.current(id)).state).status;
  /** The status after each of these times. */
  const statuses = async (id: string, ...minutes: readonly number[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const passed of minutes) {
      world.pass(passed * MINUTE);
      await lookUpDue(node);
      found.push(await statusOf(id));
    }
    return found;
  };
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });

  it('settles an operation that never arrived in the second look-up, and it has no effect when it arrives', async () => {
    const asked: OperationRequest[] = [];
    const perform = async (request: OperationRequest): Promise<Outcome> => {
      asked.push(request);
      return LOST;
    };
    const id = await lost(scripted(stores.sandbox, { perform }));
    expect(await statuses(id, 1, 5)).to.deep.equal(['PENDING', 'FAILED']);
    const [request] = asked;
    if (request === undefined) throw new Error('nothing was asked');
    expect(await stores.sandbox.perform(request, callOf())).to.include({ kind: 'not_sent' });
    expect(await stores.sandbox.lookUp(request, callOf())).to.deep.equal({ kind: 'not_found' });
    expect(await stores.sandbox.fence(request, callOf())).to.deep.equal({ kind: 'not_found' });
    expect(await wholeLedger(stores.sandbox)).to.deep.equal([]);
  });

  it('keeps the window where a fence proves nothing', async () => {
    const { fenceProves: _none, ...possible } = stores.sandbox.capabilities(callOf().connection);
    const processor = scripted(stores.sandbox, { perform: async () => LOST, capabilities: () => possible });
    const id = await lost({ ...processor, consistencyWindowMs: 60 * MINUTE });
    expect(await statuses(id, 1, 5, 60, 1_440)).to.deep.equal(['PENDING', 'PENDING', 'FAILED', 'FAILED']);
  });
});

/** A payment whose authorization was asked for, by a card of the sandbox. */
async function authorizedAt({ service }: TestNode, world: MovableWorld) {
  const session = await service.sessions.createClientSession(
    { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
    merchant(ACCOUNT, world),
  );
  if (session.kind === 'rejected') throw new Error(session.errorId);
  const token = done(await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)));
  const asked = { clientToken: session.clientToken, paymentMethodToken: token.id };
  return done(await service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
}

// The sandbox in its two forms, against the one suite that any processor passes.
import { expect } from 'chai';
import { connectionAt } from '../../src/processors/connections.ts';
import type { AuthorizationRequest, Processor } from '../../src/processors/processor.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import { formatTime } from '../../src/world.ts';
import type { Faults, Misbehaviour } from '../contract/misbehaving-proxy.ts';
import type { Decided, TestCard } from '../contract/processor/bench.ts';
import {
  failed,
  type Make,
  type ProcessorUnderTest,
  processorConformance,
  rowsFor,
} from '../contract/processor.suite.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { nodeWith, remoteAt } from './sandbox/other-node.ts';
import { ACCOUNT, type AdvancingWorld, advancingWorld, card, openOn, SECRET } from './sandbox/sandbox-setup.ts';

const NUMBERS: { readonly [C in TestCard]: string } = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  pending: '4000009900001036',
  not_taken: '4111111111111111',
};

function payloadOf(item: Decided | 'unreadable' | undefined): object {
  if (item === undefined || item === 'unreadable') return { type: 'authorization.succeeded' };
  const { reference, processorTransactionId, outcome, amount, at } = item;
  const about = { notificationId: `n-${reference}`, occurredAt: formatTime(at), reference, processorTransactionId };
  const isDone = outcome === 'succeeded';
  const type = isDone ? 'authorization.succeeded' : 'authorization.failed';
  return { ...about, type, amount, currencyCode: 'EUR', ...(!isDone && { declineCode: 'GENERIC_DECLINE' }) };
}

/** A card that is declined later without the link of its first payment. */
const NEEDS_LINK = '5100099900005075';
const NEW_EXPIRY = { expirationMonth: '12', expirationYear: '2049' };
const aboutSaved = (what: string, processorToken: string, at: number) => ({
  notificationId: `n-${what}-${processorToken}`,
  occurredAt: formatTime(at),
  processorToken,
});
const signed = (payload: object, at: number) => {
  const raw = JSON.stringify(payload);
  return { raw, headers: { 'x-sandbox-signature': signatureOf(SECRET, raw, at) } };
};

const TRAITS = ['fences', 'challenges', 'saves', 'names_first_payment'] as const;

/** The parts that both forms share; `truth` is the sandbox itself. */
const underTest = (
  processor: Sandbox,
  truth: Sandbox,
  world: AdvancingWorld,
): Omit<ProcessorUnderTest, 'close' | 'faults'> => ({
  processor,
  connection: connectionAt('sandbox'),
  card: (kind) => ({ card: card(NUMBERS[kind]) }),
  effects: async () => (await wholeLedger(truth)).filter(({ outcome }) => outcome === 'succeeded'),
  advance: async (ms) => world.advance(ms),
  notifying: {
    body([item], _connection, signedAt) {
      return signed(payloadOf(item), signedAt);
    },
    forged: (came) => ({ ...came, raw: came.raw.replace('"amount":1000', '"amount":9000') }),
  },
  saved: {
    card: () => ({ card: card(NEEDS_LINK) }),
    async laterUse({ reference }) {
      const line = (await wholeLedger(truth)).find((one) => one.reference === reference);
      return line?.network ?? {};
    },
    updated: (processorToken, _connection, at) =>
      signed({ ...aboutSaved('updated', processorToken, at), type: 'instrument.updated', card: NEW_EXPIRY }, at),
    withdrawn: (processorToken, _connection, at) =>
      signed(
        { ...aboutSaved('withdrawn', processorToken, at), type: 'mandate.updated', mandate: 'm', status: 'inactive' },
        at,
      ),
  },
  challenges: {
    card: () => ({ card: card('4000000000003220') }),
    async answer({ action }, isApproved) {
      const id = action.kind === 'redirect' ? action.url.split('/').at(-1) : undefined;
      await truth.answerChallenge(id ?? '', isApproved);
    },
  },
});

/** Shorter than the time after which the sandbox drops a request that comes late. */
const HELD_MS = 50_000;
type Fault = { readonly phase: string; readonly fault: string; readonly delayMs?: number };
// It knows no pages of proxies and no locks of its own: of all of them its caller learns that the answer says nothing.
const SAYS_NOTHING: Fault = { phase: 'before_effect', fault: '502' };
const FAULTS: { readonly [M in Exclude<Misbehaviour, 'twice'>]: Fault } = {
  refused: { phase: 'before_send', fault: 'reset' },
  reset_before: { phase: 'before_effect', fault: 'reset' },
  reset_after: { phase: 'after_effect_before_reply', fault: 'reset' },
  hung: { phase: 'after_effect_before_reply', fault: 'hang' },
  page_403_before: SAYS_NOTHING,
  page_404_before: SAYS_NOTHING,
  page_408_after: { phase: 'after_effect_before_reply', fault: '502' },
  status_409: SAYS_NOTHING,
  status_429: { phase: 'before_effect', fault: '429' },
  busy: SAYS_NOTHING,
  status_500_after: { phase: 'after_effect_before_reply', fault: '500' },
  truncated: { phase: 'during_reply', fault: 'invalid_json' },
  late: { phase: 'after_effect_before_reply', fault: 'slow', delayMs: 3_600_000 },
  held: { phase: 'before_effect', fault: 'slow', delayMs: HELD_MS },
  other_amount: { phase: 'during_reply', fault: 'wrong_amount' },
  other_currency: { phase: 'during_reply', fault: 'wrong_currency' },
};
const CALLS = ['tokenization', 'authorization', 'capture', 'cancellation', 'refund', 'adjustment', 'look_up'];

/** A world that knows the calls that are held in it. */
function holdingWorld() {
  const world = advancingWorld();
  const held = new Set<Promise<void>>();
  return {
    held,
    world: {
      ...world,
      sleep(ms: number, signal: AbortSignal) {
        const slept = world.sleep(ms, signal);
        if (ms === HELD_MS) held.add(slept);
        return slept;
      },
    },
  };
}

const inThisProcess: Make = async () => {
  const { world, held } = holdingWorld();
  const sandbox = await openOn('memory', world);
  let isSilent = false;
  const faults: Faults = {
    // It has no server that could get a request twice: the same reference is asked for twice elsewhere.
    async misbehave(how, nth) {
      const rules =
        how === undefined || how === 'twice'
          ? []
          : CALLS.map((operation) => ({
              match: { operation, ...(nth !== undefined && { nth }) },
              do: FAULTS[how],
            }));
      isSilent = how === 'hung' || how === 'late';
      await sandbox.setFaults(ACCOUNT, { seed: 1, rules });
    },
    // What it has begun in memory takes effect, whenever its caller leaves.
    isHolding: () => isSilent || held.size > 0,
    async release() {
      world.advance(HELD_MS);
      await Promise.all(held);
      held.clear();
      // What was held is in the ledger in memory before the next turn.
      await new Promise(setImmediate);
    },
  };
  return { ...underTest(sandbox, sandbox, world), faults, close: () => sandbox.close() };
};
processorConformance('the sandbox in this process', TRAITS, inThisProcess);

describe('the suite of all processors finds a sandbox that', () => {
  /** Another request than the service's. */
  const asking =
    (change: (request: AuthorizationRequest) => AuthorizationRequest): Make =>
    async (through) => {
      const tested = await inThisProcess(through);
      const { processor } = tested;
      const perform: Processor['perform'] = (request, call) =>
        processor.perform(request.operation === 'authorization' ? change(request) : request, call);
      return { ...tested, processor: { ...processor, perform } };
    };
  const withoutNames = ({ agreement, ...request }: AuthorizationRequest): AuthorizationRequest =>
    agreement === undefined ? request : { ...request, agreement: { kind: agreement.kind } };
  const withoutLink = ({ agreement, ...request }: AuthorizationRequest): AuthorizationRequest => {
    if (agreement === undefined) return request;
    const { transactionLinkId: _link, ...others } = agreement;
    return { ...request, agreement: others };
  };
  const FOUND = [
    ['names no first payment', withoutNames],
    ["leaves Mastercard's link out", withoutLink],
  ] as const;
  for (const [name, change] of FOUND)
    it(name, async () => {
      const rows = rowsFor(TRAITS).filter((row) => /names of the first payment/.test(row.name));
      expect(rows).to.have.length(1);
      expect(await failed(rows, asking(change))).to.deep.equal(rows.map((row) => row.name));
    });
});

processorConformance('the sandbox of another node', TRAITS, async (through) => {
  const world = advancingWorld();
  const sandbox = await openOn('memory', world);
  const node = await nodeWith(sandbox, { world });
  // The report that the other node cannot be reached is expected here: some of the tests want it.
  const remote = remoteAt(await through(node.url), { world, report: () => undefined });
  return {
    ...underTest(remote, sandbox, world),
    async close() {
      await remote.close();
      await node.close();
      await sandbox.close();
    },
  };
});

// The sandbox in its two forms, against the one suite that any processor passes.
import { connectionAt } from '../../src/processors/connections.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications/notification.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import { formatTime } from '../../src/world.ts';
import type { Misbehaviour } from '../contract/misbehaving-proxy.ts';
import { type ProcessorUnderTest, processorConformance } from '../contract/processor.suite.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { nodeWith, remoteAt } from './sandbox/other-node.ts';
import { ACCOUNT, advancingWorld, card, openOn, SECRET } from './sandbox/sandbox-setup.ts';

const NOW = Date.UTC(2026, 4, 1, 12);

/** The parts that both forms share; `truth` is the sandbox itself. */
const underTest = (processor: Sandbox, truth: Sandbox): Omit<ProcessorUnderTest, 'close' | 'misbehave'> => ({
  processor,
  connection: connectionAt('sandbox'),
  card: card('4242424242424242'),
  refusedCard: card('4111111111111111'),
  effects: async () => (await wholeLedger(truth)).filter(({ outcome }) => outcome === 'succeeded'),
  notify(reference, processorTransactionId) {
    const type = 'authorization.succeeded';
    const about = {
      notificationId: `n-${reference}`,
      type,
      occurredAt: formatTime(NOW),
      reference,
      processorTransactionId,
    };
    const raw = JSON.stringify({ ...about, amount: 1_000, currencyCode: 'EUR' });
    return { raw, headers: { 'x-sandbox-signature': signatureOf(SECRET, raw, NOW) }, now: NOW };
  },
});

type Fault = { readonly phase: string; readonly fault: string; readonly delayMs?: number };
const FAULTS: { readonly [M in Exclude<Misbehaviour, 'twice'>]: Fault } = {
  refused: { phase: 'before_send', fault: 'reset' },
  reset_before: { phase: 'before_effect', fault: 'reset' },
  reset_after: { phase: 'after_effect_before_reply', fault: 'reset' },
  hung: { phase: 'after_effect_before_reply', fault: 'hang' },
  // The sandbox knows no 409 of its own; of both its caller learns that the answer says nothing.
  status_409: { phase: 'before_effect', fault: '502' },
  status_429: { phase: 'before_effect', fault: '429' },
  status_500_after: { phase: 'after_effect_before_reply', fault: '500' },
  truncated: { phase: 'during_reply', fault: 'invalid_json' },
  late: { phase: 'after_effect_before_reply', fault: 'slow', delayMs: 3_600_000 },
  other_currency: { phase: 'during_reply', fault: 'wrong_currency' },
};
const CALLS = ['authorization', 'capture', 'cancellation', 'refund', 'adjustment', 'look_up'];

processorConformance('the sandbox in this process', async () => {
  const sandbox = await openOn('memory', advancingWorld());
  return {
    ...underTest(sandbox, sandbox),
    // It has no server that could get a request twice: the same reference is asked for twice elsewhere.
    async misbehave(how) {
      const rules =
        how === undefined || how === 'twice'
          ? []
          : CALLS.map((operation) => ({ match: { operation }, do: FAULTS[how] }));
      await sandbox.setFaults(ACCOUNT, { seed: 1, rules });
    },
    close: () => sandbox.close(),
  };
});

processorConformance('the sandbox of another node', async (through) => {
  const world = advancingWorld();
  const sandbox = await openOn('memory', world);
  const node = await nodeWith(sandbox, { world });
  // The report that the other node cannot be reached is expected here: some of the tests want it.
  const remote = remoteAt(await through(node.url), { world, report: () => undefined });
  return {
    ...underTest(remote, sandbox),
    async close() {
      await remote.close();
      await node.close();
      await sandbox.close();
    },
  };
});

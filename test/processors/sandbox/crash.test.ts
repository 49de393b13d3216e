// kill -9 at any moment: every answered operation is in the ledger, and every operation in the ledger is answered when
// it is asked again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import type { Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Sandbox } from '../../../src/processors/sandbox/sandbox-interface.ts';
import { about, callOf } from '../../support/call-of.ts';
import { nodeArguments, scriptBeside } from '../../support/script.ts';
import { until, untilDone } from '../../support/until.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';
import { openReceiver } from './notifications/receiver.ts';
import { remoteAt } from './other-node.ts';
import { ACCOUNT, advancingWorld, never, openOn, TestPayment, temporaryDirectory, tokenFor } from './sandbox-setup.ts';

describe('sandbox, killed', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;
  let child: ChildProcess | undefined;
  let sandbox: Sandbox | undefined;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = `${directory.path}/sandbox.db`;
  });
  afterEach(async () => {
    await killed();
    await sandbox?.close();
    sandbox = undefined;
    directory.remove();
  });

  const start = (...task: string[]): ChildProcess => {
    const started = nodeArguments(scriptBeside('./child', import.meta.url), file, ...task);
    child = spawn(process.execPath, started, { stdio: ['ignore', 'pipe', 'inherit'] });
    return child;
  };
  async function killed(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  it('holds the effect between the effect and the answer, and asking again moves nothing', async () => {
    sandbox = await openOn(file);
    start('hang', 'pay_1');
    const payment = new TestPayment(sandbox, 'pay_1');
    const lookUp = (): Promise<{ readonly kind: string }> | undefined =>
      sandbox?.lookUp(about(payment.reference('a')), callOf(never()));
    await until(async () => (await lookUp())?.kind === 'succeeded');
    await killed();

    const [line, ...others] = await wholeLedger(sandbox);
    expect(line).to.include({ reference: 'pay_1.a', operation: 'authorization', amount: 1_000, outcome: 'succeeded' });
    expect(others).to.deep.equal([]);
    expect(await payment.authorize('4000009900001044')).to.deep.equal(await lookUp());
    expect(await wholeLedger(sandbox)).to.have.length(1);
  });

  it('has everything that was answered, however often it dies under load', async () => {
    const answers = new Map<string, unknown>();
    for (const enough of [40, 150, 90]) {
      const { stdout } = start('pay');
      if (stdout === null) throw new Error('the child has no output');
      let lines = 0;
      for await (const text of createInterface({ input: stdout })) {
        const [reference, outcome] = JSON.parse(text);
        const known = answers.get(reference);
        if (known !== undefined) expect(outcome).to.deep.equal(known);
        answers.set(reference, outcome);
        lines += 1;
        if (lines === enough) child?.kill('SIGKILL');
      }
      await killed();
    }
    sandbox = await openOn(file);
    expect(answers.size).to.be.greaterThan(100);
    const ledger = new Map((await wholeLedger(sandbox)).map((line) => [line.reference, line.outcome]));
    for (const [reference, outcome] of answers) {
      expect(ledger.get(reference), reference).to.equal('succeeded');
      expect(await sandbox.lookUp(about(reference), callOf(never())), reference).to.deep.equal(outcome);
    }
  });

  it('lets another instance send a notification that a dead one had taken, once its lease is over', async () => {
    const world = advancingWorld(-10_000); // so that work which falls due in 5 s is due for the child already
    sandbox = await openOn(file, world);
    await sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
    const payment = new TestPayment(sandbox, 'pay_1');
    await payment.authorize('4000009900001010');
    const [silent, answering] = [await openReceiver(() => 'silence'), await openReceiver()];
    const stop = new AbortController();
    try {
      start('deliver', silent.url);
      await silent.until(1);
      await killed();

      world.advance(10_000);
      const running = sandbox.run(answering.url, stop.signal);
      world.advance(15_000);
      await new Promise((turn) => setTimeout(turn, 200));
      expect(answering.received).to.deep.equal([]);
      world.advance(86_400_000); // its clock may be earlier than the dead one's
      await answering.until(1);
      expect(answering.received[0]?.body).to.equal(silent.received[0]?.body);
      stop.abort();
      await running;
    } finally {
      stop.abort();
      await Promise.all([silent.close(), answering.close()]);
    }
  });

  it('is believed by other nodes as far as they know, however often its own node dies under load', async () => {
    const serve = async (port: string): Promise<string> => {
      const { stdout } = start('serve', port);
      if (stdout === null) throw new Error('the child has no output');
      for await (const line of createInterface({ input: stdout })) return line;
      throw new Error('it did not serve');
    };
    let port = await serve('0');
    const remote = remoteAt(`http://127.0.0.1:${port}`, { report: () => undefined });
    const outcomes = new Map<string, Outcome>();
    let stopping = false;
    const payers = Array.from({ length: 8 }, async (_, payer) => {
      for (let number = 0; !stopping; number += 1) {
        const paymentId = `pay_${payer}_${number}`;
        const payment = new TestPayment(remote, paymentId);
        // A token can be had again until it is there; while no node has the sandbox, all others wait a moment.
        const processorToken = await untilDone(() => tokenFor(remote, '4242424242424242', `tok_${paymentId}`));
        outcomes.set(payment.reference('a'), await payment.ask('authorization', 'a', 1_000, { processorToken }));
      }
    });
    const seen = async (count: number): Promise<void> => {
      await until(() => outcomes.size >= count);
    };
    const isUnknown = (): boolean => [...outcomes.values()].some(({ kind }) => kind === 'unknown');
    for (let kills = 0; kills < 2 || !isUnknown(); kills += 1) {
      await seen(60 + 120 * kills);
      await killed();
      port = await serve(port);
    }
    await seen(outcomes.size + 60);
    stopping = true;
    await Promise.all(payers);

    const ledger = new Map((await wholeLedger(remote)).map((line) => [line.reference, line.outcome]));
    const kinds = new Set<string>();
    for (const [reference, outcome] of outcomes) {
      kinds.add(outcome.kind);
      const found = await remote.lookUp(about(reference), callOf(never()));
      expect(found.kind, reference).to.equal(ledger.get(reference) ?? 'not_found');
      if (outcome.kind === 'succeeded') expect(found, reference).to.deep.equal(outcome);
      else if (outcome.kind === 'not_sent') expect(found.kind, reference).to.equal('not_found');
      else expect(outcome.kind, reference).to.equal('unknown');
    }
    expect([...kinds]).to.include('unknown');
    await remote.close();
  });
});

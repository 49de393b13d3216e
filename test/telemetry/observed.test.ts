// One wrapper for each port reports the work to metrics and spans, and the work is done once.
import { expect } from 'chai';
import type { Adapters } from '../../src/adapters.ts';
import { NO_TELEMETRY } from '../../src/cli/open/telemetry.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { openStripe } from '../../src/processors/stripe/stripe.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { Meters } from '../../src/telemetry/meters.ts';
import { observed, observedProcessor } from '../../src/telemetry/observed.ts';
import type { Span, Spans } from '../../src/telemetry/sinks.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores } from '../support/node.ts';

describe('telemetry', () => {
  const counted: string[] = [];
  const traced: string[] = [];
  let adapters: Adapters;
  beforeEach(async () => {
    counted.length = 0;
    traced.length = 0;
    const { sandbox } = await memoryStores();
    const processors = new Map<string, Processor>([[sandbox.name, sandbox]]);
    adapters = {
      events: openMemoryEventStore(),
      readModels: memoryReadModels(),
      processors,
      world: calmWorld,
      report: () => undefined,
    };
  });

  const meters: Meters = {
    requestStarted: () => undefined,
    requestEnded: () => undefined,
    connectionRefused: () => undefined,
    appended: (category, result) => void counted.push(`append ${category}: ${result}`),
    decidedAgain: (category) => void counted.push(`${category} again`),
    gaveUp: (category) => void counted.push(`${category} given up`),
    projected: (projection, events) => void counted.push(`project ${events} of ${projection}`),
    processorCalled: (processor, operation, outcome) => void counted.push(`${operation} ${processor}: ${outcome}`),
    circuit: (processor, isOpen) => void counted.push(`circuit of ${processor} ${isOpen ? 'open' : 'closed'}`),
    limited: (limit) => void counted.push(`${limit} refused`),
    left: (kind, count) => void counted.push(`${count} ${kind} left`),
    store: () => {
      throw new Error('an adapter asks for it, and none is here');
    },
  };
  const span = (name: string): Span => ({
    within: (work) => work(),
    rename: () => undefined,
    set: (attributes) => void traced.push(`${name} says ${Object.values(attributes).join()}`),
    fail: () => void traced.push(`${name} failed`),
    end: () => void traced.push(`${name} ended`),
  });
  const spans: Spans = {
    start: ({ name }) => span(name),
    startServer: ({ name }) => span(name),
    event: (name) => void traced.push(name),
  };
  const both = (): Adapters => observed(adapters, { meters, spans, world: calmWorld });

  it('is absent when it is not wanted: the adapters stay as they are', () => {
    expect(NO_TELEMETRY.observe(adapters)).to.equal(adapters);
  });

  it('reports an append to metrics and spans, including a failed one', async () => {
    const { events } = both();
    await events.append('a-1', -1, []).catch(() => undefined);
    expect(counted).to.deep.equal(['append a: failed']);
    expect(traced).to.deep.equal(['append a failed', 'append a ended']);
  });

  it('keeps every member of an adapter, also those that only some have', () => {
    const stripe = openStripe({ world: calmWorld });
    const wrapped = observedProcessor(stripe, { meters, spans, world: calmWorld });
    for (const [name, member] of Object.entries(stripe))
      expect(Reflect.get(wrapped, name), name).to.be.a(typeof member);
    expect(wrapped).to.include.keys('standing', 'events', 'kept');
    expect(wrapped.connect).to.equal(undefined);
    stripe.close();
  });

  it('tells metrics and spans of a call of a processor, which keeps its name', async () => {
    const { processors } = both();
    expect([...processors].map(([key, { name }]) => [key, name])).to.deep.equal([['sandbox', 'sandbox']]);
    const { sandbox } = Object.fromEntries(processors);
    const connection = { connectionId: 'sandbox', processor: 'sandbox', secrets: {} };
    const from = { fieldToken: 'of a page', fieldType: 'card' };
    const call = { connection, signal: new AbortController().signal };
    await sandbox?.tokenize({ reference: 'r', accountId: 'acc_1', from }, call).catch(() => undefined);
    await new Promise((resume) => setImmediate(resume));
    expect(counted).to.have.length(1);
    expect(counted[0]).to.match(/^tokenization sandbox: /);
    expect(traced.at(-1)).to.equal('tokenization sandbox ended');
  });

  it("leaves what a processor says of a connection's secrets and of its account as it is", async () => {
    const { sandbox } = Object.fromEntries(adapters.processors);
    if (sandbox === undefined) throw new Error('there is no sandbox');
    const told = [{ name: 'account', value: 'acct_1', isGood: true }];
    const processor: Processor = { ...sandbox, refusal: () => 'It is a live key.', examine: async () => told };
    const processors = new Map([['sandbox', processor]]);
    const seen = observed({ ...adapters, processors }, { meters, spans, world: calmWorld }).processors.get('sandbox');
    const connection = { connectionId: 'sandbox', processor: 'sandbox', secrets: {} };
    expect(seen?.refusal?.(connection, 'test', 'secretKey')).to.equal('It is a live key.');
    const call = { connection, signal: new AbortController().signal };
    expect(await seen?.examine?.(call, undefined, () => false)).to.deep.equal(told);
    const plain = both().processors.get('sandbox');
    expect([plain?.refusal, plain?.examine]).to.deep.equal([undefined, undefined]);
    expect(counted).to.deep.equal([]);
  });

  it('tells metrics and spans of the work inside, which is done once', async () => {
    const { observer } = both();
    let done = 0;
    const result = await observer?.transact('a-1', async () => {
      done += 1;
      return { kind: 'written' };
    });
    observer?.decidesAgain('a');
    observer?.givesUp('a');
    observer?.circuit('sandbox', true);
    observer?.limited('declines-per-card');
    observer?.left('deliveries', 3);
    await observer?.project('as', 2, async () => {
      done += 1;
    });
    expect([result, done]).to.deep.equal([{ kind: 'written' }, 2]);
    expect(counted).to.deep.equal([
      'a again',
      'a given up',
      'circuit of sandbox open',
      'declines-per-card refused',
      '3 deliveries left',
      'project 2 of as',
    ]);
    expect(traced).to.deep.equal([
      'transact a says written',
      'transact a ended',
      'decides again',
      'gives up',
      'circuit',
      'limited',
      'project as ended',
    ]);
  });
});
